"""Permissions of tool calls: one pure decision (allow, ask or deny) and its rules."""

from .decision import Decision, Verdict
from .evaluate import evaluate_call, evaluate_check
from .policy import Policy, build_policy

__all__ = ["Decision", "Policy", "Verdict", "evaluate_call", "evaluate_check", "build_policy"]
