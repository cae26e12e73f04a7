import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots import FileChange, Restored, Snapshots

SENSITIVE = [".env", ".env.*", "!.env.example", "*.pem", "**/secrets/**"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("a = 1\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.txt").write_text("b\n")
    return folder


@pytest.fixture
def snapshots(folder: Path, tmp_path: Path) -> Snapshots:
    return Snapshots(folder, tmp_path / "data" / "snapshots", SENSITIVE)


def git(where: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=u", "-c", "user.email=u@localhost"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=where, check=True, capture_output=True, text=True).stdout


def contents(folder: Path) -> dict[str, object]:
    """Everything under the folder: bytes and executable bit, or target of a link."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsencode(path.relative_to(folder)).decode("latin-1")
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = (path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found


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
    assert await snapshots.changes(empty, await snapshots.take()) == [FileChange("x", "added")]


async def test_changes_and_diff_name_what_differs(snapshots: Snapshots, folder: Path) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").unlink()
    (folder / "新.md").write_text("new\n")
    new = await snapshots.take()
    assert await snapshots.changes(old, new) == [
        FileChange("a.py", "modified"),
        FileChange("sub/b.txt", "deleted"),
        FileChange("新.md", "added"),
    ]
    assert await snapshots.changes(new, new) == []
    diff = await snapshots.diff(old, new)
    assert "-a = 1\n+a = 2\n" in diff
    assert "+++ b/新.md" in diff
    assert await snapshots.diff(old, old) == ""


def write(name: str, data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / os.fsdecode(name.encode("latin-1"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return change


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
async def test_every_kind_of_change_can_be_taken_back_and_done_again(
    change: Callable[[Path], None], snapshots: Snapshots, folder: Path
) -> None:
    (folder / ".gitattributes").write_bytes(b"* text=auto eol=lf\n*.txt ident filter=lfs\n")
    (folder / "crlf.txt").write_bytes(b"one\r\n$Id$\r\n")
    before, old = contents(folder), await snapshots.take()
    change(folder)
    after, new = contents(folder), await snapshots.take()
    assert old != new
    restored = await snapshots.restore(old, new)
    assert (restored.conflicts, contents(folder)) == ([], before)
    assert await snapshots.take() == old
    assert set(restored.paths) == {change.path for change in await snapshots.changes(old, new)}
    assert (await snapshots.restore(new, old)).conflicts == []
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
        assert (await snapshots.restore(old, new)).conflicts == []
        assert contents(folder) == expected
        assert await snapshots.take() == old

    asyncio.run(there_and_back())


async def test_what_has_changed_since_is_left_alone(snapshots: Snapshots, folder: Path) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").write_text("B\n")
    (folder / "new.py").write_text("new\n")
    new = await snapshots.take()
    (folder / "a.py").write_text("the user's own\n")
    (folder / "new.py").write_text("the user's own\n")
    restored = await snapshots.restore(old, new)
    assert restored == Restored(paths=["sub/b.txt"], conflicts=["a.py", "new.py"])
    assert (folder / "a.py").read_text() == (folder / "new.py").read_text() == "the user's own\n"
    assert (folder / "sub" / "b.txt").read_text() == "b\n"


async def test_a_file_that_was_not_touched_in_between_is_not_touched(
    snapshots: Snapshots, folder: Path
) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    new = await snapshots.take()
    (folder / "sub" / "b.txt").write_text("changed later\n")
    (folder / "later.py").write_text("made later\n")
    await snapshots.restore(old, new)
    assert (folder / "sub" / "b.txt").read_text() == "changed later\n"
    assert (folder / "later.py").read_text() == "made later\n"


async def test_what_is_ignored_or_secret_is_neither_stored_nor_seen(
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


async def test_a_pattern_added_later_holds_for_files_stored_before(
    folder: Path, tmp_path: Path
) -> None:
    store = tmp_path / "data" / "snapshots"
    before = await Snapshots(folder, store, []).take()
    stricter = Snapshots(folder, store, ["a.py"])
    after = await stricter.take()
    assert await stricter.changes(before, after) == [FileChange("a.py", "deleted")]
    (folder / "a.py").write_text("secret now\n")
    assert await stricter.take() == after


@pytest.mark.parametrize("commits", [False, True])
async def test_a_nested_repository_is_left_out(
    commits: bool, snapshots: Snapshots, folder: Path
) -> None:
    nested = folder / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "inner.txt").write_text("inner\n")
    if commits:
        git(nested, "add", ".")
        git(nested, "commit", "-qm", "inner")
    first = await snapshots.take()
    (nested / "inner.txt").write_text("changed\n")
    assert await snapshots.take() == first


async def test_pipes_and_sockets_are_no_obstacle(snapshots: Snapshots, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    first = await snapshots.take()
    assert await snapshots.take() == first


async def test_our_own_data_inside_the_folder_is_left_out(folder: Path) -> None:
    snapshots = Snapshots(folder, folder / "odd [home]" / "data" / "snapshots", [])
    first = await snapshots.take()
    (folder / "odd [home]" / "data" / "threads.db").write_text("x")
    assert await snapshots.take() == first


def set_traps(folder: Path, sprung: Path) -> None:
    """Every way in which a repository can have git run something."""
    trap = folder.parent / "trap"
    trap.write_text(f"#!/bin/sh\necho sprung >> {sprung}\ncat\n")
    trap.chmod(0o755)
    hooks = ["post-index-change", "pre-commit", "post-checkout", "reference-transaction"]
    for hook in hooks:
        shutil.copy(trap, folder / ".git" / "hooks" / hook)
    for key in ("core.fsmonitor", "filter.t.clean", "filter.t.smudge", "diff.t.textconv"):
        git(folder, "config", key, str(trap))
    git(folder, "config", "diff.external", str(trap))
    git(folder, "config", "commit.gpgsign", "true")
    (folder / ".gitattributes").write_text("* filter=t diff=t text eol=crlf\n")


async def test_the_users_repository_is_neither_used_nor_touched(
    snapshots: Snapshots, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / "staged.py").write_text("staged\n")
    git(folder, "add", "staged.py")
    sprung = tmp_path / "sprung"
    set_traps(folder, sprung)
    before = contents(folder / ".git")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_bytes((folder / ".git" / "config").read_bytes())
    old = await snapshots.take()
    (folder / "staged.py").write_text("changed\n")
    new = await snapshots.take()
    assert "-staged\n+changed\n" in await snapshots.diff(old, new)
    assert (await snapshots.restore(old, new)).paths == ["staged.py"]
    assert contents(folder / ".git") == before
    assert not sprung.exists()


async def test_variables_that_point_git_elsewhere_do_not_count(
    snapshots: Snapshots, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q")
    before = contents(elsewhere)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(elsewhere))
    old = await snapshots.take()
    (folder / "a.py").unlink()
    assert len(await snapshots.changes(old, await snapshots.take())) == 1
    assert contents(elsewhere) == before


async def test_a_linked_worktree_is_a_folder_like_any_other(folder: Path, tmp_path: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    tree = tmp_path / "worktree"
    git(folder, "worktree", "add", "-q", str(tree))
    snapshots = Snapshots(tree, tmp_path / "data" / "snapshots", [])
    old = await snapshots.take()
    (tree / "a.py").write_text("a = 3\n")
    new = await snapshots.take()
    assert await snapshots.changes(old, new) == [FileChange("a.py", "modified")]
    await snapshots.restore(old, new)
    assert git(tree, "status", "--porcelain") == ""


async def test_what_a_killed_git_or_a_power_cut_leaves_is_no_obstacle(
    snapshots: Snapshots, folder: Path, tmp_path: Path
) -> None:
    first = await snapshots.take()
    (store,) = (tmp_path / "data" / "snapshots").iterdir()
    (index,) = store.glob("index-*")
    Path(f"{index}.lock").write_text("")
    (folder / "a.py").write_text("a = 2\n")
    second = await snapshots.take()
    assert second != first
    index.write_bytes(bytes(100))
    assert await snapshots.take() == second


@pytest.mark.parametrize("bad", ["", "HEAD", "--output=/tmp/x", "0" * 39, "g" * 40, "0" * 41])
async def test_what_is_not_a_snapshot_is_refused(bad: str, snapshots: Snapshots) -> None:
    tree = await snapshots.take()
    for ask in (snapshots.changes, snapshots.diff, snapshots.restore):
        with pytest.raises(MaxAgentError, match="is not a snapshot"):
            await ask(bad, tree)
        with pytest.raises(MaxAgentError, match="is not a snapshot"):
            await ask(tree, bad)


async def test_a_lost_snapshot_is_told_and_nothing_is_changed(
    snapshots: Snapshots, folder: Path
) -> None:
    tree = await snapshots.take()
    with pytest.raises(MaxAgentError, match="git diff-tree failed"):
        await snapshots.restore("1" * 40, tree)
    assert (folder / "a.py").read_text() == "a = 1\n"


async def test_a_lost_file_is_told_and_nothing_is_changed(
    snapshots: Snapshots, folder: Path, tmp_path: Path
) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").write_text("B\n")
    new = await snapshots.take()
    (store,) = (tmp_path / "data" / "snapshots").iterdir()
    blob = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"b\n", capture_output=True, check=True
    ).stdout.decode()
    (store / "objects" / blob[:2] / blob[2:].strip()).unlink()
    with pytest.raises(MaxAgentError, match="lost a file's content"):
        await snapshots.restore(old, new)
    assert (folder / "a.py").read_text() == "a = 2\n"


async def test_a_folder_that_is_gone_is_told(snapshots: Snapshots, folder: Path) -> None:
    await snapshots.take()
    shutil.rmtree(folder)
    with pytest.raises(MaxAgentError, match="cannot run git in"):
        await snapshots.take()


def put_git_in_front(monkeypatch: pytest.MonkeyPatch, where: Path, script: str) -> None:
    where.mkdir()
    program = where / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
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


def test_without_git_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Snapshots.available()
    put_git_in_front(monkeypatch, tmp_path / "bin", "exit 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"bin{os.pathsep}.")  # the project's own programs do not count
    assert not Snapshots.available()


async def test_taking_without_git_fails_with_a_remedy(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    with pytest.raises(MaxAgentError, match="git is not installed") as told:
        await snapshots.take()
    assert "install git" in told.value.hint


TAKE = """
import asyncio, sys
from pathlib import Path
from maxagent.memory.snapshots import Snapshots
async def main():
    snapshots = Snapshots(Path(sys.argv[1]), Path(sys.argv[2]), [])
    for n in range(8):
        (Path(sys.argv[1]) / f"{sys.argv[3]}.txt").write_text(str(n))
        tree = await snapshots.take()
    print(tree)
asyncio.run(main())
"""


async def test_processes_may_snapshot_one_folder_at_once(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "data" / "snapshots"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE, str(folder), str(store), str(number)],
            stdout=subprocess.PIPE,
        )
        for number in range(3)
    ]
    trees = {child.communicate()[0].decode().strip() for child in children}
    assert [child.returncode for child in children] == [0, 0, 0]
    last = await Snapshots(folder, store, []).take()
    assert last in trees


async def test_a_killed_process_leaves_a_store_that_works(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "data" / "snapshots"
    for n in range(200):
        (folder / f"f{n}").write_text(f"{n}\n" * 200)
    for _ in range(5):
        command = [sys.executable, "-c", TAKE, str(folder), str(store), "x"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not list(store.glob("*/objects/??")) and child.poll() is None:
            await asyncio.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.wait()
        snapshots = Snapshots(folder, store, [])
        old = await snapshots.take()
        (folder / "f1").write_text("changed")
        assert (await snapshots.restore(old, await snapshots.take())).conflicts == []
        assert (folder / "f1").read_text() == "1\n" * 200
        shutil.rmtree(store)


async def test_the_event_loop_is_never_blocked(snapshots: Snapshots, folder: Path) -> None:
    blockbuster = pytest.importorskip("blockbuster")
    with blockbuster.blockbuster_ctx():
        old = await snapshots.take()
        await asyncio.to_thread((folder / "a.py").write_text, "a = 2\n")
        new = await snapshots.take()
        await snapshots.diff(old, new)
        assert (await snapshots.restore(old, new)).paths == ["a.py"]
