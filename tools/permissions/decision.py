"""The decision on a call, and its reason."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["allow", "ask", "deny"]


@dataclass(frozen=True)
class Decision:
    """The verdict on a call, its reason, and the rule that decided."""

    verdict: Verdict
    reason: str
    """For the user, and for the model whose call is denied."""
    rule: str
    """A built-in rule by its name, such as `catastrophe`, `protected`, `read-only` or `mode`; a
    user's rule as `deny run_command(git push:*) (FILE:LINE)`."""
    commands: tuple[str, ...] = ()
    """Commands that will run after an edit."""
    always: str = ""
    """For a call that is asked: the narrowest rule that would allow it and similar calls in future;
    empty if none should."""
    diff: str = ""
    """How what it starts differs from what the user has allowed, if that is why it is asked."""
