"""The decision on a call, and its reason."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["allow", "ask", "deny"]


@dataclass(frozen=True)
class Decision:
    """What becomes of a call, why, and by which rule."""

    verdict: Verdict
    reason: str
    """For people, and for the model that is refused."""
    rule: str
    """A rule of ours by its name, such as `catastrophe`, `protected`, `read-only` or `mode`; one of
    the user's as `deny run_command(git push:*) (FILE:LINE)`."""
    commands: tuple[str, ...] = ()
    """Those that will run after an edit."""
    always: str = ""
    """For a call that is asked: the narrowest rule that would allow it and its like from now on;
    empty where none should."""
