"""Events of the model that is asked: what it says, and what it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from .agent import AgentEvent


@dataclass(frozen=True)
class RoleStarted:
    """Another role takes over."""

    type: ClassVar[Literal["role"]] = "role"
    role: str


@dataclass(frozen=True)
class Thinking(AgentEvent):
    """A piece of the model's reasoning."""

    type: ClassVar[Literal["thinking"]] = "thinking"
    text: str


@dataclass(frozen=True)
class Output(AgentEvent):
    """A piece of the model's answer."""

    type: ClassVar[Literal["output"]] = "output"
    text: str


@dataclass(frozen=True)
class Retrying(AgentEvent):
    """The request failed and is repeated: discard the pieces of this answer so far."""

    type: ClassVar[Literal["retry"]] = "retry"
    reason: str
    seconds: float
    attempt: int


@dataclass(frozen=True)
class ModelChanged(AgentEvent):
    """A model failed and another one is asked: forget the pieces of this answer so far."""

    type: ClassVar[Literal["model_changed"]] = "model_changed"
    from_: str
    """The model that could not answer, as `PROVIDER/MODEL`; in JSON the field's name is `from`."""
    to: str
    """The model that answers from here on, until the next message of the user."""
    reason: str
    price_before: Mapping[str, float] | None = None
    """`input`, `output` and `cached`: US dollars per million tokens; None: unknown."""
    price_after: Mapping[str, float] | None = None


@dataclass(frozen=True)
class TokenUsage(AgentEvent):
    """Totals of the thread after one more request."""

    type: ClassVar[Literal["token_usage"]] = "token_usage"
    requests: int
    input: int
    output: int
    cached: int
    """Input tokens that the provider's cache answered."""
    cost: float | None
    """US dollars; None if a price is unknown."""
    window: int
    """Tokens of the last request."""
    context_length: int
    """Tokens that the model can read."""
    request: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`input`, `output`, `cached`, `cost` and `seconds` of this request alone."""
    seconds: float = 0.0
    """Time of all answered requests."""
