"""Several files are written together: all, or the disk is as it was, byte for byte."""

import os
import stat
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from small_disk import small_disk

from maxagent.tools.cancellable_thread import CallCancelled, run_in_worker
from maxagent.tools.filesystem.commit import PreparedChange, prepare_change, prepare_removal
from maxagent.tools.filesystem.text_codec import decode_text
from maxagent.tools.filesystem.transaction import TransactionChange, write_all
from maxagent.tools.result import ToolError
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    root = tmp_path / "project"
    root.mkdir()
    for name, mode in (("a", 0o644), ("b", 0o755), ("c", 0o600)):
        (root / name).write_bytes(f"{name}\r\n".encode())
        (root / name).chmod(mode)
    return ToolRun(Workspace(root), "c", tmp_path / "outputs")


def tree(run: ToolRun) -> dict[str, tuple[bytes, int]]:
    files = [path for path in run.workspace.root.rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}


def folders(run: ToolRun) -> list[Path]:
    return [path for path in run.workspace.root.rglob("*") if path.is_dir()]


def written(run: ToolRun, name: str, text: str) -> PreparedChange:
    path = run.workspace.root / name
    old = decode_text(path.read_bytes()) if path.exists() else None
    return prepare_change(run.workspace, path, old, text)


def removed(run: ToolRun, name: str) -> PreparedChange:
    path = run.workspace.root / name
    return prepare_removal(run.workspace, path, path.read_bytes())


def changes(run: ToolRun) -> list[TransactionChange]:
    return [
        TransactionChange(removed(run, "c")),
        TransactionChange(written(run, "a", "A\n"), executable=True),
        TransactionChange(written(run, "b", "B\n"), executable=False),
        TransactionChange(written(run, "new/deep/d", "D\n"), executable=True),
    ]


def test_all_are_written(run: ToolRun) -> None:
    saved = write_all(run, changes(run))
    root = str(run.workspace.root)
    assert tree(run) == {
        f"{root}/a": (b"A\r\n", 0o755),
        f"{root}/b": (b"B\r\n", 0o644),
        f"{root}/new/deep/d": (b"D\n", 0o755),
    }
    assert [(item.path, item.counts) for item in saved] == [
        ("c", "+0 -1"), ("a", "+1 -1"), ("b", "+1 -1"), ("new/deep/d", "+1 -0"),
    ]  # fmt: skip


@pytest.mark.parametrize("bad", ["a", "b", "c", "new/deep/d"])
def test_one_that_another_program_changed_takes_all_back(run: ToolRun, bad: str) -> None:
    planned = changes(run)
    path = run.workspace.root / bad
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"mine")
    before, made = tree(run), folders(run)
    with pytest.raises(ToolError, match=f"`{bad}` was changed by another program"):
        write_all(run, planned)
    assert (tree(run), folders(run)) == (before, made)


def test_what_was_put_back_is_reported(run: ToolRun) -> None:
    planned = changes(run)
    (run.workspace.root / "c").write_bytes(b"mine")
    with pytest.raises(ToolError, match="Nothing was changed: what was written before is as it"):
        write_all(run, planned)


def test_what_could_not_be_put_back_is_reported(run: ToolRun) -> None:
    planned = [TransactionChange(written(run, "a", "A\n")), TransactionChange(removed(run, "b"))]
    (run.workspace.root / "b").write_bytes(b"mine")
    elsewhere = replace(planned[0].prepared, before=b"a\r\n")
    with ExitStack() as undo:
        missing = replace(planned[0], prepared=_Breaking(**vars(elsewhere)))
        undo.callback(os.chmod, run.workspace.root, 0o755)
        with pytest.raises(ToolError, match="Putting back what was written before failed: `a`"):
            write_all(run, [missing, planned[1]])


class _Breaking(PreparedChange):
    """A change after which a folder stands where the file was."""

    def __getattribute__(self, name: str) -> object:
        path: Path = super().__getattribute__("path")
        if name == "like" and path.read_bytes() == b"A\r\n":
            path.unlink()
            path.mkdir()
        return super().__getattribute__(name)


def test_full_disk_or_blocking_file_prevents_all_writes(run: ToolRun) -> None:
    (run.workspace.root / "file").write_bytes(b"")
    before = tree(run)
    blocked = PreparedChange(run.workspace.root / "file/x", "file/x", None, b"x", "")
    with pytest.raises(ToolError, match="`file/x` could not be written"):
        write_all(run, [*changes(run), TransactionChange(blocked)])
    assert (tree(run), folders(run)) == (before, [])


def test_on_a_full_disk_nothing_is_written(tmp_path: Path) -> None:
    with small_disk(tmp_path / "project", "200k") as root:
        (root / "a").write_bytes(b"a\n")
        run = ToolRun(Workspace(root), "c", tmp_path / "outputs")
        planned = [
            TransactionChange(written(run, "a", "A\n")),
            TransactionChange(written(run, "n/b", "B\n" * 20_000)),
            TransactionChange(written(run, "c", "C\n" * 100_000)),
        ]
        with pytest.raises(ToolError, match="`c` could not be written"):
            write_all(run, planned)
        assert [path.name for path in root.iterdir()] == ["a"]
        assert (root / "a").read_bytes() == b"a\n"


async def test_a_cancelled_call_writes_nothing(run: ToolRun) -> None:
    planned, before = changes(run), tree(run)

    def cancelled() -> None:
        from maxagent.tools import cancellable_thread

        event = cancellable_thread._cancelled.get()
        assert event
        event.set()
        write_all(run, planned)

    with pytest.raises(CallCancelled):
        await run_in_worker(cancelled)
    assert (tree(run), folders(run)) == (before, [])


def test_backups_are_kept_of_what_is_written_only(run: ToolRun, tmp_path: Path) -> None:
    run = replace(run, backups=tmp_path / "backups")
    saved = {item.path: item.backup for item in write_all(run, changes(run))}
    assert Path(saved["a"]).read_bytes() == b"a\r\n" and not saved["new/deep/d"]
    planned = [TransactionChange(written(run, "a", "AA\n")), TransactionChange(removed(run, "b"))]
    (run.workspace.root / "b").write_bytes(b"mine")
    paths = sorted((tmp_path / "backups").iterdir())
    with pytest.raises(ToolError):
        write_all(run, planned)
    assert sorted((tmp_path / "backups").iterdir()) == paths
