"""The limits of a child: turns, dollars and time; at a limit it reports what it has."""

import time

from ..run.context import Context
from ..run.limits import NOTHING_USED, add_usage
from ..state import State
from ..usage import Usage

# Share of the run's remaining time; the rest is for the report and for the parent's answer
TIME_SHARE = 0.8
LAST_ANSWER = (
    "You have reached the limit of {limit}. Do not call tools any more: give your report now, with "
    "what you have found and done so far, and say what is not done."
)


def compute_share(state: State, children: int) -> float:
    """Return the dollars that each of several children may spend; 0: no limit.

    The usage of children whose call is still open is not in the thread's usage yet.
    """
    allowed, spent = state.get("cost_allowed", 0.0), sum_usage(state)["cost"]
    if not allowed or spent is None:
        return 0.0
    return max(round((allowed - spent) / children, 4), 0.0001)  # the model reads it


def sum_usage(state: State) -> Usage:
    """Return the thread's usage, including reports whose call is not complete."""
    total = state.get("usage", NOTHING_USED)
    for report in state.get("reports", {}).values():
        total = add_usage(total, report["usage"]) if report else total
    return total


def compute_deadline(context: Context) -> float:
    """Return the time by which a child that starts now must report; 0: no time limit."""
    if not context.deadline:
        return 0.0
    now = time.monotonic()
    return now + max(0.0, context.deadline - now) * TIME_SHARE


def build_limit_message(state: State, context: Context) -> str:
    """Return the message that asks a child at a limit for its report; empty below the limits."""
    turns, dollars = state.get("steps_allowed", 0), state.get("cost_allowed", 0.0)
    spent = state.get("usage", NOTHING_USED)["cost"]
    if turns and state.get("steps", 0) + 1 >= turns:
        return LAST_ANSWER.format(limit=f"{turns} model turns")
    if dollars and spent is not None and spent >= dollars:
        return LAST_ANSWER.format(limit=f"${dollars:.2f}")
    if context.deadline and time.monotonic() >= context.deadline:
        return LAST_ANSWER.format(limit="its time")
    return ""
