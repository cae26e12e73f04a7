from dataclasses import replace

import pytest

from maxagent.memory.threads.record import ThreadRow
from maxagent.sdk.events import Completion
from maxagent.sdk.pull_requests.planning import (
    MAX_SUMMARY,
    build_body,
    build_branch,
    build_message,
    build_request_title,
)

SECRET = "ghp_" + "aB3d" * 9
EVIDENCE = {"command": "pytest", "passed": 4, "failed": 0, "errors": 0, "skipped": None}


def build_row(title: str) -> ThreadRow:
    names = {name: "" for name in ThreadRow.__dataclass_fields__}
    return replace(ThreadRow(**names), thread_id="0123456789ab", title=title)


@pytest.mark.parametrize(
    ("title", "branch"),
    [
        ("Repair: the *double*!", "mcode/repair-the-double-01234567"),
        ("修复", "mcode/thread-01234567"),
        ("a" * 60, f"mcode/{'a' * 40}-01234567"),
        (f"{'long ' * 12}", "mcode/long-long-long-long-long-long-long-long-01234567"),
    ],
)
def test_branch_of_a_title(title: str, branch: str) -> None:
    assert build_branch(build_row(title)) == branch


def test_texts_have_evidence_and_no_secret() -> None:
    row = build_row(f"Use {SECRET}")
    completion = Completion("t", "verified", f"It uses {SECRET}.", EVIDENCE, [], "")
    body = build_body(row, completion, [{"path": "a.txt", "kind": "added"}])
    assert "`pytest`: 4 passed, 0 failed, 0 errors." in body
    assert "- `a.txt` (added)" in body
    assert row.thread_id in body
    assert SECRET not in body + build_request_title(row) + build_message("x", completion)


@pytest.mark.parametrize("before", [0, 10, 20, 30, 39])
def test_a_secret_at_the_cut_is_covered(before: int) -> None:
    """A half of one has no shape by which it would be known."""
    summary = "x" * (MAX_SUMMARY - before - 1) + f" {SECRET} end"
    completion = Completion("t", "verified", summary, EVIDENCE, [], "")
    for message in (build_body(build_row("x"), completion, []), build_message("x", completion)):
        assert "aB3d" not in message


def test_texts_control_no_terminal() -> None:
    row = build_row("Say \x1b[31mred\x1b[0m\x07 \u202enow")
    completion = Completion("t", "unverified", "It is \x1b]0;x\x07red.\n\nDone.", {}, [], "")
    assert build_request_title(row) == "Say red now"
    assert build_branch(row) == "mcode/say-red-now-01234567"
    assert build_message("x", completion) == "x\n\nIt is ]0;xred.\n\nDone.\n"
    assert "\x1b" not in build_body(row, completion, [])


def test_unverified_result_is_reported() -> None:
    completion = Completion("t", "unverified", "", EVIDENCE, [], "")
    assert "Not verified by tests." in build_body(build_row("x"), completion, [])
    assert build_message("x", completion) == "x\n"
