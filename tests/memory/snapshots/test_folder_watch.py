"""A snapshot that looks only at what the watch has seen is the one of a full scan."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.memory.snapshots import folder_watch
from maxagent.memory.snapshots.exclusions import build_exclusions
from maxagent.memory.snapshots.folder_watch import FolderWatch, list_rules_above
from maxagent.memory.snapshots.store import Snapshots

Change = Callable[[Path], object]
EXCLUDED = (".env", "*.pem")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def make_project(place: Path) -> Path:
    project = place / "project"
    for name in ("a.py", "sub/b.txt", "sub/deep/c.txt", "logs/x.log", "build/out/o.bin", "d/e"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(name)
    (project / "empty/inside").mkdir(parents=True)
    (project / ".gitignore").write_text("*.log\nbuild/\n")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


class Pair:
    """Snapshots with a watch, beside others that always look at all files."""

    def __init__(self, project: Path) -> None:
        self.project, self._places = project, 0
        self.watched = Snapshots(project, project.parent / "store", EXCLUDED)

    async def open(self) -> None:
        """The first scan finds the folders, the second one is made while they are watched."""
        await self.watched.take()
        await self.watched.take()
        assert self.is_watching

    @property
    def is_watching(self) -> bool:
        return self.watched.git_files._watch.is_open  # pyright: ignore[reportPrivateUsage]

    async def is_same(self, named: tuple[str, ...] = ()) -> bool:
        """Let another process take the same snapshot: it has seen no event."""
        self._places += 1
        copy = self.project.parent / f"copy-{self._places}"
        shutil.copytree(self.project.parent / "store", copy)
        full = Snapshots(self.project, copy, EXCLUDED)
        return await self.watched.take(named) == await full.take(named)


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def replace_whole(path: Path, text: str) -> None:
    path.with_name("new~").write_text(text)
    path.with_name("new~").replace(path)


def swap_for_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("x")


def overflow(project: Path) -> None:
    for number in range(10_000):
        (project / "a.py").chmod(0o600 + number % 2 * 0o44)
        (project / "sub/b.txt").chmod(0o600 + number % 2 * 0o44)
    (project / "d/e").write_text("lost among them")


# What only files are touched by is seen without a full scan
FILES: dict[str, Change] = {
    "write": lambda p: (p / "a.py").write_text("other"),
    "append": lambda p: append(p / "sub/b.txt", "more"),
    "replace": lambda p: replace_whole(p / "sub/deep/c.txt", "whole"),
    "add": lambda p: (p / "sub/new.txt").write_text("new"),
    "add, ignored": lambda p: (p / "sub/new.log").write_text("new"),
    "add, excluded": lambda p: (p / "sub/.env").write_text("KEY=1"),
    "delete": lambda p: (p / "sub/b.txt").unlink(),
    "delete the last of a folder": lambda p: (p / "d/e").unlink(),
    "rename": lambda p: (p / "a.py").rename(p / "sub/a.py"),
    "chmod": lambda p: (p / "a.py").chmod(0o755),
    "private": lambda p: (p / "sub/deep/c.txt").chmod(0o600),
    "link": lambda p: (p / "link").symlink_to("a.py"),
    "swap for a link": lambda p: ((p / "a.py").unlink(), (p / "a.py").symlink_to("sub")),
    "pipe": lambda p: os.mkfifo(p / "sub/pipe"),
    "fill an empty folder": lambda p: (p / "empty/inside/f").write_text("f"),
    "fill it with ignored": lambda p: (p / "empty/inside/f.log").write_text("f"),
    "write an ignored folder": lambda p: (p / "build/out/o.bin").write_text("other"),
    "folder in an ignored one": lambda p: (p / "build/new").mkdir(),
    "cache": lambda p: ((p / "__pycache__").mkdir(), (p / "__pycache__/a.pyc").write_text("")),
    "odd name": lambda p: (p / "sub/:(glob)**\n\xff").write_text("odd"),
    "odd bytes": lambda p: (p / os.fsdecode(b"sub/\xff\xfe")).write_text("odd"),
    "git works": lambda p: subprocess.run(["git", "add", "a.py"], cwd=p, check=True),
}
# These concern many files
FOLDERS: dict[str, Change] = {
    "mkdir": lambda p: (p / "fresh/deep").mkdir(parents=True),
    "add with folder": lambda p: ((p / "f").mkdir(), (p / "f/g").write_text("g")),
    "rmtree": lambda p: shutil.rmtree(p / "sub"),
    "move a folder": lambda p: (p / "sub/deep").rename(p / "moved"),
    "move a folder out": lambda p: (p / "sub").rename(p.parent / "out"),
    "chmod a folder": lambda p: (p / "sub").chmod(0o700),
    "swap for a folder": lambda p: swap_for_folder(p / "a.py"),
    "swap a folder for a file": lambda p: (shutil.rmtree(p / "d"), (p / "d").write_text("d")),
    "swap a folder for a link": lambda p: (shutil.rmtree(p / "d"), (p / "d").symlink_to("sub")),
    "ignore": lambda p: (p / ".gitignore").write_text("*.txt\n"),
    "ignore nothing": lambda p: (p / ".gitignore").unlink(),
    "ignore below": lambda p: (p / "sub/.gitignore").write_text("b.txt\n"),
    "repository": lambda p: subprocess.run(["git", "init", "-q"], cwd=p / "sub", check=True),
    "hard link": lambda p: (os.link(p / "a.py", p / "same"), append(p / "same", "1")),
    "overflow": overflow,
}


@pytest.mark.parametrize("name", [*FILES, *FOLDERS])
async def test_a_change_is_seen_as_by_a_full_scan(name: str, project: Path):
    pair = Pair(project)
    await pair.open()
    (FILES | FOLDERS)[name](project)
    assert await pair.is_same()
    assert await pair.is_same()
    (project / "last").write_text(name)
    assert await pair.is_same()


@pytest.mark.parametrize("name", [*FILES])
async def test_files_alone_do_not_end_the_watch(name: str, project: Path):
    pair = Pair(project)
    await pair.open()
    FILES[name](project)
    changed = pair.watched.git_files._watch.read_changes()  # pyright: ignore[reportPrivateUsage]
    assert changed is not None


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(st.sampled_from([*FILES, *FOLDERS, "close"]), max_size=3), max_size=6))
async def test_any_history_is_seen_as_by_a_full_scan(
    tmp_path_factory: pytest.TempPathFactory, history: list[list[str]]
):
    project = make_project(tmp_path_factory.mktemp("history"))
    pair = Pair(project)
    await pair.open()
    for changes in history:
        for name in changes:
            if name == "close":
                pair.watched.git_files.close()
                continue
            try:
                (FILES | FOLDERS)[name](project)
            except (OSError, subprocess.CalledProcessError):
                continue  # what it changes is gone
        assert await pair.is_same(), history


async def test_a_named_ignored_file_is_watched(project: Path):
    pair = Pair(project)
    await pair.open()
    for text in ("one", "two", "three"):
        (project / "build/out/o.bin").write_text(text)
        assert await pair.is_same(("build/out/o.bin",))


async def test_another_process_may_take_snapshots_too(project: Path):
    pair = Pair(project)
    await pair.open()
    (project / "a.py").write_text("seen by the other first")
    await Snapshots(project, project.parent / "store", EXCLUDED).take()
    assert await pair.is_same()


async def test_rules_above_the_folder_count(project: Path):
    inner = project / "sub"
    pair = Pair(inner)
    await pair.open()
    (project / ".gitignore").write_text("c.txt\n")
    assert await pair.is_same()
    assert list_rules_above(project, inner) == [project / ".gitignore"]


async def test_after_a_while_all_files_are_looked_at(
    project: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(folder_watch, "TRUSTED", 0.0)
    watch = FolderWatch(project, build_exclusions(project, project.parent, ()))
    watch.open([b"sub/"], ())
    assert watch.is_open
    assert watch.read_changes() is None
    assert not watch.is_open


@pytest.mark.parametrize(("name", "value"), [("LOCAL", ("nfs4",)), ("_MOUNTS", Path("/proc/none"))])
async def test_where_others_may_write_nothing_is_watched(
    name: str, value: object, project: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(folder_watch, name, value)
    pair = Pair(project)
    await pair.watched.take()
    await pair.watched.take()
    assert not pair.is_watching


def test_without_folders_nothing_is_watched(project: Path):
    watch = FolderWatch(project, build_exclusions(project, project.parent, ()))
    watch.open(None, ())
    assert not watch.is_open
    assert watch.read_changes() is None


@pytest.mark.parametrize("folder", [b"gone/", b"a.py/", b"link/"])
def test_a_found_folder_must_be_watched(folder: bytes, project: Path):
    (project / "link").symlink_to("sub")
    watch = FolderWatch(project, build_exclusions(project, project.parent, ()))
    watch.open([folder, b"sub/"], ())
    watch.keep([b"sub/"])
    assert watch.is_open
    watch.keep([folder])
    assert not watch.is_open


async def test_a_later_process_watches_at_once(project: Path):
    for folder in ("empty", "logs"):
        shutil.rmtree(project / folder)
    await Pair(project).open()
    pair = Pair(project)
    await pair.watched.take()
    assert pair.is_watching
    (project / "sub/b.txt").write_text("new")
    assert await pair.is_same() and pair.is_watching


@pytest.mark.parametrize(
    "command",
    ["mkdir -p new/deep/er; touch new/deep/x", "mv sub new", "rm -r sub", "rm -r d; mkdir -p d/f"],
)
async def test_new_folders_are_watched_by_one_scan(command: str, project: Path):
    pair = Pair(project)
    await pair.open()
    subprocess.run(["sh", "-c", command], cwd=project, check=True)
    assert await pair.is_same() and pair.is_watching
    for place in ("new/deep", "sub", "d"):
        if (project / place).is_dir():
            (project / place / "y").write_text("y")
    assert await pair.is_same() and pair.is_watching
