"""Tests that a job has deleted."""

from langgraph.runtime import Runtime

from ...config.text import text
from ...memory.undo.change_chains import compute_net_changes
from ...tools.testing.file_names import is_test_file
from ..agent.context import Context
from ..review import list_job_entries
from ..state import Evidence, State

DELETED = "`{path}` was deleted, and no tests are left"


async def reject_deleted_tests(
    evidence: Evidence, state: State, runtime: Runtime[Context]
) -> Evidence:
    """Return failed evidence if no tests are left since this job has deleted them."""
    if evidence["verdict"] != "unverified" or evidence["passed"]:
        return evidence
    changes = compute_net_changes(await list_job_entries(state, runtime))
    tests = [one.path for one in changes if one.kind == "deleted" and is_test_file(one.path)]
    if not tests:
        return evidence
    return {**evidence, "verdict": "failed", "reason": text(DELETED, path=tests[0])}
