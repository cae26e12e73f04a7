"""Sanitizing of imported rows: the conversation is kept, decisions are not.

A checkpoint from elsewhere may claim that a call was allowed, that tests have passed, that the user
has kept the result. None of that was decided here, so all of it is decided again. Data that is not
on the list is dropped; data on it that is invalid is rejected.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, NotRequired, Required, cast

from annotated_types import Ge, Le
from langchain_core.messages import BaseMessage, RemoveMessage
from langgraph.checkpoint.serde.jsonplus import EXT_DELTA_SNAPSHOT
from langgraph.types import Overwrite
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from ...config.errors import UsageError
from ...config.text import text
from ...memory.checkpoints.packed_rows import PackedObject, pack_row, unpack_row
from ...memory.checkpoints.row_data import get_mapping
from ...memory.checkpoints.serializer import ALLOWED, StrictSerializer, find_foreign_type
from ...memory.checkpoints.tables import parse_time
from ...memory.checkpoints.thread_rows import CheckpointRow, WriteRow
from ...memory.threads.archive import describe_first_error
from ...memory.threads.transfer_rows import CallRow, ChildRows, TransferRows
from ...nodes.conversation.cut import Cut
from ...nodes.options import Options
from ...nodes.roles import RoleName
from ...nodes.state import Outcome, Usage
from ...tools.todo_list import Todo
from ..graph_registry import find_job
from .kept_fields import check_marks, filter_options

Count = Annotated[int, Ge(0), Le(1_000_000)]
# The parts of a conversation; our threads have no system messages
_MESSAGES = {
    (module, name)
    for module, name in ALLOWED
    if name == "Overwrite" or (module.startswith("langchain_core") and name != "SystemMessage")
}
_BRANCH = "branch:to:"


@with_config(ConfigDict(extra="ignore"))
class _State(TypedDict, total=False):
    """The part of a state to keep, besides the messages, the folder and a few options."""

    request: str
    role: RoleName
    steps: Count
    turn: Count
    rounds: Count
    todos: list[Todo]
    skills: dict[str, str]
    completion: str
    summary: str
    usage: Usage
    outcome: Outcome | None
    cuts: dict[str, Cut]
    context_message: str


class _Checkpoint(TypedDict):
    """A checkpoint of this LangGraph's format; older ones have calls in other places."""

    v: Literal[4]
    ts: str
    id: str
    channel_values: dict[str, Any]
    channel_versions: dict[str, str]
    versions_seen: dict[str, dict[str, str]]
    updated_channels: NotRequired[list[str] | None]


@with_config(ConfigDict(extra="ignore"))
class _Metadata(TypedDict, total=False):
    source: Required[Literal["input", "loop", "update", "fork"]]
    step: Required[int]
    counters_since_delta_snapshot: dict[str, tuple[Count, Count]]


@with_config(ConfigDict(extra="ignore"))
class _Result(TypedDict):
    """The result of a call, without its changes to the state."""

    output: str
    error: str
    metadata: dict[str, Any]


_STATE, _CHECKPOINT = TypeAdapter(_State), TypeAdapter(_Checkpoint)
_METADATA, _RESULT = TypeAdapter(_Metadata), TypeAdapter(_Result)
_WRITTEN: Mapping[str, TypeAdapter[Any]] = {
    "cuts": TypeAdapter(dict[str, Cut | None]),
    "context_message": TypeAdapter(str),
}
# Channels of which LangGraph stores the whole value now and then
_COPIED = ("request", "cuts", "context_message")


@dataclass(frozen=True)
class SanitizedThread:
    """A thread's rows as imported here, and its status by them."""

    rows: TransferRows
    next: str
    """The next node; empty at an end."""
    outcome: str
    options: Mapping[str, object]
    """Its last options elsewhere."""


@dataclass(frozen=True)
class _DecodedCheckpoint:
    """A decoded checkpoint."""

    row: CheckpointRow
    whole: _Checkpoint

    @property
    def values(self) -> dict[str, Any]:
        return self.whole["channel_values"]

    @property
    def is_under_way(self) -> bool:
        """Whether calls allowed elsewhere wait or run, or an answer must fit a schema.

        Reports of sub-agents that no message has yet are such calls, too.
        """
        waits = any(self.values.get(key) for key in ("__pregel_tasks", "queue"))
        return waits or any(f"{_BRANCH}{name}" in self.values for name in ("fit_schema", "reports"))


