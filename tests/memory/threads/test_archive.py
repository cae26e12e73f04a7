import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import ormsgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, TypeAdapter, ValidationError

from maxagent.config.errors import UsageError
from maxagent.memory.checkpoints.thread_rows import CheckpointRow, WriteRow
from maxagent.memory.threads import archive as thread_file
from maxagent.memory.threads.archive import (
    ArchivedThread,
    Manifest,
    ThreadArchive,
    describe_first_error,
    pack_archive,
    read_archive,
)
from maxagent.memory.threads.transfer_rows import CallRow, TransferRows

ID = "1f0a0000-0000-6000-8000-000000000000"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROWS = TransferRows(
    [CheckpointRow(ID, b"\x80", b"{}")],
    [WriteRow(ID, "t", "~__pregel_pull, build", 0, "messages", b"\x90")],
    [CallRow("c", "edit", None, "2026", None)],
)
THREAD = ArchivedThread(
    thread_id="aaaaaaaa-0000-4000-8000-000000000000",
    title="修复",
    name="",
    folder="/p",
    graph="chat",
    request="Hi",
    status="idle",
    created_at=NOW,
    options={"mode": "auto"},
)
FILE = ThreadArchive(
    Manifest(made_by="maxagent 1", exported_at=NOW, thread=THREAD), ROWS, {"call_1.txt": b"out"}
)


def members(**changed: bytes | None) -> dict[str, bytes]:
    """The members of the file by name, some of them changed or left out."""
    with zipfile.ZipFile(io.BytesIO(pack_archive(FILE))) as archive:
        contents: dict[str, bytes | None] = {
            name: archive.read(name) for name in archive.namelist()
        }
    renamed = {"manifest": "manifest.json", "rows": "rows.msgpack"}
    contents |= {renamed.get(name, name): content for name, content in changed.items()}
    return {name: content for name, content in contents.items() if content is not None}


def manifest(*at: str, value: Any) -> bytes:
    """The manifest with another value at that place."""
    data = json.loads(FILE.manifest.model_dump_json())
    inner = data["thread"] if len(at) > 1 else data
    inner[at[-1]] = value
    return json.dumps(data).encode()


def rows(table: int, field: int, value: Any) -> bytes:
    changed = [[[*row] for row in item] for item in ROWS]
    changed[table][0][field] = value
    return ormsgpack.packb(changed)


def write(path: Path, contents: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "thread.zip"
    path.write_bytes(pack_archive(FILE))
    assert read_archive(path) == FILE
    assert json.loads(members()["manifest.json"])["thread"]["title"] == "修复"


BROKEN: dict[str, dict[str, bytes | None]] = {
    "no manifest": {"manifest": None},
    "no rows": {"rows": None},
    "no JSON": {"manifest": b"{"},
    "another format": {"manifest": manifest("format", value="other")},
    "an id that is a path": {"manifest": manifest("thread", "thread_id", value="../../victim")},
    "a graph of its own": {"manifest": manifest("thread", "graph", value="evil")},
    "a status of its own": {"manifest": manifest("thread", "status", value="root")},
    "no time": {"manifest": manifest("thread", "created_at", value="yesterday")},
    "a time of no zone": {"manifest": manifest("thread", "created_at", value="2026-01-01")},
    "half a character": {"manifest": rb'{"format": "mcode-thread", "version": 1, "a": "\ud800"}'},
    "no msgpack": {"rows": b"\xc1"},
    "objects in rows": {"rows": ormsgpack.packb([ormsgpack.Ext(5, b"\x90")])},
    "a deep heap": {"rows": b"\x91" * 100_000},
    "a length that is not there": {"rows": b"\xdd\xff\xff\xff\xff"},
    "too few tables": {"rows": ormsgpack.packb([[], []])},
    "a checkpoint's id": {"rows": rows(0, 0, "../x")},
    "a checkpoint's data": {"rows": rows(0, 1, 7)},
    "a write's channel": {"rows": rows(1, 4, "__pregel_tasks")},
    "a write's place": {"rows": rows(1, 3, "first")},
    "a long task": {"rows": rows(1, 1, "x" * 201)},
    "a call's result": {"rows": rows(2, 2, 7)},
    "a path out": {"../outputs/x.txt": b""},
    "a path out of outputs": {"outputs/../../x.txt": b""},
    "a folder": {"outputs/": b""},
    "an absolute path": {"/etc/passwd": b""},
    "another kind": {"outputs/x.so": b""},
}


@pytest.mark.parametrize("changed", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_wrong_in_it_is_refused(tmp_path: Path, changed: dict[str, bytes | None]) -> None:
    path = write(tmp_path / "x.zip", members(**changed))
    with pytest.raises(UsageError, match="not a complete MaxAgent thread"):
        read_archive(path)


@pytest.mark.parametrize("version", [0, 3, "1", None, [1]])
def test_another_version_is_reported(tmp_path: Path, version: object) -> None:
    contents = members(manifest=manifest("version", value=version))
    with pytest.raises(UsageError, match="unknown version"):
        read_archive(write(tmp_path / "x.zip", contents))


def test_validator_message_is_reported_unchanged() -> None:
    def refuse(_: str) -> str:
        raise ValueError("it is no name")

    with pytest.raises(ValidationError) as refused:
        TypeAdapter(dict[str, Annotated[str, AfterValidator(refuse)]]).validate_python({"a": ""})
    assert describe_first_error(refused.value) == "a: it is no name"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_stands_in_it_once(tmp_path: Path) -> None:
    path = write(tmp_path / "x.zip", members())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("rows.msgpack", b"")
    with pytest.raises(UsageError, match="equal names"):
        read_archive(path)


def test_no_bomb_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_file, "MAX_BYTES", 1_000_000)
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("outputs/x.txt", bytes(2_000_000))
    assert path.stat().st_size < 5_000
    with pytest.raises(UsageError, match="larger than 1,000,000 bytes"):
        read_archive(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello" * 100])
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(UsageError, match="not a complete MaxAgent thread"):
        read_archive(tmp_path / "x.zip")


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "none.zip", tmp_path):
        with pytest.raises(UsageError, match="cannot read"):
            read_archive(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_damaged_file_is_never_read_as_thread(tmp_path: Path, data: st.DataObject) -> None:
    full_text = bytearray(pack_archive(FILE))
    for at in data.draw(st.lists(st.integers(0, len(full_text) - 1), min_size=1, max_size=4)):
        full_text[at] = data.draw(st.integers(0, 255))
    end = data.draw(st.sampled_from([len(full_text), len(full_text) // 2, len(full_text) - 3]))
    (tmp_path / "x.zip").write_bytes(full_text[:end])
    try:
        assert read_archive(tmp_path / "x.zip").rows == ROWS
    except UsageError as error:
        assert error.hint


def _write_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "members",
    [
        {"readme.md": b"x"},
        {"../up": b"x"},
        {"manifest.json": b"{}", "rows.msgpack": b"", "setup.py": b""},
        {"outputs/../x": b"x"},
        {"manifest.json": b'{"format": "mcode-thread", "version": 99}', "rows.msgpack": b""},
        {"manifest.json": b"{}", "rows.msgpack": b""},
        {},
    ],
)
def test_broken_file_is_described_once(tmp_path: Path, members: dict[str, bytes]) -> None:
    with pytest.raises(UsageError) as caught:
        read_archive(_write_zip(tmp_path / "x.zip", members))
    assert caught.value.message.count("the file ") == 1
    assert str(caught.value.hint) not in caught.value.message
