import pytest
from thread_history import Kept

from maxagent.nodes.outcome import (
    GREEN_NO_VERDICT,
    GREEN_REJECTED,
    MOVED,
    NO_VERDICT,
    REJECTED,
    REPEATED,
)

EVIDENCE = {"verdict": "passed", "reason": "3 passed", "command": "pytest -q"}


@pytest.mark.parametrize(
    "reason", [GREEN_NO_VERDICT, GREEN_REJECTED, NO_VERDICT, REJECTED, REPEATED, MOVED, ""]
)
def test_show_says_why_a_task_ended(kept: Kept, reason: str) -> None:
    kept.index.set_status(
        kept.row.thread_id, "failed", evidence={**EVIDENCE, "outcome_reason": reason}
    )
    shown = " ".join(kept.mcode("threads", "show", kept.row.thread_id).stdout.split())
    assert "evidence: pytest -q: passed, 3 passed" in shown
    assert (f"reason: {reason}" in shown) if reason else "reason:" not in shown
