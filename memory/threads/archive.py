"""A thread as one file: a zip of its metadata, its rows as plain data, and full outputs.

A reader does not trust it: every name, size and type in it is checked.
"""

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

import ormsgpack
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    StringConstraints,
    TypeAdapter,
)
from pydantic import ValidationError as Invalid

from ...config.errors import UsageError
from ...config.text import text
from ..checkpoints.tables import StoryChannel
from ..checkpoints.thread_rows import CheckpointRow, WriteRow
from .record import ThreadStatus
from .thread_id import validate_thread_id
from .transfer_rows import CallRow, TransferRows

VERSION = 1
# Bytes of all that is in it, unpacked
MAX_BYTES = 200_000_000
# Bytes of these for the manifest, which names what is left out
MANIFEST_ROOM = 10_000_000
MAX_OUTPUTS = 10_000
MANIFEST, ROWS, OUTPUTS = "manifest.json", "rows.msgpack", "outputs/"
_HINT = "get the file again, or export the thread with this version of MaxAgent"


class ArchivedThread(BaseModel):
    """Metadata of the thread."""

    model_config = ConfigDict(extra="ignore")

    thread_id: Annotated[str, AfterValidator(validate_thread_id)]
    title: str
    name: str
    folder: str
    graph: Literal["task", "edit", "chat"]
    request: str
    status: ThreadStatus
    created_at: AwareDatetime
    options: dict[str, Any]


class Manifest(BaseModel):
    """The readable part: the file's format, its thread, and what it leaves out."""

    format: Literal["mcode-thread"] = "mcode-thread"
    version: int = VERSION
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


_Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f-]{36}$")]
_Short = Annotated[str, StringConstraints(max_length=200)]
_Checkpoints = list[tuple[_Id, bytes, bytes]]
_Writes = list[tuple[_Id, _Short, _Short, int, StoryChannel, bytes]]
_Calls = list[tuple[_Short, _Short, str | None, _Short, _Short | None]]
# The fields of `TransferRows`, bounded
_ROWS = TypeAdapter(tuple[_Checkpoints, _Writes, _Calls])
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
    return ormsgpack.packb([[[*row] for row in table] for table in rows])


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
    checkpoints, writes, calls = _ROWS.validate_python(ormsgpack.unpackb(data))
    return TransferRows(
        [CheckpointRow(*row) for row in checkpoints],
        [WriteRow(*row) for row in writes],
        [CallRow(*row) for row in calls],
    )


def _parse_manifest(content: bytes) -> Manifest:
    """Parse the manifest; for an unknown version, check nothing but the version."""
    manifest = TypeAdapter(dict[str, Any]).validate_json(content)
    if manifest.get("format") == "mcode-thread" and manifest.get("version") != VERSION:
        raise UsageError(
            text(
                "the file has the unknown version {version}", version=repr(manifest.get("version"))
            ),
            hint=text(
                "this MaxAgent reads version {version}; export the thread again with the "
                "same MaxAgent",
                version=VERSION,
            ),
        )
    return Manifest.model_validate_json(content)


def describe_first_error(error: Invalid) -> str:
    """Return the first error and its place, on one line."""
    first = error.errors()[0]
    what = first["msg"].removeprefix("Value error, ")  # the validator's own message follows
    return text("{place}: {problem}", place=".".join(map(str, first["loc"])), problem=what)


def _build_error(why: str) -> UsageError:
    return UsageError(
        text("the file is not a complete MaxAgent thread: {why}", why=why), hint=_HINT
    )
