import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from maxagent.nodes.conversation import brief, conversation, final_words
from maxagent.nodes.half_answer import INTERRUPTED, half_answer, told_half
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
    told = told_half(kept, "plan")
    after = state(*merge_messages(kept["messages"], [told]))
    heard = conversation(after, "plan")
    assert [(one.type, one.text) for one in heard] == [
        ("human", "Hello"),
        ("ai", "Half"),
        ("human", INTERRUPTED),
    ]
    assert told_half(after, "build") == []


@pytest.mark.parametrize("after", [WHOLE, HumanMessage("x", id="b")])
def test_what_something_has_followed_is_not_told(after: AnyMessage) -> None:
    assert told_half(state(WORDS, half_answer("build", "Half"), after), "build") == []
    assert told_half(state(), "build") == told_half(state(WORDS, WHOLE), "build") == []
