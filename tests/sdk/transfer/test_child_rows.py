import json
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sent_children import run_thread

from maxagent.config.errors import UsageError
from maxagent.memory.threads.archive import pack_archive, read_archive
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.memory.threads.transfer_rows import ChildRows
from maxagent.sdk.threads.children import find_child, list_children
from maxagent.sdk.threads.transcript import read_child_transcript
from maxagent.sdk.transfer.exporter import export_thread
from maxagent.sdk.transfer.importer import import_thread

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"
SECRET = "sk-abcdefgh1234567890ijklmnop"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    home = tmp_path / "there"
    ThreadIndex(home).record_thread(
        thread_id=THREAD, title="look", folder="/p", graph="chat", request="look", options={}
    )
    return home


async def export(home: Path, *, answers: int = 2) -> Path:
    await run_thread(home, THREAD, answers=answers)
    file = home / "thread.zip"
    file.write_bytes(export_thread(ThreadIndex(home).get(THREAD), home).content)
    return file


async def take(file: Path, tmp_path: Path) -> tuple[ThreadRow, Path]:
    home, folder = tmp_path / "here", tmp_path / "project"
    folder.mkdir()
    return (await import_thread(file, folder, home)).row, home


async def test_children_come_along(there: Path, tmp_path: Path) -> None:
    row, home = await take(await export(there), tmp_path)
    before = list_children(ThreadIndex(there).get(THREAD), there)
    assert list_children(row, home) == before
    explore = find_child(row, home, "explore-1")
    entries = read_child_transcript(row, home, explore)
    assert [entry.text or entry.tool for entry in entries] == [
        "explore it",
        "explore reads",
        "read_file",
        "explore has seen it",
    ]
    index, again = ThreadIndex(home), SubRuns(home / "data" / "threads.db")
    names = again.begin(
        THREAD, "c2", 0, namespace="subagent:x", agent="explore", title="look again"
    )
    assert (names.sub_id, index.get(THREAD).status) == ("explore-2", "idle")


async def test_children_of_open_calls_stay(there: Path, tmp_path: Path) -> None:
    file = await export(there, answers=1)
    assert read_archive(file).rows.children == ()
    row, home = await take(file, tmp_path)
    assert list_children(row, home) == []


async def test_secrets_of_children_stay(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sent_children.REPORT", f"seen {SECRET}")
    file = await export(there)
    with zipfile.ZipFile(file) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert SECRET.encode() not in content and b"shell" in content


async def test_thread_without_children_has_the_old_format(there: Path, tmp_path: Path) -> None:
    [with_children, without] = [await export(there), tmp_path / "old.zip"]
    file = read_archive(with_children)
    assert file.manifest.version == 2
    manifest = file.manifest.model_copy(update={"version": 1})
    rows = file.rows._replace(children=())
    without.write_bytes(pack_archive(replace(file, manifest=manifest, rows=rows)))
    with zipfile.ZipFile(BytesIO(without.read_bytes())) as archive:
        assert json.loads(archive.read("manifest.json"))["version"] == 1
    assert read_archive(without).rows == rows


@pytest.mark.parametrize(
    "change",
    [
        {"namespace": "tools:0"},
        {"sub_id": "explore"},
        {"sub_id": "shell-1"},
        {"status": "running"},
        {"requests": -1},
        {"title": "x" * 2000},
    ],
)
async def test_forged_child_is_refused(there: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    file = read_archive(await export(there))
    child, *others = file.rows.children
    forged = ChildRows(replace(child.child, **change), child.checkpoints, child.writes)
    rows = file.rows._replace(children=(forged, *others))
    path = tmp_path / "forged.zip"
    path.write_bytes(pack_archive(replace(file, rows=rows)))
    with pytest.raises(UsageError):
        await take(path, tmp_path)


async def test_child_never_brings_anothers_words(there: Path, tmp_path: Path) -> None:
    """Messages of a role of the thread would be read as its own."""
    file = read_archive(await export(there))
    child, *others = file.rows.children
    rows = file.rows._replace(
        children=(child._replace(checkpoints=file.rows.checkpoints, writes=file.rows.writes),)
    )
    path = tmp_path / "forged.zip"
    path.write_bytes(pack_archive(replace(file, rows=rows)))
    with pytest.raises(UsageError, match="does not answer"):
        await take(path, tmp_path)
