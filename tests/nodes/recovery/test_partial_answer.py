import pytest
from langchain_core.messages import AIMessage, AnyMessage

from maxagent.nodes.recovery.partial_answer import (
    INTERRUPTED,
    UNANSWERED,
    build_interruption_notes,
    build_partial_answer,
)
from maxagent.nodes.run.message_history import (
    build_role_message,
    build_tool_message,
    find_final_text,
    select_conversation,
)
from maxagent.nodes.state import State, merge_messages

WORDS = build_role_message("build", "Hello")
WHOLE = AIMessage("Whole.", id="a", additional_kwargs={"role": "build"})


def state(*messages: AnyMessage) -> State:
    return State(request="", folder="/p", messages=list(messages))


def test_partial_answer_is_stored_but_hidden_from_model() -> None:
    retained = state(WORDS, build_partial_answer("build", "Half of\0 \udc00it"))
    assert retained["messages"][-1].text == "Half of \ufffdit"
    assert select_conversation(retained, "build") == [WORDS]
    assert find_final_text(retained, "build") is None


def test_reported_partial_answer_is_visible_in_both_modes() -> None:
    retained = state(WORDS, build_partial_answer("build", "Half"))
    interruption_notes = build_interruption_notes(retained, "plan")
    after = state(*merge_messages(retained["messages"], [interruption_notes]))
    events = select_conversation(after, "plan")
    assert [(item.type, item.text) for item in events] == [
        ("human", "Hello"),
        ("ai", "Half"),
        ("human", INTERRUPTED),
    ]
    assert [
        interruption_note.text for interruption_note in build_interruption_notes(after, "build")
    ] == [UNANSWERED]


HALF = build_partial_answer("build", "Half")
CALL = AIMessage("", id="c", tool_calls=[{"name": "n", "args": {}, "id": "1"}])
CALL.additional_kwargs["role"] = "build"
RESULT = build_tool_message("1", "n", "build", "r", ok=True)


@pytest.mark.parametrize(
    ("messages", "names"),
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
def test_only_interrupted_turns_are_reported(messages: list[AnyMessage], names: list[str]) -> None:
    value = state(*messages)
    assert [
        interruption_note.text for interruption_note in build_interruption_notes(value, "build")
    ] == names
    assert build_interruption_notes({**value, "outcome": "answered"}, "build") == []
