"""Patterns of retrieval servers: the name of one, in which `*` is any text."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from .subject import Subject


@dataclass(frozen=True)
class ServerPattern:
    """The name of a server."""

    name: str

    def matches_loosely(self, server: Subject) -> bool:
        """Return whether the server matches."""
        return self.matches_strictly(server)

    def matches_strictly(self, server: Subject) -> bool:
        """Return whether the server matches."""
        return fnmatchcase(server.names[0], self.name)
