"""A file as a snapshot knows it, and one path that differs between two snapshots."""

from dataclasses import dataclass
from typing import Literal

FILE, PROGRAM, LINK = "100644", "100755", "120000"


@dataclass(frozen=True)
class Version:
    """A file as git names it: mode and id of the content."""

    mode: str
    blob: str


ABSENT = Version("000000", "0" * 40)
UNKNOWN = Version("", "")
"""Neither a file nor a link, or not readable: equal to nothing in any snapshot."""


@dataclass(frozen=True)
class Change:
    """One path that differs between two snapshots."""

    path: str
    old: Version
    new: Version

    @property
    def kind(self) -> Literal["added", "modified", "deleted"]:
        """What happened to the file."""
        if self.old == ABSENT:
            return "added"
        return "deleted" if self.new == ABSENT else "modified"
