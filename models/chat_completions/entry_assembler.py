"""Assembler of streamed thinking entries: `reasoning_details`, `thinking_blocks` (pure).

The provider wants each entry back as it would have sent it whole.
"""

from collections.abc import Mapping, Sequence
from typing import Any

GROWING = ("text", "summary", "thinking")


class EntryAssembler:
    """Assigns every piece to its entry."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def add_deltas(self, pieces: Sequence[Mapping[str, Any]]) -> None:
        """Add the pieces of one delta."""
        for piece in pieces:
            entry = self._find_continued(piece)
            if entry is None:
                if piece not in self.entries:
                    self.entries.append(dict(piece))
                continue
            for name, value in piece.items():
                if name in GROWING and isinstance(value, str):
                    entry[name] = (entry.get(name) or "") + value
                elif value not in (None, ""):
                    entry[name] = value

    def _find_continued(self, piece: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the entry that the piece continues, or None: it starts one.

        Encrypted data comes whole. A signature ends its entry where entries have no number.
        """
        if piece.get("data"):
            return None
        number, kind = piece.get("index"), piece.get("type")
        if number is None:
            alike = [entry for entry in self.entries[-1:] if not _starts_entry(piece, entry)]
        else:
            alike = [entry for entry in self.entries if entry.get("index") == number]
        return next((entry for entry in reversed(alike) if entry.get("type") == kind), None)


def _starts_entry(piece: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return bool(before.get("signature")) and any(piece.get(name) for name in GROWING)
