import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from snapshot_project import SENSITIVE, kinds, put_all_back, write

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots import git_backend, git_ls_files, limits
from maxagent.memory.snapshots.exclusions import Exclusions
from maxagent.memory.snapshots.store import ExplicitPaths, Snapshots

NAMES = ["a", "sub/b", "new\nline", "not utf-8 \udcff", "-n", "ü"]


def test_names_are_remembered_by_every_process(tmp_path: Path) -> None:
    first, second = (ExplicitPaths(tmp_path, Exclusions(())) for _ in range(2))
    assert first.add(NAMES[:2]) == set(NAMES[:2])
    assert second.add([]) == set(NAMES[:2])
    assert second.add(NAMES) == set(NAMES)
    assert first.add([]) == set(NAMES)
    assert first.add(["./a", "sub//b", "sub/./b"]) == set(NAMES)
    size = (tmp_path / "named").stat().st_size
    first.add(NAMES)
    assert (tmp_path / "named").stat().st_size == size


def test_excluded_paths_are_neither_added_nor_read(tmp_path: Path) -> None:
    assert ExplicitPaths(tmp_path, Exclusions((".env",))).add([".env", "sub/.env/x", "a"]) == {"a"}
    ExplicitPaths(tmp_path, Exclusions(())).add([".env"])
    assert ExplicitPaths(tmp_path, Exclusions((".env",))).add([]) == {"a"}


@pytest.mark.parametrize("content", [b"", b"\0hal", b"\0whole\0\0hal"])
def test_a_torn_name_joins_no_other(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "named").write_bytes(content)
    names = ExplicitPaths(tmp_path, Exclusions(())).add(["next"])
    assert "next" in names and names <= {"whole", "hal", "next"}


def test_a_store_that_was_begun_anew_is_noticed(tmp_path: Path) -> None:
    explicit_paths = ExplicitPaths(tmp_path, Exclusions(()))
    explicit_paths.add(["a-long-name"])
    (tmp_path / "named").unlink()
    assert explicit_paths.add([]) == set()
    explicit_paths.add(["a-long-name"])
    (tmp_path / "named").unlink()
    ExplicitPaths(tmp_path, Exclusions(())).add(["b"])
    assert explicit_paths.add([]) == {"b"}


def stored(tmp_path: Path) -> bytes:
    """Every byte of every object in the only store."""
    (store,) = (tmp_path / "data" / "snapshots").iterdir()
    command = ["git", "cat-file", "--batch-all-objects", "--batch"]
    run = subprocess.run(command, env={"GIT_DIR": str(store)}, capture_output=True, check=True)
    return run.stdout


async def test_the_same_files_have_the_same_id(snapshots: Snapshots, folder: Path) -> None:
    first = await snapshots.take()
    assert await snapshots.take() == first
    (folder / "a.py").write_text("a = 2\n")
    assert await snapshots.take() != first
    (folder / "a.py").write_text("a = 1\n")
    assert await snapshots.take() == first


async def test_a_snapshot_of_elsewhere_is_missing(snapshots: Snapshots) -> None:
    tree = await snapshots.take()
    assert (snapshots.has_tree(tree), snapshots.has_tree("1" * 40)) == (True, False)


async def test_another_process_finds_the_same_id(
    snapshots: Snapshots, folder: Path, tmp_path: Path
) -> None:
    first = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    other = Snapshots(folder, tmp_path / "data" / "snapshots", SENSITIVE)
    second = await other.take()
    assert second != first
    assert await snapshots.take() == second


