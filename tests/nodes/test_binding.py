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
async def place(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as runner:
        yield Place(tmp_path, runner)


async def test_new_deny_rule_overrides_approval(place):
    asked = await place.start(ONE)
    place.configure("permissions: {deny: ['run_command(echo:*)']}\n")
    await place.resume(asked, Answer(approve=True))
    assert place.log == "" and "the user's rules deny" in place.results[-1].error


async def test_read_only_mode_holds_against_an_approval(place):
    asked = await place.start(ONE)
    await place.resume(asked, Answer(approve=True), mode="read-only")
    assert place.log == "" and "read-only mode" in place.results[-1].error


async def test_queued_call_is_refused_in_read_only_mode(place):
    stopped = await place.start(ONE, TWO, mode="auto", stop=True)
    assert (stopped.type, place.log) == ("interrupted", "one\n")
    await place.resume(stopped, mode="read-only")
    assert place.log == "one\n" and "read-only mode" in place.results[-1].error


async def test_queued_call_is_refused_by_new_rule(place):
    stopped = await place.start(ONE, TWO, mode="auto", stop=True)
    place.configure("permissions: {deny: ['Bash(echo two:*)']}\n")
    await place.resume(stopped)
    assert place.log == "one\n" and "the user's rules deny" in place.results[-1].error


async def test_queued_call_runs_when_nothing_changed(place):
    stopped = await place.start(ONE, TWO, mode="auto", stop=True)
    await place.resume(stopped, mode="ask")
    assert place.log == "one\ntwo\n"


async def test_queued_command_no_longer_only_reading_is_refused(place):
    (place.root / "notes").write_text("inside\n")
    (place.root.parent / "other").write_text("outside\n")
    swap = {"name": "run_command", "args": {"command": "ln -sf ../other notes"}}
    read = {"name": "run_command", "args": {"command": "cat notes"}}
    asked = await place.start(swap, read)
    assert len(asked.action_requests) == 1
    await place.resume(asked, Answer(approve=True))
    assert [result.ok for result in place.results] == [True, False]
    assert "outside the project" in place.results[-1].error


AFTER = "after_edit: {{'*.txt': ['echo {} >> log']}}\n"


async def test_changed_post_edit_commands_are_asked_again(place):
    place.configure(AFTER.format("shown"))
    asked = await place.start(EDIT)
    place.configure(AFTER.format("other"))
    again = await place.resume(asked, Answer(approve=True))
    assert again.type == "question" and "`echo other >> log`" in str(again.action_requests)
    assert not (place.root / "a.txt").exists() and place.log == ""


async def test_queued_edit_skips_changed_post_edit_commands(place):
    place.configure(AFTER.format("shown"))
    asked = await place.start(ONE, EDIT)
    stopped = await place._last(
        place.runner.resume(asked.thread_id, Answer(approve=True)), stop=True
    )
    assert (stopped.type, place.log) == ("interrupted", "one\n")
    place.configure(AFTER.format("other"))
    await place.resume(stopped)
    assert (place.root / "a.txt").exists() and place.log == "one\n"
    assert "was not run: it must be asked" in place.results[-1].output


async def test_shown_post_edit_commands_run_after_queued_edit(place):
    place.configure(AFTER.format("shown"))
    asked = await place.start(ONE, EDIT)
    await place._last(place.runner.resume(asked.thread_id, Answer(approve=True)), stop=True)
    await place.resume(asked)
    assert place.log == "one\nshown\n"


@pytest.mark.parametrize("command", ["rm -rf /", "cat .env"])
async def test_what_the_human_edits_is_checked_again(place, command):
    asked = await place.start(ONE)
    edit = {"type": "edit", "edited_action": {"args": {"command": command}}}
    await place.resume(asked, Answer(decisions=[edit]))
    assert place.log == "" and place.results[-1].error.startswith("Not allowed: ")


async def test_post_edit_commands_not_shown_are_skipped(place):
    place.configure("after_edit: {'*.md': ['echo unseen >> log']}\n")
    asked = await place.start(EDIT)
    edit = {"type": "edit", "edited_action": {"args": {"path": "b.md", "content": "y\n"}}}
    await place.resume(asked, Answer(decisions=[edit]))
    assert (place.root / "b.md").exists() and place.log == ""
    assert "was not run: it must be asked" in place.results[-1].output


async def test_answers_must_match_questions_and_tool(place):
    asked = await place.start(ONE)
    other = {"type": "edit", "edited_action": {"name": "write_file", "args": EDIT["args"]}}
    with pytest.raises(UsageError, match="does not fit"):
        await place.resume(asked, Answer(decisions=[{"type": "approve"}] * 2))
    again = await place.resume(asked, Answer(decisions=[other]))
    assert (again.type, place.log) == ("question", "")
    assert not (place.root / "a.txt").exists()


async def test_rule_given_with_answer_holds_for_whole_run(place):
    other = {"name": "run_command", "args": {"command": "touch made"}}
    coder = [{"tool_calls": [other]}, {"tool_calls": [other]}, {"text": "done"}]
    place.script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{place.script}", "skip_tests": True, "apply": True}
    asked = await place._last(
        place.runner.task("x", folder=place.root, options={**options, "mode": "ask"}), False
    )
    always = asked.action_requests[0]["always"]
    assert always == "run_command(touch made)"
    answer = Answer(decisions=[{"type": "approve", "always": always}], question=asked.id)
    ended = await place._last(place.runner.resume(asked.thread_id, answer), False)
    assert ended.type == "completion"
    assert [result.ok for result in place.results] == [True, True]


SANDBOX = "sandbox: {mode: %s}\n"


@pytest.fixture
def confined(place):
    if not FOUND.is_on:
        pytest.skip(f"no sandbox works here: {FOUND.why_none}")


async def test_call_shown_sandboxed_is_asked_again_without_it(place, confined):
    place.configure(SANDBOX % "auto")
    asked = await place.start(ONE)
    assert asked.action_requests[0]["sandbox"]
    place.configure(SANDBOX % "off")
    again = await place.resume(asked, Answer(approve=True))
    assert (again.type, place.log, again.action_requests[0]["sandbox"]) == ("question", "", "")


async def test_queued_call_is_refused_without_its_sandbox(place, confined):
    place.configure(SANDBOX % "auto")
    stopped = await place.start(ONE, TWO, mode="auto", stop=True)
    place.configure(SANDBOX % "off")
    await place.resume(stopped)
    assert place.log == "one\n" and "another one by now" in place.results[-1].error
