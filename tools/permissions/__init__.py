"""Whether a tool call runs, is asked or is refused: one pure decision and its rules."""

from .decision import Decision, Verdict
from .evaluate import decide, decide_check
from .policy import Policy, policy_for

__all__ = ["Decision", "Policy", "Verdict", "decide", "decide_check", "policy_for"]
