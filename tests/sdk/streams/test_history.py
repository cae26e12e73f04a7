"""Entries of a thread as a client is sent them."""

import pytest

from maxagent.nodes.approval.evaluate import EDITED
from maxagent.sdk.streams.history import describe_entry, extract_question, summarize_turn
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


def build_call(command: str, code: int) -> TranscriptEntry:
    args, facts = {"command": command}, {"exit_code": code}
    return TranscriptEntry("call", "now", args=args, tool="run_command", ok=not code, facts=facts)


def build_edit(path: str = "a.py", ok: bool = True) -> TranscriptEntry:
    facts = {"diff": f"--- a/{path}\n+++ b/{path}\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"}
    return TranscriptEntry(
        "call", "now", args={"file_path": path}, tool="edit", ok=ok, facts=facts if ok else {}
    )


@pytest.mark.parametrize(
    ("turn", "status", "summary"),
    [
        ([], "idle", {}),
        ([build_edit()], "idle", {"added": 2, "removed": 1}),
        (
            [build_edit(), build_call("pytest -q", 0)],
            "idle",
            {"tests": "passed", "added": 2, "removed": 1},
        ),
        ([build_call("pytest", 0), build_edit()], "idle", {"added": 2, "removed": 1}),
        (
            [build_call("pytest", 1)],
            "idle",
            {"failed": 1, "is_failed": True, "tests": "failed"},
        ),
        ([build_call("make", 1)], "idle", {"failed": 1, "is_failed": True}),
        ([build_call("make", 1)], "waiting", {"failed": 1}),
        ([build_call("make", 1), build_call("ls", 0)], "idle", {"failed": 1}),
        ([build_call("make", 1), build_call("make", 0)], "idle", {}),
        ([build_edit(ok=False)], "idle", {"failed": 1}),
        ([build_call("pytest | cat", 0)], "idle", {}),
    ],
)
def test_a_list_says_how_a_turn_went(
    turn: list[TranscriptEntry], status: str, summary: dict[str, object]
) -> None:
    assert summarize_turn(turn, status) == summary


def test_what_is_empty_is_left_out() -> None:
    entry = TranscriptEntry("answer", "now", text="Hello.")
    assert describe_entry(entry) == {"kind": "answer", "at": "now", "text": "Hello.", "ok": None}
