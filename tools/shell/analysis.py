"""The result of analyzing a command line."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class AnalyzedCommand:
    """One program with its arguments, wherever in the line it stands."""

    words: tuple[str, ...]
    """As the program would get them, quotes resolved; a word that is not literal stands as written.
    The first is the program; assignments before it are not among them."""
    literal: bool = True
    """Whether every word is what the program will get: no expansion, no pattern, no braces."""
    wrapped: bool = False
    """Whether it was found inside another one (`sudo X`, `bash -c X`, `xargs X`) or a substitution:
    good for denying, never for allowing."""
    reads: bool = False
    """Whether it surely only reads, judged in the folder where it runs: no rule need allow it."""
    folder: Path | None = field(default=None, compare=False)
    """Where it runs; None where only a run would tell."""


@dataclass(frozen=True)
class CommandAnalysis:
    """The finding on a whole line."""

    verdict: Literal["allow", "ask", "deny"] | None
    """allow: it only reads, so it runs unasked · ask: in every mode · deny: in every mode · None:
    ordinary, so the user's rules and the mode decide."""
    reason: str
    """For people: what was found, and where."""
    rule: str
    """`read-only`, `catastrophe`, `sensitive`, `protected`, `outside`, `unparsed`, `command`…"""
    commands: tuple[AnalyzedCommand, ...] = ()
    """Every simple command in the line."""
    plain: bool = False
    """Whether the line is nothing but literal commands joined by `&&`, `||`, `;`, `|` or newlines,
    without redirection to a file, assignment or wrapper: only then may a rule of the user allow
    it, and it must allow each command that is not read-only."""