async def test_an_empty_folder_has_a_snapshot_too(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    snapshots = Snapshots(tmp_path / "empty", tmp_path / "data" / "snapshots", [])
    empty = await snapshots.take()
    (tmp_path / "empty" / "x").write_text("x")
    assert kinds(await snapshots.list_changes(empty, await snapshots.take())) == {"x": "added"}


async def test_changes_and_diff_name_what_differs(snapshots: Snapshots, folder: Path) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").unlink()
    (folder / "新.md").write_text("new\n")
    new = await snapshots.take()
    assert list(kinds(await snapshots.list_changes(old, new)).items()) == [
        ("a.py", "modified"),
        ("sub/b.txt", "deleted"),
        ("新.md", "added"),
    ]
    assert await snapshots.list_changes(new, new) == []
    diff = await snapshots.diff(old, new)
    assert "-a = 1\n+a = 2\n" in diff
    assert "+++ b/新.md" in diff
    assert await snapshots.diff(old, old) == ""


async def test_ignored_or_secret_files_are_never_stored(
    snapshots: Snapshots, folder: Path, tmp_path: Path
) -> None:
    (folder / ".gitignore").write_text("build/\n*.log\n!.env\n!*.pem\n!secrets\n")
    ignored = ["build/x", "a.log", "__pycache__/a.pyc", ".venv/bin/python", "x.egg-info/PKG"]
    secret = [".env", ".env.local", "sub/.env", "key.pem", "secrets/token", "sub/secrets/t"]
    for name in [*ignored, *secret, ".env.example"]:
        write(name, f"TOP-SECRET of {name}\n".encode())(folder)
    tree = await snapshots.take()
    for name in secret:
        (folder / name).write_text("TOP-SECRET changed\n")
    assert await snapshots.take() == tree
    everything = stored(tmp_path)
    assert everything.count(b"TOP-SECRET") == 1  # the example's
    assert b"a = 1" in everything


async def test_pattern_added_later_applies_to_stored_files(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "data" / "snapshots"
    before = await Snapshots(folder, store, []).take()
    stricter = Snapshots(folder, store, ["a.py"])
    after = await stricter.take()
    assert kinds(await stricter.list_changes(before, after)) == {"a.py": "deleted"}
    (folder / "a.py").write_text("secret now\n")
    assert await stricter.take() == after


async def test_pipes_and_sockets_are_no_obstacle(snapshots: Snapshots, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    first = await snapshots.take()
    assert await snapshots.take() == first


async def test_own_data_inside_folder_is_excluded(folder: Path) -> None:
    snapshots = Snapshots(folder, folder / "odd [home]" / "data" / "snapshots", [])
    first = await snapshots.take()
    (folder / "odd [home]" / "data" / "threads.db").write_text("x")
    assert await snapshots.take() == first


@pytest.mark.parametrize("bad", ["", "HEAD", "--output=/tmp/x", "0" * 39, "g" * 40, "0" * 41])
async def test_what_is_not_a_snapshot_is_refused(bad: str, snapshots: Snapshots) -> None:
    tree = await snapshots.take()
    for ask in (snapshots.list_changes, snapshots.diff):
        with pytest.raises(MaxAgentError, match="is not a snapshot"):
            await ask(bad, tree)
        with pytest.raises(MaxAgentError, match="is not a snapshot"):
            await ask(tree, bad)


ANSWERS = '[ "$1" = --version ] && echo "git version 2.39.5" && exit 0'


def put_git_in_front(monkeypatch: pytest.MonkeyPatch, where: Path, script: str) -> None:
    where.mkdir()
    program = where / "git"
    program.write_text(f"#!/bin/sh\n{ANSWERS}\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(where), prepend=os.pathsep)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda folder: None, ["ls-files"]),
        (write("a.py", b"changed"), ["ls-files", "update-index", "write-tree"]),
        (lambda folder: (folder / "a.py").unlink(), ["ls-files", "update-index", "write-tree"]),
    ],
)
async def test_as_few_git_processes_as_possible_are_started(
    change: Callable[[Path], None],
    expected: Sequence[str],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = tmp_path / "log"
    put_git_in_front(
        monkeypatch, tmp_path / "bin", f'echo "$1" >> {log}\nexec {shutil.which("git")} "$@"'
    )
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    os.utime(folder / "a.py", (1, 1))  # long ago: git need not look inside to be sure
    await snapshots.take()
    log.unlink()
    change(folder)
    await snapshots.take()
    assert log.read_text().split() == expected


async def test_a_cancelled_take_leaves_no_git_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    put_git_in_front(monkeypatch, tmp_path / "bin", f"echo $$ > {started}\nexec sleep 60")
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    taking = asyncio.ensure_future(snapshots.take())
    pid = int(await asyncio.to_thread(started.read_text))
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_without_git_that_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def sees_commands() -> bool:
        return Snapshots(tmp_path, tmp_path / "data", []).has_all_files

    assert sees_commands()
    put_git_in_front(monkeypatch, tmp_path / "bin", "exit 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"bin{os.pathsep}.")  # the project's own programs do not count
    assert not sees_commands()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # by an absolute path neither
    assert not sees_commands()


async def test_the_event_loop_is_never_blocked(snapshots: Snapshots, folder: Path) -> None:
    blockbuster = pytest.importorskip("blockbuster")
    with blockbuster.blockbuster_ctx():
        old = await snapshots.take()
        await asyncio.to_thread((folder / "a.py").write_text, "a = 2\n")
        new = await snapshots.take()
        await snapshots.diff(old, new)
        assert await put_all_back(snapshots, old, new) == {}


async def test_a_large_folder_is_stored_in_the_background(
    snapshots: Snapshots, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_backend, "STORED_AT_ONCE", 2)
    for number in range(5):
        (folder / f"{number}.py").write_text(f"n = {number}\n")
    for command in (["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    snapshots.start_background()
    reports = list[tuple[int, int]]()
    tree = await snapshots.take(report=lambda done, total: reports.append((done, total)))
    assert reports[0] == (0, reports[0][1]) and [done for done, _ in reports][:3] == [0, 2, 4]
    await snapshots.close()
    assert await snapshots.take() == tree


async def test_the_background_snapshot_hides_no_notice(
    snapshots: Snapshots, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_backend, "STORED_AT_ONCE", 1)
    monkeypatch.setattr(limits, "MAX_STORED_FILE_BYTES", 3)
    monkeypatch.setattr(git_ls_files, "MAX_STORED_FILE_BYTES", 3)
    (folder / "b.py").write_text("b = 1\n")
    for command in (["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    snapshots.start_background()
    await snapshots.take()
    assert "`a.py`, `b.py`" in snapshots.skipped
    await snapshots.close()


async def test_a_stopped_background_snapshot_is_taken_again(
    snapshots: Snapshots, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_backend, "STORED_AT_ONCE", 1)
    for command in (["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    snapshots.start_background()
    await snapshots.close()
    monkeypatch.undo()
    tree = await snapshots.take()
    assert await snapshots.read_blobs([]) == {} and tree == await snapshots.take()
