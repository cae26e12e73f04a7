"""Whether a tool call runs, is asked or is refused: one pure decision and its rules."""

from .decision import Decision, Verdict
from .evaluate import evaluate_call, evaluate_check
from .policy import Policy, build_policy

__all__ = ["Decision", "Policy", "Verdict", "evaluate_call", "evaluate_check", "build_policy"]
