import pytest
from langchain_core.messages import AIMessage, AnyMessage

from maxagent.nodes.agent.message_history import answer_to, brief, conversation, final_words
from maxagent.nodes.agent.partial_answer import INTERRUPTED, UNANSWERED, half_answer, told_cut_short
from maxagent.nodes.state import State, merge_messages

WORDS = brief("build", "Hello")
WHOLE = AIMessage("Whole.", id="a", additional_kwargs={"role": "build"})


def state(*messages: AnyMessage) -> State:
    return State(request="", folder="/p", messages=list(messages))


def test_it_is_in_the_thread_and_nobody_hears_it() -> None:
    kept = state(WORDS, half_answer("build", "Half of\0 \udc00it"))
    assert kept["messages"][-1].text == "Half of \ufffdit"
    assert conversation(kept, "build") == [WORDS]
    assert final_words(kept, "build") is None


def test_once_it_is_told_both_modes_hear_it_where_it_was_said() -> None:
    kept = state(WORDS, half_answer("build", "Half"))
    told = told_cut_short(kept, "plan")
    after = state(*merge_messages(kept["messages"], [told]))
    heard = conversation(after, "plan")
    assert [(one.type, one.text) for one in heard] == [
        ("human", "Hello"),
        ("ai", "Half"),
        ("human", INTERRUPTED),
    ]
    assert [one.text for one in told_cut_short(after, "build")] == [UNANSWERED]


HALF = half_answer("build", "Half")
CALL = AIMessage("", id="c", tool_calls=[{"name": "n", "args": {}, "id": "1"}])
CALL.additional_kwargs["role"] = "build"
RESULT = answer_to("1", "n", "build", "r", ok=True)


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([], []),
        ([WORDS, WHOLE], []),
        ([WORDS, HALF, WHOLE], []),  # a whole answer has followed
        ([WORDS, CALL], []),  # the call gets an answer that says so
        ([WORDS], [UNANSWERED]),
        ([WORDS, HALF, WORDS], [UNANSWERED]),
        ([WORDS, CALL, RESULT], [UNANSWERED]),
    ],
)
def test_what_was_cut_short_is_said_and_nothing_of_what_was_not(
    messages: list[AnyMessage], told: list[str]
) -> None:
    given = state(*messages)
    assert [one.text for one in told_cut_short(given, "build")] == told
    assert told_cut_short({**given, "outcome": "answered"}, "build") == []
