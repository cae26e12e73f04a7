"""Events about the memory of earlier threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .agent import AgentEvent


@dataclass(frozen=True)
class MemoryShown(AgentEvent):
    """The model is shown cards from earlier threads."""

    type: ClassVar[str] = "memory"
    cards: list[Mapping[str, str]]
    """Each with `id`, `type` and `content`."""


@dataclass(frozen=True)
class CardProposed(AgentEvent):
    """The model has proposed a card; later threads see it once the user has kept it."""

    type: ClassVar[str] = "card_proposed"
    card: Mapping[str, str]
    """Its `id`, `type` and `content`."""
