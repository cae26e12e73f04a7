import pytest
from langchain_core.messages import AIMessage

from maxagent.config.errors import MaxAgentError
from maxagent.nodes.run.message_history import (
    build_role_message,
    build_tool_message,
    find_final_text,
    find_last_answer,
    find_last_seen,
    select_conversation,
)

CODER = {"role": "coder"}
CALL = {"name": "edit", "args": {}, "id": "c1"}
END = {"name": "attempt_completion", "args": {}, "id": "c2"}


def said(text="", calls=(), role="coder"):
    return AIMessage(
        text, id=text or "ai", tool_calls=list(calls), additional_kwargs={"role": role}
    )


def result(call, ok=True):
    return build_tool_message(call["id"], call["name"], "coder", "", ok=ok)


def test_a_role_sees_only_its_own_conversation():
    mine, other = build_role_message("coder", "do it"), build_role_message("tester", "judge it")
    assert select_conversation({"messages": [mine, other]}, "coder") == [mine]


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([], None),
        ([build_role_message("coder", "do it")], None),
        ([said("all done")], "all done"),
        ([said("", [CALL])], None),
        ([said("", [CALL]), result(CALL)], None),
        ([said("", [END]), result(END)], "the result"),
        ([said("", [CALL, END]), result(CALL), result(END)], "the result"),
        ([said("", [CALL, END]), result(CALL, ok=False), result(END)], None),
        ([said("", [END]), result(END), build_role_message("coder", "the tests are red")], None),
        ([said("all done"), said("mine", role="tester")], None),
    ],
    ids=[
        "nothing said",
        "a brief waits",
        "an answer without calls",
        "a call waits",
        "an ordinary call has its result",
        "the completion has its result",
        "a completion beside a call that worked",
        "a completion beside a call that failed",
        "a new brief after the completion",
        "another role spoke last",
    ],
)
def test_role_has_finished_when_final_text_exists(messages, text):
    assert find_final_text({"messages": messages, "completion": "the result"}, "coder") == text


def test_last_answer_is_found_behind_other_messages():
    answer = said("", [CALL])
    assert (
        find_last_answer({"messages": [answer, result(CALL), said("x", role="tester")]}, "coder")
        is answer
    )


def test_role_without_answer_raises_error():
    with pytest.raises(MaxAgentError, match="no answer of `coder`"):
        find_last_answer({"messages": []}, "coder")


def test_last_seen_takes_hash_from_newest_answer():
    output = [{"a": "1", "b": "1"}, {"a": "2"}, {}]
    answers = [
        build_tool_message(str(at), "read_file", "coder", "", ok=True, seen=seen)
        for at, seen in enumerate(output)
    ]
    state = {"messages": [build_role_message("coder", "do it"), *answers]}
    assert find_last_seen(state, ["a", "b", "never"]) == {"a": "2", "b": "1"}
