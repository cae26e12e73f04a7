"""Entries of a thread as a client is sent them."""

from maxagent.nodes.approval.decisions import EDITED
from maxagent.sdk.streams.history import describe_entry
from maxagent.sdk.threads.transcript import TranscriptEntry


def test_an_edited_call_is_shown_as_it_ran() -> None:
    result = f"{EDITED.format(args={'command': 'ls'})}\n\na\n\nb"
    entry = TranscriptEntry("call", "now", args={"command": "rm"}, ok=True, result=result)
    described = describe_entry(entry)
    assert described["args"] == {"command": "ls"}
    assert described["result"] == "a\n\nb"
    assert described["facts"] == {"edited": True}


def test_what_is_empty_is_left_out() -> None:
    entry = TranscriptEntry("answer", "now", text="Hello.")
    assert describe_entry(entry) == {"kind": "answer", "at": "now", "text": "Hello.", "ok": None}
