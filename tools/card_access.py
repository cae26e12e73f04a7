"""The cards that a call may read and write, and where a new one would come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..memory.cards.card import Scope, Source
    from ..memory.cards.library import CardLibrary


@dataclass(frozen=True)
class CardAccess:
    """What the tools of notes work with."""

    library: "CardLibrary"
    source: "Source"
    """Of a new note; `by` is the user if they asked for it."""
    scopes: "Sequence[Scope]"
    """What the model may read: of a folder that is not trusted only the user's own cards."""
    foreign: bool = False
    """Whether the text repeats a stranger's."""
    can_propose: bool = True
    """Whether the model may note what the user did not ask for."""

    @property
    def can_write(self) -> bool:
        """Whether notes of the project may be written."""
        return "notes" in self.scopes
