"""A server's question in a graph: it waits, and only answers that fit go on."""

from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from maxagent.nodes.mcp.server_questions import AskedQuestion, ask_user
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.input_request import InputAnswer, InputRequest, InputRequired
from maxagent.tools.mcp.tool_adapter import build_tool

TOOL = build_tool("mcp_s_ask", ToolDefinition("s", "ask", ""), from_project=False)
FORM = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
WHO = InputRequest("form", "Who?", FORM)
PAGE = InputRequest("url", "Look.", url="https://x.example/")
ANN = {"type": "respond", "message": "Ann"}
THREAD: Any = {"configurable": {"thread_id": "1"}}


class Answered(TypedDict, total=False):
    answers: list[Any]


async def ask(*asked: InputRequired, answer_with: list[Any]) -> list[Any]:
    """Ask in a graph, one question after another; the answers, and what was interrupted."""
    outcomes: list[Any] = []
    received: list[Any] = []  # kept from one run of the node to the next, as by the journal
    used = 0

    def node(state: Answered) -> Answered:
        nonlocal used
        for required in asked[len(received) :]:
            answers, settled = ask_user(AskedQuestion(required, used), TOOL)
            used = settled.used
            received.append((dict(answers.answers), answers.state, answers.round))
        return {"answers": received}

    builder = StateGraph(Answered)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    graph = builder.compile(InMemorySaver())
    result = await graph.ainvoke({}, THREAD)
    for answer in answer_with:
        outcomes.append([item.value for item in result["__interrupt__"]])
        result = await graph.ainvoke(Command(resume=answer), THREAD)
    return [*outcomes, result.get("answers")]


async def test_an_answer_that_does_not_fit_is_asked_again() -> None:
    required = InputRequired({"who": WHO}, "state of the server")
    wrong = [{"decisions": []}, {"decisions": [{"type": "approve"}]}, 7]
    *asked, answers = await ask(required, answer_with=[*wrong, {"decisions": [ANN]}])
    [question] = asked[0]
    [refused] = asked[1]
    assert "error" not in question and '"respond" | "edit" | "reject"' in refused["error"]
    assert len(asked) == 4 and {**refused, **question} == refused
    assert all(item == asked[1] for item in asked[2:])
    assert question["action_requests"][0]["form"] == FORM
    assert question["review_configs"][0]["allowed_decisions"] == ["respond", "edit", "reject"]
    accepted = InputAnswer("accept", {"name": "Ann"})
    assert answers == [({"who": accepted}, "state of the server", 1)]


async def test_several_requests_need_an_answer_each() -> None:
    required = InputRequired({"who": WHO, "page": PAGE})
    both = {"decisions": [ANN, {"type": "reject"}]}
    *_, answers = await ask(required, answer_with=[{"decisions": [ANN]}, both])
    declined = InputAnswer("decline")
    assert answers == [({"who": InputAnswer("accept", {"name": "Ann"}), "page": declined}, "", 1)]


async def test_a_second_question_is_not_answered_by_the_first_answer() -> None:
    bob = {"decisions": [{"type": "respond", "message": "Bob"}]}
    rounds = [InputRequired({"who": WHO}, "1"), InputRequired({"who": WHO}, "2", 2)]
    *asked, answers = await ask(*rounds, answer_with=[{"decisions": [ANN]}, bob])
    assert len(asked) == 2
    names = [(answer["who"].content["name"], state) for answer, state, _ in answers]
    assert names == [("Ann", "1"), ("Bob", "2")]


@pytest.mark.parametrize(
    ("again", "is_answered"),
    [
        (InputRequired({"who": WHO}, "new"), True),
        (InputRequired({"who": WHO}, "new", 2), False),
        (InputRequired({"who": PAGE}, "new"), False),
    ],
)
def test_a_server_that_forgot_gets_the_same_answers_once(
    again: InputRequired, is_answered: bool
) -> None:
    accepted = {"who": InputAnswer("accept", {"name": "Ann"})}
    asked = AskedQuestion(InputRequired({"who": WHO}, "old"), 1, accepted)
    settled = asked.answer_again(again)
    assert (settled is not None) == is_answered
    if settled:
        answers, later = settled
        assert (answers.answers, answers.state) == (accepted, "new")
        assert later.answer_again(again) is None


def test_a_question_is_read_from_the_journal_as_it_was() -> None:
    asked = AskedQuestion(InputRequired({"who": WHO, "page": PAGE}, "state", 3), used=2)
    assert AskedQuestion.from_json(asked.as_json()) == asked
