"""Result of the analysis of a command line."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class AnalyzedCommand:
    """One program with its arguments, anywhere in the line."""

    words: tuple[str, ...]
    """The program's arguments, quotes resolved; a word that is not literal is as written. The first
    is the program; assignments before it are left out."""
    literal: bool = True
    """Whether the program gets every word as written: no expansion, no pattern, no braces."""
    wrapped: bool = False
    """Whether another command (`sudo X`, `bash -c X`, `xargs X`) or a substitution contains it:
    this can deny a line, never allow it."""
    reads: bool = False
    """Whether it certainly only reads in the folder where it runs: no rule need allow it."""
    folder: Path | None = field(default=None, compare=False)
    """The folder where it runs; None if it is known only at run time."""


@dataclass(frozen=True)
class CommandAnalysis:
    """The result for a whole line."""

    verdict: Literal["allow", "ask", "deny"] | None
    """allow: it only reads, so it runs unasked · ask: in every mode · deny: in every mode · None:
    ordinary, so the user's rules and the mode decide."""
    reason: str
    """What was found, and where, for the user."""
    rule: str
    """`read-only`, `catastrophe`, `sensitive`, `protected`, `outside`, `unparsed`, `command`…"""
    commands: tuple[AnalyzedCommand, ...] = ()
    """Every simple command in the line."""
    plain: bool = False
    """Whether the line is nothing but literal commands joined by `&&`, `||`, `;`, `|` or newlines,
    without redirection to a file, assignment or wrapper: only then may a rule of the user allow
    it, and it must allow each command that is not read-only."""
    guesses: tuple[tuple[str, ...], ...] = ()
    """Words of commands that a program of the line may run: in its code, in a variable for its
    pager or editor, in an option such as `--filter`. They never allow a line."""
