from typing import Any

import pytest
from langgraph.types import Interrupt, StateSnapshot
from repair_project import DONE, READ, REPAIR, calls, last_of

from maxagent import trust
from maxagent.sdk.events import list_questions
from maxagent.sdk.outcome import find_question, find_questions, read_status

CALL = {"name": "run_command", "args": {"command": "ls"}, "description": "it is not known"}
ASKS: dict[str, Any] = {
    "action_requests": [CALL],
    "review_configs": [{"action_name": "run_command", "allowed_decisions": ["approve"]}],
}


def snapshot(*asked: dict[str, Any]) -> StateSnapshot:
    interrupts = tuple(
        Interrupt(value=value, id=f"{number:032x}") for number, value in enumerate(asked, 1)
    )
    return StateSnapshot({}, ("tools",), {}, None, None, None, (), interrupts)


def limit(until: str = "") -> dict[str, Any]:
    return {"type": "limit", "description": "the limit is reached", "until": until}


def test_thread_that_waits_for_nothing_has_no_question() -> None:
    assert find_questions("t", snapshot()) == []
    assert find_question("t", snapshot()) is None


def test_questions_of_children_keep_their_order() -> None:
    asked = [{**ASKS, "agent": f"explore-{number}"} for number in (1, 2, 3)]
    questions = find_questions("t", snapshot(*asked))
    assert [question.agent for question in questions] == ["explore-1", "explore-2", "explore-3"]
    assert [(question.position, question.count) for question in questions] == [
        (1, 3),
        (2, 3),
        (3, 3),
    ]


def test_first_question_names_all_others() -> None:
    state = snapshot({**ASKS, "agent": "shell-1"}, ASKS, limit())
    first = find_question("t", state)
    assert first is not None and first.agent == "shell-1"
    bare = [(one.id, one.agent, one.kind, one.position) for one in list_questions(first)]
    every = find_questions("t", state)
    assert bare == [(one.id, one.agent, one.kind, one.position) for one in every]
    assert first.others[0]["action_requests"] == [CALL]


@pytest.mark.parametrize(
    ("asked", "order", "status"),
    [
        ([ASKS], [1], "waiting"),
        ([limit(), ASKS], [2, 1], "waiting"),
        ([limit("2026-01-01T00:00:00+00:00"), limit("2026-01-02T00:00:00+00:00")], [2, 1], "limit"),
        ([limit()], [1], "limit"),
    ],
)
def test_limits_come_last(asked: list[dict[str, Any]], order: list[int], status: str) -> None:
    questions = find_questions("t", snapshot(*asked))
    assert [int(question.id) for question in questions] == order
    assert read_status(snapshot(*asked)) == status


LOOKS = {"tool_calls": [READ]}


@pytest.mark.parametrize(
    ("tester", "words"),
    [
        ([{"text": "Nice work."}] * 3, "gave no verdict"),
        ([{"text": "?"}, {"text": "I could not decide."}, {"text": "Hm."}], "gave no verdict"),
        ([{"text": "接受"}] * 3, "gave no verdict"),
        ([LOOKS, {"text": "Let me look."}, {"text": "Done."}, {"text": "-"}], "gave no verdict"),
        ([{"text": '{"verdict": true}'}] * 3, "gave no verdict"),
        ([{"text": "REJECTED: no docs"}], "rejected the change"),
        ([{"text": "Hm."}, {"text": "Rejected. It is too short."}], "rejected the change"),
        ([LOOKS, {"text": "I read it.\n\nREJECTED"}], "rejected the change"),
    ],
)
async def test_failed_task_with_green_tests_says_why(runner, project, play, tester, words):
    (project / ".llc.yaml").write_text("task: {repair_rounds: 0, test_command: 'true'}\n")
    trust(project, runner.home)
    options = play(calls([READ], [REPAIR], [DONE]), tester=tester)
    end = await last_of(runner.task("repair double", folder=project, options=options))
    assert (end.outcome, end.evidence["verdict"]) == ("failed", "passed")
    assert end.reason.startswith("the tests are green, but the tester") and words in end.reason
    stored = runner.threads.get(end.thread_id).evidence or {}
    assert stored["outcome_reason"] == end.reason
