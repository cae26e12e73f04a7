"""Entries of a thread as a client is sent them."""

import pytest

from maxagent.nodes.approval.evaluate import EDITED
from maxagent.sdk.streams.history import describe_entry, extract_question
from maxagent.sdk.threads.transcript import TranscriptEntry


def test_an_edited_call_is_shown_as_it_ran() -> None:
    args, facts = {"command": "ls"}, {"edited": {"command": "ls"}}
    result = f"{EDITED.format(args=args)}\n\na\n\nb"
    entry = TranscriptEntry("call", "now", args={"command": "rm"}, result=result, facts=facts)
    described = describe_entry(entry)
    assert described["args"] == {"command": "ls"}
    assert described["result"] == "a\n\nb"
    assert described["facts"] == {"edited": True}


def test_a_result_cannot_claim_other_arguments() -> None:
    result = f"{EDITED.format(args={'command': 'ls'})}\n\na"
    entry = TranscriptEntry("call", "now", args={"command": "rm"}, ok=True, result=result)
    described = describe_entry(entry)
    assert (described["args"], described["result"]) == ({"command": "rm"}, result)


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("It is done. Shall I go on?", "Shall I go on?"),
        ("Done.\n\n**Which one?**\n", "**Which one?**"),
        ("改好了。要继续吗？", "要继续吗？"),
        ("Is it so? It is.", ""),
        ("", ""),
        ("See `a?b`", ""),
        ("Why? 1", ""),
    ],
)
def test_the_question_at_an_answers_end(answer: str, question: str) -> None:
    assert extract_question(answer) == question


def test_what_is_empty_is_left_out() -> None:
    entry = TranscriptEntry("answer", "now", text="Hello.")
    assert describe_entry(entry) == {"kind": "answer", "at": "now", "text": "Hello.", "ok": None}
