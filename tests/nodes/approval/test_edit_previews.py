import json
from pathlib import Path

import pytest

from maxagent import Answer, Runner, trust
from maxagent.config.trust.decision import check_trust
from maxagent.nodes.approval.edit_previews import MAX_DIFF_LENGTH

READS = {"name": "read_file", "args": {"path": "a.txt"}}


SEARCHES = {"name": "grep", "args": {"regex": "one"}}


def replaces(old: str, new: str, path: str = "a.txt") -> dict[str, object]:
    return {"name": "edit", "args": {"file_path": path, "old_string": old, "new_string": new}}


def writes(path: str, content: str) -> dict[str, object]:
    return {"name": "write_file", "args": {"path": path, "content": content}}


class Thread:
    """A thread in mode `ask`, whose coder has read `a.txt` and makes these calls in one answer."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir()
        (self.project / "a.txt").write_text("one\ntwo\n")
        (self.project / "unread.txt").write_text("one\ntwo\n")
        self._folder, self._runner, self._id, self._question = folder, runner, "", ""
        self.results: list[object] = []

    async def calls(self, *calls: object, mode: str = "ask"):
        coder = [{"tool_calls": [READS]}, {"tool_calls": list(calls)}, {"text": "done"}]
        script = self._folder / "scenario.json"
        script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
        model = f"scripted/{script}"
        options = {"model": model, "mode": mode, "skip_tests": True, "apply": True}
        return await self._last(self._runner.task("go", folder=self.project, options=options))

    async def answers(self, **decision):
        questions = {"question": self._question, **decision}
        return await self._last(self._runner.resume(self._id, Answer(**questions)))

    async def _last(self, events):
        async for event in events:
            self._id = getattr(event, "thread_id", self._id)
            if event.type == "tool_result" and event.tool != "read_file":
                self.results.append(event)
        self._question = getattr(event, "id", "")
        return event


@pytest.fixture
async def thread(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as runner:
        yield Thread(tmp_path, runner)


def diffs(question) -> list[str | None]:
    return [request.get("diff") for request in question.action_requests]


async def test_asked_edit_shows_diff_and_changes_nothing(thread) -> None:
    asked = await thread.calls(replaces("two", "zwei"))
    assert asked.type == "question" and "-two\n+zwei\n" in diffs(asked)[0]
    assert (thread.project / "a.txt").read_text() == "one\ntwo\n"
    ended = await thread.answers(approve=True)
    assert ended.type == "completion" and "+zwei" in ended.diff


async def test_failing_edit_is_refused_and_model_gets_error(thread) -> None:
    ended = await thread.calls(replaces("nine", "9"))
    assert ended.type == "completion"
    assert not thread.results[0].ok and "old_string" in thread.results[0].error


async def test_only_what_can_be_done_is_asked(thread) -> None:
    asked = await thread.calls(replaces("nine", "9"), replaces("two", "2"))
    assert len(asked.action_requests) == 1 and "+2" in diffs(asked)[0]


async def test_edits_of_one_answer_build_on_each_other(thread) -> None:
    asked = await thread.calls(replaces("two", "2"), replaces("2", "ii"), writes("b", "1\n"))
    first, second, third = diffs(asked)
    assert "-two\n+2" in first and "-2\n+ii" in second and "+1" in third
    await thread.answers(approve=True)
    assert (thread.project / "a.txt").read_text() == "one\nii\n"


@pytest.mark.parametrize(
    "shows", [{"name": "read_file", "args": {"path": "unread.txt"}}, SEARCHES], ids=["read", "grep"]
)
async def test_file_can_be_read_and_edited_at_once(thread, shows) -> None:
    asked = await thread.calls(shows, replaces("two", "2", path="unread.txt"))
    assert "-two\n+2" in diffs(asked)[0]
    await thread.answers(approve=True)
    assert (thread.project / "unread.txt").read_text() == "one\n2\n"


async def test_edit_before_required_read_is_refused(thread) -> None:
    reads = {"name": "read_file", "args": {"path": "unread.txt"}}
    edits = replaces("two", "2", path="unread.txt")
    asked = await thread.calls(edits, reads, edits)
    assert len(asked.action_requests) == 1
    await thread.answers(approve=True)
    assert "has not been read yet" in thread.results[0].error and thread.results[1].ok


async def test_edit_after_command_is_asked_even_without_diff(thread) -> None:
    runs = {"name": "run_command", "args": {"command": "echo nine >> a.txt"}}
    asked = await thread.calls(runs, replaces("nine", "9"))
    assert diffs(asked) == [None, None]
    assert "cannot be shown: " in asked.action_requests[1]["description"]


async def test_shown_edit_stays_asked_when_file_changes(thread) -> None:
    await thread.calls(replaces("two", "zwei"))
    (thread.project / "a.txt").write_text("else\n")
    await thread.answers(reject="no")
    assert "no" in thread.results[0].error and "refused" in thread.results[0].error


async def test_long_diff_states_how_much_is_cut(thread) -> None:
    lines = "".join(f"line {number}\n" for number in range(5_000))
    asked = await thread.calls(writes("long.txt", lines))
    assert len(diffs(asked)[0]) < MAX_DIFF_LENGTH + 100
    assert diffs(asked)[0].endswith(" more lines]\n")


async def test_an_edit_that_changes_nothing_says_so(thread) -> None:
    asked = await thread.calls(writes("a.txt", "one\ntwo\n"))
    assert diffs(asked) == [None]
    assert asked.action_requests[0]["description"].endswith("it would change nothing")


async def test_edit_is_asked_without_diff_when_copying_fails(thread, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(thread.project / "no-such-folder"))
    asked = await thread.calls(replaces("two", "2"))
    assert diffs(asked) == [None]
    assert "cannot be shown: No such file" in asked.action_requests[0]["description"]


async def test_edits_that_need_no_approval_are_not_previewed(thread) -> None:
    ended = await thread.calls(replaces("nine", "9"), replaces("two", "2"), mode="edits")
    assert [result.ok for result in thread.results] == [False, True]
    assert ended.type == "completion" and "+2" in ended.diff


async def test_trust_follows_instructions_whose_whole_change_was_seen(thread) -> None:
    home, project = thread.home, thread.project
    (project / "AGENTS.md").write_text("one\n")
    trust(project, home)
    reads = {"name": "read_file", "args": {"path": "AGENTS.md"}}
    change = replaces("one", "two", "AGENTS.md")
    asked = await thread.calls(reads, change, writes("CLAUDE.md", "@AGENTS.md\n"), mode="auto")
    assert len(diffs(asked)) == 2
    ended = await thread.answers(approve=True)
    assert ended.type == "completion" and (project / "AGENTS.md").read_text() == "two\n"
    assert check_trust(project, home).trusted


async def test_it_does_not_where_nobody_read_the_question(thread) -> None:
    trust(thread.project, thread.home)
    await thread.calls(writes("AGENTS.md", "mine\n"), mode="auto")
    ended = await thread.answers(approve=True, question="")
    assert ended.type == "completion" and (thread.project / "AGENTS.md").exists()
    assert not check_trust(thread.project, thread.home).trusted


@pytest.mark.parametrize("long", [False, True], ids=["changed before it ran", "not shown whole"])
async def test_it_follows_nothing_that_was_not_seen_whole(thread, long: bool) -> None:
    home, project = thread.home, thread.project
    trust(project, home)
    text = "x\n" * MAX_DIFF_LENGTH if long else "mine\n"
    await thread.calls(writes("AGENTS.md", text), mode="auto")
    args = {"path": "AGENTS.md", "content": "other\n"}
    edited = [{"type": "edit", "edited_action": {"name": "write_file", "args": args}}]
    await thread.answers(**({"approve": True} if long else {"decisions": edited}))
    assert (project / "AGENTS.md").read_text() == (text if long else "other\n")
    assert not check_trust(project, home).trusted


KEY = "+-----BEGIN PRIVATE KEY-----\n"
HIDES = f"*** Add File: AGENTS.md\n{KEY}+unseen\n"
MOVES = "*** Update File: a.txt\n*** Move to: AGENTS.md\n@@\n one\n-two\n+2\n"


@pytest.mark.parametrize("files", [HIDES, MOVES], ids=["behind a secret", "moved there"])
async def test_trust_does_not_follow_patch_with_incomplete_diff(thread, files) -> None:
    trust(thread.project, thread.home)
    patch = f"*** Begin Patch\n{files}*** End Patch\n"
    asked = await thread.calls({"name": "apply_patch", "args": {"patch": patch}}, mode="auto")
    assert "unseen" not in diffs(asked)[0]
    await thread.answers(approve=True)
    assert (thread.project / "AGENTS.md").exists()
    assert not check_trust(thread.project, thread.home).trusted


async def test_instructions_changed_since_preview_are_asked_again(thread) -> None:
    await thread.calls(writes("AGENTS.md", "mine\n"))
    (thread.project / "AGENTS.md").write_text("theirs\n")
    asked = await thread.answers(approve=True)
    assert asked.type == "question" and diffs(asked) == [None]
    assert (thread.project / "AGENTS.md").read_text() == "theirs\n"
