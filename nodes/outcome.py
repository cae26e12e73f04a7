"""How a job ends, and why, where its tests do not say that."""

from ..config.text import text
from .repetition.loop_response import is_stopped
from .run.message_history import find_final_text
from .state import FailureCause, Outcome, State
from .verdict import parse_verdict

GREEN_NO_VERDICT = (
    "the tests are green, but the tester gave no verdict; read the change with `mcode diff`, then "
    "keep it, or `mcode undo`"
)
GREEN_REJECTED = (
    "the tests are green, but the tester rejected the change; `mcode threads show` has its reasons"
)
NO_VERDICT = (
    "no test proves the change, and the tester gave no verdict; read it with `mcode diff`, then "
    "keep it, or `mcode undo`"
)
REJECTED = "the tester rejected the change; `mcode threads show` has its reasons"
REPEATED = "the model kept repeating itself, so it was stopped"
MOVED = "files changed after the tests ran"


def evaluate_outcome(state: State) -> Outcome:
    """Return the outcome: `verified` only with passing tests that the tester accepted."""
    if is_stopped(state):
        return "failed"
    evidence = state.get("evidence")
    if state.get("options", {}).get("skip_tests") or evidence is None:
        return "unverified"
    if evidence["verdict"] == "failed" or not state.get("accepted"):
        return "failed"
    return "verified" if evidence["verdict"] == "passed" else "unverified"


def find_failure_cause(state: State) -> FailureCause:
    """Return why a job with the outcome `failed` has failed."""
    evidence = state.get("evidence")
    if is_stopped(state):
        return "repeated"
    if evidence is None or evidence["verdict"] == "failed":
        return "tests"
    verdict = parse_verdict(find_final_text(state, "tester") or "")
    return "rejected" if verdict == "rejected" else "no_verdict"


def explain_outcome(state: State, outcome: str) -> str:
    """Return why a job ended so, as a message; empty where the evidence says it all."""
    evidence = state.get("evidence")
    is_green = evidence is not None and evidence["verdict"] == "passed"
    if outcome == "unverified" and is_green:
        return text(MOVED)
    if outcome != "failed":
        return ""
    match find_failure_cause(state):
        case "repeated":
            return text(REPEATED)
        case "rejected":
            return text(GREEN_REJECTED if is_green else REJECTED)
        case "no_verdict":
            return text(GREEN_NO_VERDICT if is_green else NO_VERDICT)
        case "tests":
            return ""
