"""A card: one thing worth knowing in later threads, with where it comes from."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast, get_args

from ...config.security.control_characters import HIDDEN_CHARACTER

CardType = Literal["goal", "decision", "constraint", "todo", "code", "fact", "preference"]
CardState = Literal["proposed", "active", "retired"]
Author = Literal["user", "model"]
# dropped: by the user · corrected: by another card · rewound: with the steps that it was learnt in
Reason = Literal["", "dropped", "corrected", "rewound"]
# user: in all projects · project: in this one · notes: what `record_note` keeps for this project
Scope = Literal["user", "project", "notes"]

CARD_TYPES: tuple[CardType, ...] = get_args(CardType)
_STATES: tuple[CardState, ...] = get_args(CardState)
_REASONS: tuple[Reason, ...] = get_args(Reason)
SCOPES: tuple[Scope, ...] = get_args(Scope)
MAX_CHARACTERS = 500
_TIME_LENGTH = len("2030-12-31T23:59:59+00:00")
UNUSED_AFTER = timedelta(days=90)
_CONTROL = re.compile(HIDDEN_CHARACTER)


@dataclass(frozen=True)
class Source:
    """Where a card comes from."""

    thread: str = ""
    message: str = ""
    """ID of the message that it was learnt from."""
    checkpoint: str = ""
    step: int = 0
    """The thread's step; 0: unknown."""
    commit: str = ""
    by: Author = "user"


@dataclass(frozen=True)
class Card:
    """A card or a note; its place in the store is its scope and id."""

    id: str
    content: str
    type: CardType = "fact"
    scope: Scope = "project"
    tags: tuple[str, ...] = ()
    """Words to find it by; the first tag of a note is its category."""
    state: CardState = "active"
    source: Source = field(default_factory=Source)
    created_at: str = ""
    updated_at: str = ""
    used_at: str = ""
    """When it was last shown to a model; empty: never."""
    uses: int = 0
    reason: Reason = ""
    """Why it is retired."""
    replaces: str = ""
    """ID of the card that this one corrects."""
    paths: tuple[str, ...] = ()
    """Files that it is about, relative to the project."""
    expires_at: str = ""

    def is_current(self, now: datetime | None = None) -> bool:
        """Return whether it is active and has not expired."""
        return self.state == "active" and not self.is_expired(now)

    def is_expired(self, now: datetime | None = None) -> bool:
        """Return whether its last day is over."""
        return bool(self.expires_at) and _parse_time(self.expires_at) <= (now or datetime.now(UTC))

    def get_state(self) -> CardState:
        """Return its state; one that has expired counts as retired."""
        return "retired" if self.is_expired() else self.state

    def is_unused(self, now: datetime | None = None) -> bool:
        """Return whether nobody has used or changed it for 90 days."""
        last = max(self.used_at, self.updated_at, self.created_at)
        return bool(last) and (now or datetime.now(UTC)) - _parse_time(last) > UNUSED_AFTER

    def is_waiting(self) -> bool:
        """Return whether the user must decide: it is proposed, or active and long unused."""
        return self.state == "proposed" or (self.is_current() and self.is_unused())

    def to_value(self) -> dict[str, Any]:
        """Return the value for the store: plain JSON, without what its place already says."""
        value = asdict(self)
        del value["id"], value["scope"]
        return {**value, "tags": list(self.tags), "paths": list(self.paths)}


def card_from_value(card_id: str, scope: Scope, value: Mapping[str, Any]) -> Card | None:
    """Read a value of the store, which a person may have edited; None if it is not a card."""
    content = _read_text(value.get("content"))[:MAX_CHARACTERS]
    if not content:
        return None
    kind, state, reason = value.get("type"), value.get("state", "active"), value.get("reason")
    return Card(
        id=card_id,
        content=content,
        type=kind if kind in CARD_TYPES else "fact",
        scope=scope,
        tags=_read_list(value.get("tags")),
        state=state if state in _STATES else "proposed",
        source=_read_source(value.get("source")),
        created_at=_read_time(value.get("created_at")),
        updated_at=_read_time(value.get("updated_at")),
        used_at=_read_time(value.get("used_at")),
        uses=_read_count(value.get("uses")),
        reason=reason if reason in _REASONS else "",
        replaces=_read_text(value.get("replaces")),
        paths=_read_list(value.get("paths")),
        expires_at=_read_time(value.get("expires_at")),
    )


def is_visible(value: Mapping[str, Any], thread: str) -> bool:
    """Return whether a thread may find it: it is active, or the thread's own proposal."""
    if (state := value.get("state", "active")) in ("active", "retired"):
        return state == "active"
    return bool(thread) and _read_source(value.get("source")).thread == thread


def read_searched_text(value: Mapping[str, Any]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return content, tags with type, and paths: a search looks at many, and needs few whole."""
    content = _read_text(value.get("content"))[:MAX_CHARACTERS]
    tags = (*_read_list(value.get("tags")), _read_text(value.get("type")))
    return content, tags, _read_list(value.get("paths"))


def retire_card(card: Card, reason: Reason) -> Card:
    """Return the card as retired now."""
    return replace(card, state="retired", reason=reason, updated_at=format_now())


def format_now() -> str:
    """Return the time now, as cards have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read_source(value: object) -> Source:
    if not isinstance(value, Mapping):
        return Source()
    values = cast(Mapping[str, Any], value)
    return Source(
        thread=_read_text(values.get("thread")),
        message=_read_text(values.get("message")),
        checkpoint=_read_text(values.get("checkpoint")),
        step=_read_count(values.get("step")),
        commit=_read_text(values.get("commit")),
        by="model" if values.get("by") == "model" else "user",
    )


def _read_text(value: object) -> str:
    if not value or not isinstance(value, str):
        return ""
    is_plain = value.isascii() and value.isprintable()  # much faster than the search
    return value.strip() if is_plain else _CONTROL.sub("", value).strip()


def _read_list(value: object) -> tuple[str, ...]:
    items = cast(list[object], value) if isinstance(value, (list, tuple)) else []
    return tuple(text for item in items if (text := _read_text(item)))


def _read_count(value: object) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def _read_time(value: object) -> str:
    """Return a time in UTC with seconds, so that times compare as text; empty if it is none."""
    if not (written := _read_text(value)):
        return ""
    try:
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is UTC and len(written) == _TIME_LENGTH:
            return written
        return _to_utc(moment).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""


def _parse_time(value: str) -> datetime:
    return _to_utc(datetime.fromisoformat(value))


def _to_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
