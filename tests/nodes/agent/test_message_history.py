import pytest
from langchain_core.messages import AIMessage

from maxagent.config.errors import MaxAgentError
from maxagent.nodes.agent.message_history import (
    answer_to,
    brief,
    conversation,
    final_words,
    last_answer,
    last_seen,
)

CODER = {"role": "coder"}
CALL = {"name": "edit", "args": {}, "id": "c1"}
END = {"name": "attempt_completion", "args": {}, "id": "c2"}


def said(text="", calls=(), role="coder"):
    return AIMessage(
        text, id=text or "ai", tool_calls=list(calls), additional_kwargs={"role": role}
    )


def result(call, ok=True):
    return answer_to(call["id"], call["name"], "coder", "", ok=ok)


def test_a_role_sees_only_its_own_conversation():
    mine, other = brief("coder", "do it"), brief("tester", "judge it")
    assert conversation({"messages": [mine, other]}, "coder") == [mine]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], None),
        ([brief("coder", "do it")], None),
        ([said("all done")], "all done"),
        ([said("", [CALL])], None),
        ([said("", [CALL]), result(CALL)], None),
        ([said("", [END]), result(END)], "the result"),
        ([said("", [CALL, END]), result(CALL), result(END)], "the result"),
        ([said("", [CALL, END]), result(CALL, ok=False), result(END)], None),
        ([said("", [END]), result(END), brief("coder", "the tests are red")], None),
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
def test_a_role_has_finished_when_its_last_words_say_so(messages, words):
    assert final_words({"messages": messages, "completion": "the result"}, "coder") == words


def test_the_last_answer_of_a_role_is_found_behind_other_messages():
    answer = said("", [CALL])
    assert (
        last_answer({"messages": [answer, result(CALL), said("x", role="tester")]}, "coder")
        is answer
    )


def test_a_role_that_never_spoke_has_no_last_answer():
    with pytest.raises(MaxAgentError, match="no answer of `coder`"):
        last_answer({"messages": []}, "coder")


def test_what_a_file_was_when_it_was_seen_is_found_in_the_newest_answer_about_it():
    shown = [{"a": "1", "b": "1"}, {"a": "2"}, {}]
    answers = [
        answer_to(str(at), "read_file", "coder", "", ok=True, seen=seen)
        for at, seen in enumerate(shown)
    ]
    state = {"messages": [brief("coder", "do it"), *answers]}
    assert last_seen(state, ["a", "b", "never"]) == {"a": "2", "b": "1"}
