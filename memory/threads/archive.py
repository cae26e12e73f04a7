"""A thread as one file: a zip of its metadata, its rows as plain data, and full outputs.

A reader does not trust it: every name, size and type in it is checked.
"""

import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import ormsgpack
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    model_validator,
)
from pydantic import ValidationError as Invalid

from ...config.errors import UsageError
from ...config.text import text
from ..checkpoints.tables import StoryChannel
from ..checkpoints.thread_rows import CheckpointRow, WriteRow
from .record import ThreadStatus
from .sub_runs import SubRun
from .thread_id import is_thread_id
from .transfer_rows import CallRow, ChildRows, TransferRows

VERSION = 2
# Before sub-agents. A thread without any is still written so, and an older MaxAgent reads it
VERSION_WITHOUT_CHILDREN = 1
# Bytes of all that is in it, unpacked
MAX_BYTES = 200_000_000
# Bytes of these for the manifest, which names what is left out
MANIFEST_ROOM = 10_000_000
MAX_OUTPUTS = 10_000
MANIFEST, ROWS, OUTPUTS = "manifest.json", "rows.msgpack", "outputs/"
_HINT = "get the file again, or export the thread with this version of MaxAgent"


_Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f-]{36}$")]
_Short = Annotated[str, StringConstraints(max_length=200)]


def _check_thread_id(thread_id: str) -> str:
    if not is_thread_id(thread_id):
        raise ValueError(text("`{thread_id}` is not a thread ID", thread_id=thread_id))
    return thread_id


class ArchivedThread(BaseModel):
    """Metadata of the thread."""

    model_config = ConfigDict(extra="ignore")

    thread_id: Annotated[str, AfterValidator(_check_thread_id)]
    title: str
    name: str
    folder: str
    graph: Literal["task", "edit", "chat"]
    request: str
    status: ThreadStatus
    created_at: AwareDatetime
    options: dict[str, Any]


class ArchivedChild(BaseModel):
    """A sub-agent that has reported to the thread."""

    model_config = ConfigDict(extra="ignore")

    sub_id: _Short
    call_id: _Short
    position: Annotated[int, Field(ge=0, lt=1000)]
    namespace: Annotated[str, StringConstraints(pattern=r"^subagent:[0-9a-f-]{36}$")]
    agent: _Short
    title: Annotated[str, StringConstraints(max_length=1_000)]
    status: Literal["done", "partial", "failed", "killed"]
    started_at: AwareDatetime
    ended_at: AwareDatetime | None
    requests: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0)]
    cost: float | None
    report: Annotated[str, StringConstraints(max_length=20_000)]

    @model_validator(mode="after")
    def _check_number(self) -> Self:
        if not re.fullmatch(rf"{re.escape(self.agent)}-[0-9]{{1,9}}", self.sub_id):
            raise ValueError(text("`{id}` is not the ID of a sub-agent", id=self.sub_id))
        return self


class Manifest(BaseModel):
    """The readable part: the file's format, its thread, and what it leaves out."""

    format: Literal["mcode-thread"] = "mcode-thread"
    version: int = VERSION_WITHOUT_CHILDREN
    made_by: str
    exported_at: AwareDatetime
    thread: ArchivedThread
    left_out: list[str] = []


@dataclass(frozen=True)
class ThreadArchive:
    """The content of an archive."""

    manifest: Manifest
    rows: TransferRows
    outputs: Mapping[str, bytes]
    """Whole outputs of commands, by the name of their file."""


_Checkpoints = list[tuple[_Id, bytes, bytes]]
_Writes = list[tuple[_Id, _Short, _Short, int, StoryChannel, bytes]]
_Calls = list[tuple[_Short, _Short, str | None, _Short, _Short | None]]
_Children = list[tuple[ArchivedChild, _Checkpoints, _Writes]]
# The fields of `TransferRows`, bounded
_ROWS = TypeAdapter(
    tuple[_Checkpoints, _Writes, _Calls] | tuple[_Checkpoints, _Writes, _Calls, _Children]
)
OUTPUT_NAME = re.compile(r"[\w-]{1,100}\.(txt|html)")


def get_output_room(rows: TransferRows) -> int:
    """Return the bytes of outputs that an import of these rows accepts; UsageError for none."""
    room = MAX_BYTES - MANIFEST_ROOM - len(_pack_rows(rows))
    if room < 0:
        raise UsageError(
            text(
                "the conversation is larger than {limit} bytes, the limit for an import",
                limit=f"{MAX_BYTES:,}",
            ),
            hint="show it with `mcode threads show`",
        )
    return room


def _pack_rows(rows: TransferRows) -> bytes:
    tables = [_pack_table(table) for table in (rows.checkpoints, rows.writes, rows.calls)]
    children = [
        [asdict(child), _pack_table(checkpoints), _pack_table(writes)]
        for child, checkpoints, writes in rows.children
    ]
    return ormsgpack.packb([*tables, *([children] if children else [])])


