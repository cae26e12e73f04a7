"""Every change of files is seen, taken back and done again."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from snapshot_project import contents, put_all_back, write

from maxagent.memory.snapshots.store import Snapshots


def replace_by_folder(folder: Path) -> None:
    (folder / "a.py").unlink()
    (folder / "a.py").mkdir()
    (folder / "a.py" / "inside").write_text("x")


def replace_by_empty_folder(folder: Path) -> None:
    (folder / "a.py").unlink()
    (folder / "a.py").mkdir()


def replace_folder_by_file(folder: Path) -> None:
    shutil.rmtree(folder / "sub")
    (folder / "sub").write_text("now a file")


def replace_folder_by_link(folder: Path) -> None:
    shutil.rmtree(folder / "sub")
    (folder / "sub").symlink_to("/etc")


def replace_file_by_link(folder: Path) -> None:
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to("sub/b.txt")


@pytest.mark.parametrize(
    "change",
    [
        write("a.py", b"a = 2\n"),
        write("a.py", b""),
        write("a.py", bytes(range(256)) * 40),
        write("a.py", b"a\r\nb\rc\n"),
        write("new/deep/down.py", b"new"),
        write("sp ace, \"quote\" and 'tick'\n\ttab", b"odd"),
        write("\xff\xfe not utf-8", b"odd"),
        write("-n", b"looks like a flag"),
        write(":(glob)**", b"looks like a pathspec"),
        write(".gitattributes", b"* text=auto eol=crlf\n*.txt filter=lfs ident\n"),
        lambda folder: (folder / "a.py").unlink(),
        lambda folder: shutil.rmtree(folder / "sub"),
        lambda folder: (folder / "a.py").chmod(0o755),
        lambda folder: (folder / "link").symlink_to("a.py"),
        lambda folder: (folder / "dangling").symlink_to("nowhere"),
        replace_by_folder,
        replace_by_empty_folder,
        replace_folder_by_file,
        replace_folder_by_link,
        replace_file_by_link,
    ],
)
async def test_every_change_kind_can_be_undone_and_redone(
    change: Callable[[Path], None], snapshots: Snapshots, folder: Path
) -> None:
    (folder / ".gitattributes").write_bytes(b"* text=auto eol=lf\n*.txt ident filter=lfs\n")
    (folder / "crlf.txt").write_bytes(b"one\r\n$Id$\r\n")
    before, old = contents(folder), await snapshots.take()
    change(folder)
    after, new = contents(folder), await snapshots.take()
    assert old != new
    assert await put_all_back(snapshots, old, new) == {}
    assert contents(folder) == before
    assert await snapshots.take() == old
    assert await put_all_back(snapshots, new, old) == {}
    assert contents(folder) == after


NAMES = st.sampled_from(["a", "b", "c/d", "c/e", "c", "a/b", "ü"])
FILES = st.dictionaries(NAMES, st.binary(max_size=20), max_size=5)


def fill(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    for name, data in files.items():
        path = folder / name
        if not any(parent.is_file() for parent in path.parents) and not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=FILES, after=FILES)
def test_from_any_files_to_any_others_and_back(
    before: dict[str, bytes], after: dict[str, bytes], snapshots: Snapshots, folder: Path
) -> None:
    async def there_and_back() -> None:
        fill(folder, before)
        expected, old = contents(folder), await snapshots.take()
        fill(folder, after)
        new = await snapshots.take()
        assert await put_all_back(snapshots, old, new) == {}
        assert contents(folder) == expected
        assert await snapshots.take() == old

    asyncio.run(there_and_back())
