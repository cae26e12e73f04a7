"""Each kind of question, answered by what it builds itself, and by a function of the program."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from maxagent import Answer, Question, Runner, SyncRunner, UsageError, collect
from maxagent.memory.cards.store import open_library

WRITE = {"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}
COMMAND = {"name": "run_command", "args": {"command": "echo x > made.txt"}}
ASK = {"name": "ask_user", "args": {"question": "Which?", "options": ["red", "blue"]}}
REPLY = {"name": "plan_mode_respond", "args": {"response": "Two steps?"}}
ENTER = {"name": "plan_enter", "args": {"reason": "It is large."}}
LOOK = {"name": "list_files", "args": {}}


@dataclass(frozen=True)
class Case:
    """What a model asks, how it is answered, and what the model reads of it."""

    call: dict[str, Any]
    kind: str
    method: str
    words: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    read: str = ""
    wrong: str = ""
    """A method that does not fit."""


CASES = {
    "write": Case(WRITE, "approval", "allow", read="new.txt", wrong="extend"),
    "no write": Case(WRITE, "approval", "deny", ("not now",), read="not now"),
    "words for a write": Case(WRITE, "approval", "answer", ("in docs/",), read="in docs/"),
    "command": Case(COMMAND, "approval", "allow", read="", wrong="extend"),
    "ask_user": Case(ASK, "approval", "answer", ("blue",), read="blue", wrong="allow"),
    "no ask_user": Case(ASK, "approval", "deny", ("ask later",), read="ask later"),
    "plan reply": Case(
        REPLY, "approval", "answer", ("go on",), (("plan", True),), "go on", wrong="allow"
    ),
    "plan mode": Case(ENTER, "switch", "deny", ("just do it",), read="just do it"),
    "limit": Case(LOOK, "limit", "allow", options=(("max_turns", 1),), wrong="deny"),
    "more turns": Case(LOOK, "limit", "extend", (5,), (("max_turns", 1),), wrong="answer"),
}


def begin(runner: Any, folder: Path, case: Case) -> Any:
    turns = [{"tool_calls": [case.call]}, {"text": "Done."}]
    (folder / "script.json").write_text(json.dumps(turns))
    options = {"model": f"scripted/{folder / 'script.json'}", "mode": "ask", **dict(case.options)}
    return runner.chat("Go.", folder=folder, options=options)


def decide(question: Question, case: Case) -> Answer:
    assert question.kind == case.kind and question.text
    assert question.needs_text == ("ask" in case.call["name"] or "respond" in case.call["name"])
    if case.wrong:
        with pytest.raises(UsageError):
            getattr(question, case.wrong)(*(["x"] if case.wrong == "answer" else []))
    return getattr(question, case.method)(*case.words)


def read_results(events: list[Any]) -> str:
    return "".join(e.output + e.error for e in events if e.type == "tool_result")


@pytest.mark.parametrize("name", CASES)
async def test_a_question_builds_its_own_answer(runner, tmp_path, name) -> None:
    case = CASES[name]
    asked = (await collect(begin(runner, tmp_path, case))).question
    assert asked
    answer = decide(asked, case)
    events = [event async for event in runner.resume(asked.thread_id, answer)]
    assert events[-1].type == "completion" and events[-1].summary == "Done."
    assert case.read in read_results(events)


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("name", CASES)
async def test_a_function_answers_while_run_goes_on(tmp_path, name, is_async) -> None:
    case, asked = CASES[name], list[Question]()

    def answer(question: Question) -> Answer:
        asked.append(question)
        return decide(question, case)

    async def answer_later(question: Question) -> Answer:
        await asyncio.sleep(0)
        return answer(question)

    on_question = answer_later if is_async else answer
    async with Runner(home=tmp_path / "home", on_question=on_question) as runner:
        events = [event async for event in begin(runner, tmp_path, case)]
    assert [event.type for event in events].count("run_started") == 1
    assert (events[-1].type, len(asked)) == ("completion", 1)
    assert case.read in read_results(events)


@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_extended_limit_grants_that_many_turns(runner, tmp_path, turns) -> None:
    script = [{"tool_calls": [LOOK]}] * 6 + [{"text": "Done."}]
    (tmp_path / "script.json").write_text(json.dumps(script))
    options = {"model": f"scripted/{tmp_path / 'script.json'}", "max_turns": 1}
    result = await collect(runner.chat("Go.", folder=tmp_path, options=options))
    assert result.question and result.usage and result.usage["requests"] == 1
    again = await collect(runner.resume(result.thread_id, result.question.extend(turns)))
    assert again.question and again.usage["requests"] == 1 + turns


async def test_a_question_without_answer_stays_open(tmp_path) -> None:
    asked = list[Question]()
    async with Runner(home=tmp_path / "home", on_question=asked.append) as runner:
        result = await collect(begin(runner, tmp_path, CASES["write"]))
        assert result.status == "question" and [q.id for q in asked] == [result.question.id]
        end = await collect(runner.resume(result.thread_id, result.question.allow()))
    assert end.text == "Done." and (tmp_path / "new.txt").exists()


async def test_a_wrong_answer_leaves_question_open(tmp_path) -> None:
    async with Runner(home=tmp_path / "home", on_question=lambda _: "yes") as runner:
        with pytest.raises(UsageError, match="`on_question` returned 'yes'"):
            await collect(begin(runner, tmp_path, CASES["write"]))
        [row] = runner.threads.list()
        assert (row.status, (tmp_path / "new.txt").exists()) == ("waiting", False)


def test_a_function_answers_in_sync_runner(tmp_path) -> None:
    with SyncRunner(home=tmp_path / "home", on_question=lambda q: q.answer("blue")) as runner:
        result = runner.collect(begin(runner, tmp_path, CASES["ask_user"]))
    assert result.text == "Done."


@pytest.mark.parametrize(("method", "state"), [("keep_card", "active"), ("drop_card", "retired")])
async def test_proposed_card_is_settled_from_python(runner, project, tmp_path, method, state):
    note = {"name": "record_note", "args": {"content": "Tests run with pytest -q here."}}
    case = Case(note, "", "")
    events = [event async for event in begin(runner, project, case)]
    [proposed] = [event for event in events if event.type == "card_proposed"]
    thread = events[0].thread_id
    await getattr(runner, method)(thread, proposed.card["id"])
    async with open_library(runner.home, project) as library:
        card = await library.get(proposed.card["id"])
    assert card and card.state == state
    with pytest.raises(UsageError):
        await getattr(runner, method)(thread, "no such card")
