"""The patch of one file, in either form of a patch."""

from dataclasses import dataclass
from typing import Literal

from .apply_hunk import Hunk


@dataclass(frozen=True)
class FilePatch:
    """One file's part of a patch."""

    line: int
    """Where it begins in the patch, from 1."""
    action: Literal["create", "update", "delete"]
    path: str
    """As written, less the prefixes of a diff."""
    target: str = ""
    """Where an updated file moves to; empty when it stays."""
    hunks: tuple[Hunk, ...] = ()
    """Of an update; none when it only moves or changes its mode."""
    content: str | None = None
    """The text of a created file; of a deleted one the text it must have, None for any."""
    executable: bool | None = None
    """Whether it is to be a program; None leaves that as it is."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every path that it may change."""
        return (self.path, self.target) if self.target else (self.path,)