@dataclass(frozen=True)
class _Target:
    """Where a conversation is imported to."""

    graph: str
    folder: str
    is_child: bool = False
    """Whether it is the conversation of a sub-agent, which has reported: nothing runs in it."""

    @property
    def roles(self) -> tuple[str, ...]:
        return ("agent",) if self.is_child else find_job(self.graph).roles

    def filter_options(self, values: Mapping[str, Any]) -> Options:
        if self.is_child:
            return {}
        return filter_options(values.get("options"), self.graph, str(values.get("request", "")))


@dataclass(frozen=True)
class _Conversation:
    """The sanitized rows of a conversation, and the last values as they are here."""

    checkpoints: list[CheckpointRow]
    writes: list[WriteRow]
    last: Mapping[str, Any]
    options: Mapping[str, object]
    """Its last options elsewhere."""


def sanitize_import(rows: TransferRows, graph: str, folder: str) -> SanitizedThread:
    """Return an imported thread's rows for use in `folder`; raises UsageError for invalid ones."""
    target = _Target(graph, folder)
    try:
        thread = _sanitize_conversation(rows.checkpoints, rows.writes, target)
        calls = [_sanitize_call(call) for call in rows.calls]
        child_target = replace(target, is_child=True)
        children = tuple(_sanitize_child(child, child_target) for child in rows.children)
    except ValueError as error:
        reason = describe_first_error(error) if isinstance(error, ValidationError) else str(error)
        message = text("the thread contains unexpected data: {why}", why=reason)
        raise UsageError(message, hint=_HINT) from None
    named = [key.removeprefix(_BRANCH) for key in thread.last if key.startswith(_BRANCH)]
    begins = ["__start__"] if "__start__" in thread.last else []
    return SanitizedThread(
        TransferRows(thread.checkpoints, thread.writes, calls, children),
        next=next(iter([*begins, *named]), ""),
        outcome=str(thread.last.get("outcome") or ""),
        options=thread.options,
    )


def _sanitize_conversation(
    checkpoints: Sequence[CheckpointRow], writes: Sequence[WriteRow], target: _Target
) -> _Conversation:
    points = _cut_back([_decode_checkpoint(row) for row in checkpoints])
    if [point.row.id for point in points] != sorted({point.row.id for point in points}):
        raise UsageError("the checkpoints are in no order", hint=_HINT)
    values = [_sanitize_values(point, target) for point in points]
    kept_ids = {point.row.id for point in points[:-1]}
    return _Conversation(
        [_encode_checkpoint(*pair) for pair in zip(points, values, strict=True)],
        list(_filter_writes(writes, kept_ids, target)),
        values[-1] if values else {},
        get_mapping(points[-1].values, "options") if points else {},
    )


def _sanitize_child(rows: ChildRows, target: _Target) -> ChildRows:
    conversation = _sanitize_conversation(rows.checkpoints, rows.writes, target)
    return ChildRows(rows.child, conversation.checkpoints, conversation.writes)


_HINT = "the file is damaged or was edited; get it again"


def _decode_checkpoint(row: CheckpointRow) -> _DecodedCheckpoint:
    whole = _CHECKPOINT.validate_python(unpack_row(row.data))
    if whole["id"] != row.id:
        raise ValueError(
            text(
                "a checkpoint has the two names `{id}` and `{other_id}`",
                id=row.id,
                other_id=whole["id"],
            )
        )
    made, tomorrow = parse_time(row.id), (datetime.now(UTC) + timedelta(days=1)).isoformat()
    if not made or made > tomorrow:  # the next checkpoint must sort after it
        raise ValueError(text("the checkpoint `{id}` is of no time before now", id=row.id))
    return _DecodedCheckpoint(row, whole)


def _cut_back(points: Sequence[_DecodedCheckpoint]) -> Sequence[_DecodedCheckpoint]:
    """Cut to a point with nothing in progress: calls allowed elsewhere are decided again here.

    Finished calls are recorded and do not run again.
    """
    end = len(points)
    while end > 1 and points[end - 1].is_under_way:
        end -= 1
    return points[:end]


