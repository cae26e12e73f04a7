"""Sanitizing of imported rows: the conversation is kept, decisions are not.

A checkpoint from elsewhere may claim that a call was allowed, that tests have passed, that the user
has kept the result. None of that was decided here, so all of it is decided again. Data that is not
on the list is dropped; data on it that is invalid is rejected.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from ...memory.checkpoints.checkpoint_id import parse_time
from ...memory.checkpoints.packed_rows import PackedObject, pack_row, unpack_row
from ...memory.checkpoints.row_data import get_mapping
from ...memory.checkpoints.serializer import ALLOWED, StrictSerializer, find_foreign_type
from ...memory.checkpoints.thread_rows import CheckpointRow, WriteRow
from ...memory.threads.archive import describe_first_error
from ...memory.threads.transfer_rows import CallRow, TransferRows
from ...nodes.conversation.cut import Cut
from ...nodes.options import Options
from ...nodes.roles import RoleName
from ...nodes.state import Outcome, Usage
from ...tools.todo_list import Todo
from ..graph_registry import find_job
from .message_metadata import check_marks
from .options_filter import filter_options

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
        """Whether calls allowed elsewhere wait or run, or an answer must fit a schema."""
        waits = any(self.values.get(key) for key in ("__pregel_tasks", "queue"))
        return waits or f"{_BRANCH}fit_schema" in self.values


def sanitize_import(rows: TransferRows, graph: str, folder: str) -> SanitizedThread:
    """Return an imported thread's rows for use in `folder`; raises UsageError for invalid ones."""
    try:
        points = _cut_back([_decode_checkpoint(row) for row in rows.checkpoints])
        if [one.row.id for one in points] != sorted({one.row.id for one in points}):
            raise UsageError("the checkpoints are in no order", hint=_HINT)
        values = [_sanitize_values(point, graph, folder) for point in points]
        checkpoints = [_encode_checkpoint(*pair) for pair in zip(points, values, strict=True)]
        calls = [_sanitize_call(call) for call in rows.calls]
        writes = list(_filter_writes(rows.writes, {one.row.id for one in points[:-1]}, graph))
    except ValueError as error:
        why = describe_first_error(error) if isinstance(error, ValidationError) else str(error)
        message = text("the thread contains unexpected data: {why}", why=why)
        raise UsageError(message, hint=_HINT) from None
    last = values[-1] if values else {}
    named = [key.removeprefix(_BRANCH) for key in last if key.startswith(_BRANCH)]
    begins = ["__start__"] if "__start__" in last else []
    return SanitizedThread(
        TransferRows(checkpoints, writes, calls),
        next=next(iter([*begins, *named]), ""),
        outcome=str(last.get("outcome") or ""),
        options=get_mapping(points[-1].values, "options") if points else {},
    )


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


def _sanitize_values(point: _DecodedCheckpoint, graph: str, folder: str) -> dict[str, Any]:
    given = {**point.values}
    for key in _COPIED:
        if isinstance(whole := given.get(key), PackedObject) and whole.code == EXT_DELTA_SNAPSHOT:
            given[key] = unpack_row(whole.payload)
    kept: dict[str, Any] = {**_STATE.validate_python(given)}
    if "role" in kept:
        _check_role(kept["role"], graph)
    if kept.get("outcome") == "verified":  # by tests that did not run here
        kept["outcome"] = "unverified"
    kept |= {key: None for key in given if _is_open(key)}
    if point.is_under_way:  # nobody can rewind there; but it must not look like a possible target
        kept[f"{_BRANCH}approve"] = None
    if "messages" in given:
        kept["messages"] = _check_snapshot(given["messages"], graph)
    kept |= {"folder": folder, "options": _sanitize_options(given, graph)}
    if start := given.get("__start__"):
        request = _STATE.validate_python({"request": start.get("request")})
        kept["__start__"] = {
            **request,
            "folder": folder,
            "options": _sanitize_options(start, graph),
        }
    return kept


def _sanitize_options(values: Mapping[str, Any], graph: str) -> Options:
    return filter_options(values.get("options"), graph, str(values.get("request", "")))


def _is_open(key: str) -> bool:
    """Return whether it leads to a node that makes its own decisions."""
    return key.startswith(_BRANCH) and key not in (f"{_BRANCH}tools", f"{_BRANCH}fit_schema")


def _check_snapshot(value: object, graph: str) -> PackedObject:
    """Check a full list of messages, as LangGraph stores it now and then."""
    if not isinstance(value, PackedObject) or value.code != EXT_DELTA_SNAPSHOT:
        raise ValueError("the messages have the wrong type")
    _check_messages(value.payload, graph)
    return value


def _filter_writes(writes: Sequence[WriteRow], known: set[str], graph: str) -> Iterator[WriteRow]:
    """Yield the writes of complete steps, not those of an interrupted one."""
    for write in writes:
        if write.checkpoint not in known:
            continue
        if write.channel == "messages":
            _check_messages(write.data, graph)
        elif _has_objects(unpack_row(write.data)):
            raise ValueError(text("`{channel}` is not plain data", channel=write.channel))
        elif checked := _WRITTEN.get(write.channel):
            checked.validate_python(unpack_row(write.data))
        yield write


def _check_messages(data: bytes, graph: str) -> None:
    """Raise ValueError for anything but valid messages of the graph's roles."""
    if foreign := find_foreign_type(data, _MESSAGES):
        raise ValueError(text("a message is a `{type}`", type=foreign))
    built = StrictSerializer().loads_typed(("msgpack", data))
    listed = built.value if isinstance(built, Overwrite) else built
    for message in cast("list[object]", listed if isinstance(listed, list) else [listed]):
        if not isinstance(message, BaseMessage):
            raise ValueError("a message has the wrong type")
        type(message).model_validate(message.model_dump())
        if not isinstance(message, RemoveMessage):
            check_marks(message)
            _check_role(message.additional_kwargs.get("role"), graph)


def _check_role(role: object, graph: str) -> None:
    """Raise ValueError for a role without a node in this graph: it could not continue."""
    if role not in find_job(graph).roles:
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
    told = {**_RESULT.validate_json(call.result), "seen": {}, "update": {}}
    return call._replace(result=json.dumps(told))
