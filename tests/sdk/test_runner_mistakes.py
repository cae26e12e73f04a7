"""What a program does wrong: each mistake raises `UsageError` with a hint, before anything runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxagent import (
    AgentProfile,
    Answer,
    Runner,
    SyncRunner,
    UsageError,
    collect,
    list_questions,
    tool,
)

WRITE = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}]}
ID = "6f1c1f0e-0000-4000-8000-000000000000"


@pytest.fixture
async def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A runner in an empty project, with a model whose first call is asked about."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "script.json").write_text(json.dumps([WRITE, {"text": "Done."}]))
    monkeypatch.setenv("LLC_MODEL", f"scripted/{tmp_path / 'script.json'}")
    monkeypatch.setenv("LLC_MODE", "ask")
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


Mistake = Callable[[Any], Any]
BEGINNINGS: list[tuple[str, Mistake, str]] = [
    ("no folder", lambda r: r.chat("Go", folder=None), "`folder` cannot be None"),
    ("number as folder", lambda r: r.task("Go", folder=3), "a path or a text"),
    ("missing folder", lambda r: r.chat("Go", folder="nowhere"), "is not a folder"),
    ("no message", lambda r: r.chat(None, folder="."), "`message` cannot be None"),
    ("bytes", lambda r: r.task(b"Go", folder="."), "it is a text"),
    ("messages", lambda r: r.chat([{"role": "user", "content": "Go"}], folder="."), "a text"),
    ("blank", lambda r: r.chat(" \n", folder="."), "the request is empty"),
    ("options as text", lambda r: r.chat("Go", folder=".", options="ask"), "a dictionary"),
    ("misspelt", lambda r: r.chat("Go", folder=".", options={"modee": "ask"}), "did you mean"),
    ("no mode", lambda r: r.edit("Go", files=["a"], folder=".", options={"mode": "r"}), "`ask`"),
    ("plan of a task", lambda r: r.task("Go", folder=".", options={"plan": True}), "for `chat`"),
    ("schema of a task", lambda r: r.task("Go", folder=".", options={"schema": {"a": 1}}), "chat"),
    ("attempts", lambda r: r.chat("Go", folder=".", options={"best_of": 3}), "it is for `task`"),
    ("no JSON", lambda r: r.chat("Go", folder=".", options={"schema": {"a": {1}}}), "JSON object"),
    (
        "type",
        lambda r: r.chat("Go", folder=".", options={"schema": {"type": "nix"}}),
        "JSON schema",
    ),
    ("endless", lambda r: r.chat("Go", folder=".", options={"max_cost": 1e999}), "number above 0"),
    ("limit as text", lambda r: r.chat("Go", folder=".", time_limit="3"), "a number or None"),
    ("no agent", lambda r: r.chat("Go", folder=".", agent="nobody"), "no agent `nobody`"),
    ("name", lambda r: r.chat("Go", folder=".", name=7), "`name` cannot be 7"),
    ("one file", lambda r: r.edit("Go", files="a.py", folder="."), "a list of texts"),
    ("models", lambda r: r.task("Go", folder=".", options={"models": ["a/b"]}), "option `best_of`"),
    (
        "no tests",
        lambda r: r.task("Go", folder=".", options={"best_of": 2, "skip_tests": True}),
        "`skip_tests` or `best_of`",
    ),
    ("outside", lambda r: r.edit("Go", files=["../a"], folder="."), "the argument `folder`"),
    ("no files", lambda r: r.edit("Go", files=[], folder="."), "no file given"),
    ("other ID", lambda r: r.task("Go", folder=".", thread_id="../a"), "is not a thread ID"),
    ("truth", lambda r: r.say(ID, "Go", abandon="no"), "true or false"),
    ("no thread", lambda r: r.say(None, "Go"), "`thread` cannot be None"),
    ("unknown thread", lambda r: r.resume("nope"), "no thread `nope`"),
    ("context", lambda r: r.resume(ID, context={"model": "a/b"}), "`Context` or None"),
]


@pytest.mark.parametrize(("mistake", "says"), [row[1:] for row in BEGINNINGS])
async def test_wrong_beginning_is_refused_before_thread(
    mine: Runner, mistake: Mistake, says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        await collect(mistake(mine))
    assert says in str(caught.value) and caught.value.hint
    assert mine.threads.list() == []


ANSWERS: list[tuple[Mistake, str]] = [
    (lambda q: "yes", "`answer` cannot be 'yes'"),
    (lambda q: True, "`answer` cannot be True"),
    (lambda q: q, "`answer` cannot be"),
    (lambda q: {"approve": True}, "`Answer`"),
    (lambda q: [True], "`answer` cannot be [True]"),
    (lambda q: q.deny(3), "`reason` cannot be 3"),
    (lambda q: q.answer(None), "`text` cannot be None"),
    (lambda q: q.extend(3), "only a limit can be extended"),
    (lambda q: q.extend("3"), "a whole number"),
    (lambda q: Answer(approve="yes"), "`approve` cannot be 'yes'"),
    (lambda q: Answer(decisions=["approve"]), "`decisions` cannot be"),
    (lambda q: Answer(decisions=[{"type": "nix"}]), "does not fit the question"),
    (lambda q: Answer(decisions=[{"type": "approve"}] * 2), "does not fit the question"),
    (lambda q: Answer(approve=True, question="other"), "asks another question"),
    (lambda q: Answer(), "; use `question.allow()`, `question.deny(why)`"),
    (lambda q: Answer(text=" "), "`question.answer(text)`"),
]


@pytest.mark.parametrize(("build", "says"), ANSWERS)
async def test_wrong_answer_leaves_question_open(mine: Runner, build: Mistake, says: str) -> None:
    asked = await collect(mine.chat("Write", folder="."))
    (question,) = list_questions(asked.question)
    with pytest.raises(UsageError) as caught:
        await collect(mine.resume(asked.thread_id, build(question)))
    assert says in str(caught.value) and caught.value.hint
    assert (await collect(mine.resume(asked.thread_id, question.allow()))).text == "Done."


def untyped(item):
    """Count."""


def unknown(item: "Nowhere") -> int:  # noqa: F821  # pyright: ignore
    """Count."""
    return 1


def strange(item: UsageError) -> int:
    """Count."""
    return 1


PARTS: list[tuple[dict[str, Any], str]] = [
    ({"home": 3}, "`home` cannot be 3"),
    ({"on_question": True}, "`on_question` cannot be True"),
    ({"tools": untyped}, "`tools` cannot be"),
    ({"tools": ["read_file"]}, "no function with a name"),
    ({"tools": [untyped]}, "without a type"),
    ({"tools": [unknown]}, "cannot be described to a model"),
    ({"tools": [strange]}, "cannot be described to a model"),
    ({"model": "openai/gpt-4o"}, "is no chat model"),
    ({"hooks": [print]}, "`hooks` cannot be"),
    ({"hooks": {"PreToolUse": [print]}}, "there are: before_tool"),
    ({"hooks": {"before_tool": print}}, "a list"),
    ({"hooks": {"before_tool": ["echo"]}}, "`hooks['before_tool']` cannot be ['echo']"),
]


@pytest.mark.parametrize(("parts", "says"), PARTS)
def test_wrong_part_of_runner_is_refused(tmp_path: Path, parts: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Runner(**{"home": tmp_path, **parts})
    assert says in str(caught.value) and caught.value.hint


OTHERS: list[tuple[Mistake, str]] = [
    (lambda r: r.stop(3), "`thread_id` cannot be 3"),
    (lambda r: r.steer("Go"), "no turn is running"),
    (lambda r: r.changes(None), "`thread` cannot be None"),
    (lambda r: r.rollback(ID, "first"), "a whole number"),
    (lambda r: r.keep_card(ID, 3), "`card_id` cannot be 3"),
    (lambda r: r.background.list(None), "`thread` cannot be None"),
    (lambda r: r.background.read_output(ID, 1), "`job_id` cannot be 1"),
    (lambda r: r.trust(None), "`folder` cannot be None"),
    (lambda r: r.agents.get("nobody"), "There are: "),
    (lambda r: r.agents.register({"name": "a"}), "`AgentProfile`"),
    (lambda r: r.agents.register(AgentProfile("a", "b", "c", mode="nix")), "`subagent`"),
    (lambda r: r.agents.register(AgentProfile("a", "b", "c", max_steps="3")), "whole number"),
    (lambda r: r.agents.register(AgentProfile("a", "b", "c", temperature="hot")), "a number"),
    (lambda r: r.agents.register(AgentProfile("a", "b", "c", allowed_tools="x")), "of texts"),
    (lambda r: tool(effect="write"), "`read` or `execute`"),
    (lambda r: SyncRunner.collect(None), "`events` cannot be None"),
]


@pytest.mark.parametrize(("mistake", "says"), OTHERS)
def test_other_wrong_call_is_refused(tmp_path: Path, mistake: Mistake, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        mistake(Runner(home=tmp_path))
    assert says in str(caught.value) and caught.value.hint


async def test_taken_thread_id_is_refused(mine: Runner) -> None:
    await collect(mine.task("Write", folder=".", thread_id=ID, options={"apply": True}))
    with pytest.raises(UsageError, match=f"there is a thread `{ID}` already"):
        await collect(mine.task("Write", folder=".", thread_id=ID))


def test_no_question_means_none_to_list() -> None:
    assert list_questions(None) == []
