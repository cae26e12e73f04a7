"""An approval binds to what was shown: whatever changes before it runs is asked or refused."""

import json
from pathlib import Path

import pytest
from confinement import FOUND

from maxagent import Answer, Runner, UsageError
from maxagent.nodes.run.context import Context

ONE = {"name": "run_command", "args": {"command": "echo one >> log"}}
TWO = {"name": "run_command", "args": {"command": "echo two >> log"}}
EDIT = {"name": "write_file", "args": {"path": "a.txt", "content": "x\n"}}


class Place:
    """A project with its user, and a thread in it."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self.runner, self.home, self.root = runner, folder / "home", folder / "project"
        self.home.mkdir(exist_ok=True)
        self.root.mkdir()
        self.script = folder / "scenario.json"
        self.results = []

    def configure(self, text: str) -> None:
        (self.home / "config.yaml").write_text(text)

    async def start(self, *calls: dict, mode: str = "ask", stop: bool = False):
        """Run the calls of one answer to the first question, or stop after the first result."""
        coder = [{"tool_calls": list(calls)}, {"text": "done"}]
        self.script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
        model = {"model": f"scripted/{self.script}", "skip_tests": True, "apply": True}
        options = {**model, "mode": mode} if mode else model
        return await self._last(self.runner.task("x", folder=self.root, options=options), stop)

    async def resume(self, last, answer: Answer | None = None, *, mode: str = ""):
        """Go on as another process would: what is configured is read again."""
        await self.runner.pool.close()
        context = Context(mode=mode)
        return await self._last(
            self.runner.resume(last.thread_id, answer, context=context), stop=False
        )

    async def _last(self, events, stop: bool):
        last = None
        async for last in events:
            if last.type == "tool_result":
                self.results.append(last)
                if stop:
                    self.runner.stop()
        return last

    @property
    def log(self) -> str:
        log = self.root / "log"
        return log.read_text() if log.exists() else ""


@pytest.fixture
async def world(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as runner:
        yield Place(tmp_path, runner)


async def test_new_deny_rule_overrides_approval(world):
    asked = await world.start(ONE)
    world.configure("permissions: {deny: ['run_command(echo:*)']}\n")
    await world.resume(asked, Answer(approve=True))
    assert world.log == "" and "the user's rules deny" in world.results[-1].error


async def test_read_only_mode_holds_against_an_approval(world):
    asked = await world.start(ONE)
    await world.resume(asked, Answer(approve=True), mode="read-only")
    assert world.log == "" and "read-only mode" in world.results[-1].error


async def test_queued_call_is_refused_in_read_only_mode(world):
    stopped = await world.start(ONE, TWO, mode="auto", stop=True)
    assert (stopped.type, world.log) == ("interrupted", "one\n")
    await world.resume(stopped, mode="read-only")
    assert world.log == "one\n" and "read-only mode" in world.results[-1].error


async def test_queued_call_is_refused_by_new_rule(world):
    stopped = await world.start(ONE, TWO, mode="auto", stop=True)
    world.configure("permissions: {deny: ['Bash(echo two:*)']}\n")
    await world.resume(stopped)
    assert world.log == "one\n" and "the user's rules deny" in world.results[-1].error


async def test_queued_call_runs_when_nothing_changed(world):
    stopped = await world.start(ONE, TWO, mode="auto", stop=True)
    await world.resume(stopped, mode="ask")
    assert world.log == "one\ntwo\n"


async def test_queued_command_no_longer_only_reading_is_refused(world):
    (world.root / "notes").write_text("inside\n")
    (world.root.parent / "other").write_text("outside\n")
    swap = {"name": "run_command", "args": {"command": "ln -sf ../other notes"}}
    read = {"name": "run_command", "args": {"command": "cat notes"}}
    asked = await world.start(swap, read)
    assert len(asked.action_requests) == 1
    await world.resume(asked, Answer(approve=True))
    assert [result.ok for result in world.results] == [True, False]
    assert "outside the project" in world.results[-1].error


AFTER = "after_edit: {{'*.txt': ['echo {} >> log']}}\n"


async def test_changed_post_edit_commands_are_asked_again(world):
    world.configure(AFTER.format("shown"))
    asked = await world.start(EDIT)
    world.configure(AFTER.format("other"))
    again = await world.resume(asked, Answer(approve=True))
    assert again.type == "question" and "`echo other >> log`" in str(again.action_requests)
    assert not (world.root / "a.txt").exists() and world.log == ""


async def test_queued_edit_skips_changed_post_edit_commands(world):
    world.configure(AFTER.format("shown"))
    asked = await world.start(ONE, EDIT)
    stopped = await world._last(
        world.runner.resume(asked.thread_id, Answer(approve=True)), stop=True
    )
    assert (stopped.type, world.log) == ("interrupted", "one\n")
    world.configure(AFTER.format("other"))
    await world.resume(stopped)
    assert (world.root / "a.txt").exists() and world.log == "one\n"
    assert "was not run: it must be asked" in world.results[-1].output


async def test_shown_post_edit_commands_run_after_queued_edit(world):
    world.configure(AFTER.format("shown"))
    asked = await world.start(ONE, EDIT)
    await world._last(world.runner.resume(asked.thread_id, Answer(approve=True)), stop=True)
    await world.resume(asked)
    assert world.log == "one\nshown\n"


@pytest.mark.parametrize("command", ["rm -rf /", "cat .env"])
async def test_what_the_human_edits_is_checked_again(world, command):
    asked = await world.start(ONE)
    edit = {"type": "edit", "edited_action": {"args": {"command": command}}}
    await world.resume(asked, Answer(decisions=[edit]))
    assert world.log == "" and world.results[-1].error.startswith("Not allowed: ")


async def test_post_edit_commands_not_shown_are_skipped(world):
    world.configure("after_edit: {'*.md': ['echo unseen >> log']}\n")
    asked = await world.start(EDIT)
    edit = {"type": "edit", "edited_action": {"args": {"path": "b.md", "content": "y\n"}}}
    await world.resume(asked, Answer(decisions=[edit]))
    assert (world.root / "b.md").exists() and world.log == ""
    assert "was not run: it must be asked" in world.results[-1].output


async def test_answers_must_match_questions_and_tool(world):
    asked = await world.start(ONE)
    other = {"type": "edit", "edited_action": {"name": "write_file", "args": EDIT["args"]}}
    with pytest.raises(UsageError, match="does not fit"):
        await world.resume(asked, Answer(decisions=[{"type": "approve"}] * 2))
    again = await world.resume(asked, Answer(decisions=[other]))
    assert (again.type, world.log) == ("question", "")
    assert not (world.root / "a.txt").exists()


async def test_rule_given_with_answer_holds_for_whole_run(world):
    other = {"name": "run_command", "args": {"command": "touch made"}}
    coder = [{"tool_calls": [other]}, {"tool_calls": [other]}, {"text": "done"}]
    world.script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{world.script}", "skip_tests": True, "apply": True}
    asked = await world._last(
        world.runner.task("x", folder=world.root, options={**options, "mode": "ask"}), False
    )
    always = asked.action_requests[0]["always"]
    assert always == "run_command(touch made)"
    answer = Answer(decisions=[{"type": "approve", "always": always}], question=asked.id)
    ended = await world._last(world.runner.resume(asked.thread_id, answer), False)
    assert ended.type == "completion"
    assert [result.ok for result in world.results] == [True, True]


SANDBOX = "sandbox: {mode: %s}\n"


@pytest.fixture
def confined(world):
    if not FOUND.is_on:
        pytest.skip(f"no sandbox works here: {FOUND.why_none}")


async def test_call_shown_sandboxed_is_asked_again_without_it(world, confined):
    world.configure(SANDBOX % "auto")
    asked = await world.start(ONE)
    assert asked.action_requests[0]["sandbox"]
    world.configure(SANDBOX % "off")
    again = await world.resume(asked, Answer(approve=True))
    assert (again.type, world.log, again.action_requests[0]["sandbox"]) == ("question", "", "")


async def test_queued_call_is_refused_without_its_sandbox(world, confined):
    world.configure(SANDBOX % "auto")
    stopped = await world.start(ONE, TWO, mode="auto", stop=True)
    world.configure(SANDBOX % "off")
    await world.resume(stopped)
    assert world.log == "one\n" and "another one by now" in world.results[-1].error
