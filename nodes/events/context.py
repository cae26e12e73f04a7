"""Events about what a model is sent of its conversation, and of the memory of earlier threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from .agent import AgentEvent


@dataclass(frozen=True)
class CompactionStarted(AgentEvent):
    """The conversation no longer fits, or the user asked to compact it."""

    type: ClassVar[Literal["compaction_started"]] = "compaction_started"
    conversation: str
    """`architect`, `coder`, `tester`, `editor` or `chat`; `agent` for that of a sub-agent."""
    reason: Literal["limit", "overflow", "user"]
    """The limit is reached, the provider rejected the request as too long, or the user asked."""
    tokens: int
    """Tokens of the conversation, as sent."""
    limit: int
    """Tokens from which on it is compacted."""


@dataclass(frozen=True)
class CompactionFinished(AgentEvent):
    """From here on the model is sent less of the conversation; the thread keeps all of it."""

    type: ClassVar[Literal["compaction_finished"]] = "compaction_finished"
    conversation: str
    reason: Literal["limit", "overflow", "user"]
    before: int
    """Tokens before."""
    after: int
    """Tokens after; as many as before if there was nothing to leave out."""
    pruned: int
    """Messages that were shortened."""
    by: str
    """The model that wrote the summary; `bridge`: none did, it lists what was done; `prune`: none
    was needed; empty: there was nothing to leave out."""
    summary: str
    """What the model is sent in place of the part left out; empty if it was only shortened."""


@dataclass(frozen=True)
class CacheReset(AgentEvent):
    """The next request begins differently, so the provider's cache does not have it."""

    type: ClassVar[Literal["cache_reset"]] = "cache_reset"
    reason: Literal["compaction", "model", "tools", "loop"]
    """The conversation was compacted, another model is asked, other tools are offered, or the model
    was set back to before a loop."""


@dataclass(frozen=True)
class MemoryShown(AgentEvent):
    """The model is shown cards from earlier threads."""

    type: ClassVar[Literal["memory"]] = "memory"
    cards: list[Mapping[str, str]]
    """Each with `id`, `type` and `content`."""


@dataclass(frozen=True)
class CardProposed(AgentEvent):
    """The model has proposed a card; later threads see it once the user has kept it."""

    type: ClassVar[Literal["card_proposed"]] = "card_proposed"
    card: Mapping[str, str]
    """Its `id`, `type` and `content`."""