def _encode_checkpoint(point: _DecodedCheckpoint, values: dict[str, Any]) -> CheckpointRow:
    whole = {**point.whole, "channel_values": values}
    metadata: dict[str, Any] = {"parents": {}, **_METADATA.validate_json(point.row.metadata)}
    return CheckpointRow(point.row.id, pack_row(whole), json.dumps(metadata).encode())


def _sanitize_values(point: _DecodedCheckpoint, target: _Target) -> dict[str, Any]:
    values = {**point.values}
    for key in _COPIED:
        if isinstance(whole := values.get(key), PackedObject) and whole.code == EXT_DELTA_SNAPSHOT:
            values[key] = unpack_row(whole.payload)
    safe_values: dict[str, Any] = {**_STATE.validate_python(values)}
    if "role" in safe_values:
        _check_role(safe_values["role"], target)
    if safe_values.get("outcome") == "verified":  # by tests that did not run here
        safe_values["outcome"] = "unverified"
    safe_values |= {key: None for key in values if _is_open(key)}
    if point.is_under_way:  # nobody can rewind there; but it must not look like a possible target
        safe_values[f"{_BRANCH}approve"] = None
    if "messages" in values:
        safe_values["messages"] = _check_snapshot(values["messages"], target)
    safe_values |= {"folder": target.folder, "options": target.filter_options(values)}
    if start := values.get("__start__"):
        request = _STATE.validate_python({"request": start.get("request")})
        safe_values["__start__"] = {
            **request,
            "folder": target.folder,
            "options": target.filter_options(start),
        }
    return safe_values


def _is_open(key: str) -> bool:
    """Return whether it leads to a node that makes its own decisions."""
    return key.startswith(_BRANCH) and key not in (f"{_BRANCH}tools", f"{_BRANCH}fit_schema")


def _check_snapshot(value: object, target: _Target) -> PackedObject:
    """Check a full list of messages, as LangGraph stores it now and then."""
    if not isinstance(value, PackedObject) or value.code != EXT_DELTA_SNAPSHOT:
        raise ValueError("the messages have the wrong type")
    _check_messages(value.payload, target)
    return value


def _filter_writes(
    writes: Sequence[WriteRow], checkpoint_ids: set[str], target: _Target
) -> Iterator[WriteRow]:
    """Yield the writes of complete steps, not those of an interrupted one."""
    for write in writes:
        if write.checkpoint not in checkpoint_ids:
            continue
        if write.channel == "messages":
            _check_messages(write.data, target)
        elif _has_objects(unpack_row(write.data)):
            raise ValueError(text("`{channel}` is not plain data", channel=write.channel))
        elif checked := _WRITTEN.get(write.channel):
            checked.validate_python(unpack_row(write.data))
        yield write


def _check_messages(data: bytes, target: _Target) -> None:
    """Raise ValueError for anything but valid messages of the graph's roles."""
    if foreign := find_foreign_type(data, _MESSAGES):
        raise ValueError(text("a message is a `{type}`", type=foreign))
    built = StrictSerializer().loads_typed(("msgpack", data))
    messages = built.value if isinstance(built, Overwrite) else built
    for message in cast("list[object]", messages if isinstance(messages, list) else [messages]):
        if not isinstance(message, BaseMessage):
            raise ValueError("a message has the wrong type")
        type(message).model_validate(message.model_dump())
        if not isinstance(message, RemoveMessage):
            check_marks(message)
            _check_role(message.additional_kwargs.get("role"), target)


def _check_role(role: object, target: _Target) -> None:
    """Raise ValueError for a role without a node in this graph: it could not continue."""
    if role not in target.roles:
        raise ValueError(text("`{role}` does not answer in this thread", role=role))


def _has_objects(value: object) -> bool:
    match value:
        case PackedObject():
            return True
        case list():
            return any(map(_has_objects, cast("list[object]", value)))
        case dict():
            return any(map(_has_objects, cast("dict[object, object]", value).values()))
        case _:
            return False


def _sanitize_call(call: CallRow) -> CallRow:
    """Return a replayable result without its changes to the state."""
    if call.result is None:
        return call
    result = {**_RESULT.validate_json(call.result), "seen": {}, "update": {}}
    return call._replace(result=json.dumps(result))
