"""Tests that a job has deleted."""

from langgraph.runtime import Runtime

from ...config.text import text
from ...memory.undo.change_chains import compute_net_changes
from ...tools.testing.file_names import is_test_file
from ..review import list_job_entries
from ..run.context import Context
from ..state import Evidence, State

DELETED = "`{path}` was deleted, and no tests are left"


async def reject_deleted_tests(
    evidence: Evidence, state: State, runtime: Runtime[Context]
) -> Evidence:
    """Return failed evidence if this job has deleted all tests."""
    if evidence["verdict"] != "unverified" or evidence["passed"]:
        return evidence
    changes = compute_net_changes(await list_job_entries(state, runtime))
    tests = [
        change.path for change in changes if change.kind == "deleted" and is_test_file(change.path)
    ]
    if not tests:
        return evidence
    return {**evidence, "verdict": "failed", "reason": text(DELETED, path=tests[0])}
