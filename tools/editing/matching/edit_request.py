"""An edit request, and its match in a file."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class EditRequest:
    """A text to find and its replacement, in one reading of what the model sent."""

    old: str
    new: str
    adapted: tuple[str, ...] = ()
    """What was removed to read it so: `escapes`, `line numbers`…"""
    line: int | None = None
    """The only line, from 1, at which it may be found."""
    literal: bool = True
    """Whether it is exactly what the model sent."""
    whole_lines: bool = False
    """Whether the old text begins where a line begins."""

    @property
    def old_lines(self) -> list[str]:
        """The lines to find."""
        return self.old.removesuffix("\n").split("\n")

    @property
    def new_lines(self) -> list[str]:
        """The lines to write; none when whole lines are removed."""
        if not self.new and self.old.endswith("\n"):
            return []
        if not self.old.endswith("\n") and self.old.startswith(f"{self.new}\n"):
            return self.new.split("\n")  # the old text's beginning: an empty last line is one of it
        return self.new.removesuffix("\n").split("\n")


@dataclass(frozen=True)
class LineMatch:
    """Lines `start` to `end` of a file that are meant by the old lines of a request."""

    old: Sequence[str]
    new: Sequence[str]
    start: int
    end: int
    pairs: Sequence[int | None]
    """The file's line for each old line; None for a line that the request invented."""
    loose: bool = False
    """Whether paired lines may differ in more than blanks and typography."""
    shared: Sequence[tuple[int, int]] | None = None
    """Which old line is which new one, where that is known; else they are compared."""