def _pack_table(table: Sequence[Sequence[object]]) -> list[list[object]]:
    return [[*row] for row in table]


def choose_version(rows: TransferRows) -> int:
    """Return the version of the format that these rows need."""
    return VERSION if rows.children else VERSION_WITHOUT_CHILDREN


def pack_archive(file: ThreadArchive) -> bytes:
    """Return the file's bytes."""
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, file.manifest.model_dump_json(indent=2))
        archive.writestr(ROWS, _pack_rows(file.rows))
        for name, content in file.outputs.items():
            archive.writestr(OUTPUTS + name, content)
    return held.getvalue()


def read_archive(path: Path) -> ThreadArchive:
    """Read an archive; raises UsageError if it is incomplete or invalid."""
    try:
        with zipfile.ZipFile(path) as archive:
            contents = _read_members(archive)
        return ThreadArchive(
            manifest=_parse_manifest(contents.pop(MANIFEST)),
            rows=_parse_rows(contents.pop(ROWS)),
            outputs={name.removeprefix(OUTPUTS): data for name, data in contents.items()},
        )
    except UsageError:  # ours, which is a RuntimeError, too
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise _build_error(str(error)) from None
    except KeyError as error:
        raise _build_error(text("it has no {error}", error=error)) from None
    except Invalid as error:
        raise _build_error(describe_first_error(error)) from None
    except ValueError as error:
        raise _build_error(str(error)) from None
    except OSError as error:
        raise UsageError(
            text("cannot read `{path}`: {reason}", path=path, reason=error.strerror),
            hint="check its name",
        ) from None


def _read_members(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """Read all members of the zip by name; sizes in its headers are not trusted."""
    names, left = archive.namelist(), MAX_BYTES
    strange = [name for name in names if name not in (MANIFEST, ROWS) and not _is_output(name)]
    if strange or len(set(names)) < len(names) or len(names) > MAX_OUTPUTS + 2:
        raise _build_error(
            text("unknown argument `{name}`", name=strange[0])
            if strange
            else "it has too many or equal names"
        )
    contents: dict[str, bytes] = {}
    for name in names:
        with archive.open(name) as member:
            contents[name] = member.read(left + 1)
        left -= len(contents[name])
        if left < 0:
            raise _build_error(text("it is larger than {limit} bytes", limit=f"{MAX_BYTES:,}"))
    return contents


def _is_output(name: str) -> bool:
    return name.startswith(OUTPUTS) and bool(OUTPUT_NAME.fullmatch(name.removeprefix(OUTPUTS)))


def _parse_rows(data: bytes) -> TransferRows:
    checkpoints, writes, calls, *more = _ROWS.validate_python(ormsgpack.unpackb(data))
    children = more[0] if more else []
    return TransferRows(
        [CheckpointRow(*row) for row in checkpoints],
        [WriteRow(*row) for row in writes],
        [CallRow(*row) for row in calls],
        tuple(
            ChildRows(
                _build_child(child),
                [CheckpointRow(*row) for row in its_checkpoints],
                [WriteRow(*row) for row in its_writes],
            )
            for child, its_checkpoints, its_writes in children
        ),
    )


def _build_child(child: ArchivedChild) -> SubRun:
    """Return it without its thread, which has an ID of its own here."""
    fields: dict[str, Any] = child.model_dump()
    for name in ("started_at", "ended_at"):
        fields[name] = fields[name] and _format_time(fields[name])
    return SubRun(thread_id="", **fields)


def _format_time(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds")


def _parse_manifest(content: bytes) -> Manifest:
    """Parse the manifest; for an unknown version, check nothing but the version."""
    manifest = TypeAdapter(dict[str, Any]).validate_json(content)
    supported_versions = (VERSION, VERSION_WITHOUT_CHILDREN)
    if (
        manifest.get("format") == "mcode-thread"
        and manifest.get("version") not in supported_versions
    ):
        raise UsageError(
            text(
                "the file has the unknown version {version}", version=repr(manifest.get("version"))
            ),
            hint=text(
                "this MaxAgent reads versions up to {version}; "
                "export the thread again with this version",
                version=VERSION,
            ),
        )
    return Manifest.model_validate_json(content)


def describe_first_error(error: Invalid) -> str:
    """Return the first error and its place, on one line."""
    first = error.errors()[0]
    problem = first["msg"].removeprefix("Value error, ")  # the validator's own message follows
    return text("{place}: {problem}", place=".".join(map(str, first["loc"])), problem=problem)


def _build_error(why: str) -> UsageError:
    return UsageError(
        text("the file is not a complete MaxAgent thread: {why}", why=why), hint=_HINT
    )
