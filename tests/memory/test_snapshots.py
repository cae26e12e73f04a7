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
from maxagent.memory.git_snapshots import EMPTY_TREE
from maxagent.memory.put_back import put_back
from maxagent.memory.snapshots import Snapshots
from maxagent.memory.versions import ABSENT, Change

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


def kinds(changes: Sequence[Change]) -> dict[str, str]:
    """What happened to each path."""
    return {change.path: change.kind for change in changes}


async def put_all_back(snapshots: Snapshots, old: str, new: str) -> dict[str, str]:
    """Take back what changed from `old` to `new`; what was left alone, and why."""
    back = [Change(c.path, c.new, c.old) for c in await snapshots.changes(old, new)]
    contents = await snapshots.read([c.new.blob for c in back if c.new != ABSENT])
    return await asyncio.to_thread(put_back, snapshots.folder, back, contents, "test")


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
    assert kinds(await snapshots.changes(empty, await snapshots.take())) == {"x": "added"}


async def test_changes_and_diff_name_what_differs(snapshots: Snapshots, folder: Path) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").unlink()
    (folder / "新.md").write_text("new\n")
    new = await snapshots.take()
    assert list(kinds(await snapshots.changes(old, new)).items()) == [
        ("a.py", "modified"),
        ("sub/b.txt", "deleted"),
        ("新.md", "added"),
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
    assert kinds(await stricter.changes(before, after)) == {"a.py": "deleted"}
    (folder / "a.py").write_text("secret now\n")
    assert await stricter.take() == after


@pytest.mark.parametrize("commits", [False, True])
async def test_files_of_nested_repositories_are_part_of_it(
    commits: bool, snapshots: Snapshots, folder: Path
) -> None:
    for name in ("nested", "nested/deeper", "empty", "only ignored"):
        (folder / name).mkdir()
        git(folder / name, "init", "-q")
    (folder / ".gitignore").write_text("*.log\n")
    for name in ("nested/inner.txt", "nested/deeper/x", "nested/ignored", "only ignored/a.log"):
        (folder / name).write_text("1")
    (folder / "nested" / ".gitignore").write_text("ignored\n")
    if commits:
        git(folder / "nested", "add", "inner.txt")
        git(folder / "nested", "commit", "-qm", "inner")
    empty = await Snapshots(folder, folder.parent / "other", ["*"]).take()
    first, before = await snapshots.take(), contents(folder)
    assert [change.path for change in await snapshots.changes(empty, first)] == [
        *(".gitignore", "a.py", "nested/.gitignore", "nested/deeper/x", "nested/inner.txt"),
        "sub/b.txt",
    ]
    (folder / "nested" / "inner.txt").write_text("2")
    (folder / "nested" / "new").write_text("2")
    (folder / "nested" / "deeper" / "x").unlink()
    second = await snapshots.take()
    assert kinds(await snapshots.changes(first, second)) == {
        "nested/deeper/x": "deleted",
        "nested/inner.txt": "modified",
        "nested/new": "added",
    }
    assert await put_all_back(snapshots, first, second) == {}
    assert contents(folder) == before


async def test_a_file_that_becomes_a_repository_and_back(
    snapshots: Snapshots, folder: Path
) -> None:
    old = await snapshots.take()
    (folder / "a.py").unlink()
    (folder / "a.py").mkdir()
    git(folder / "a.py", "init", "-q")
    (folder / "a.py" / "x").write_text("x")
    new = await snapshots.take()
    assert kinds(await snapshots.changes(old, new)) == {"a.py": "deleted", "a.py/x": "added"}
    shutil.rmtree(folder / "a.py")
    (folder / "a.py").write_text("a = 1\n")
    assert await snapshots.take() == old


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
    assert await put_all_back(snapshots, old, new) == {}
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
    assert kinds(await snapshots.changes(old, new)) == {"a.py": "modified"}
    assert await put_all_back(snapshots, old, new) == {}
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
    for ask in (snapshots.changes, snapshots.diff):
        with pytest.raises(MaxAgentError, match="is not a snapshot"):
            await ask(bad, tree)
        with pytest.raises(MaxAgentError, match="is not a snapshot"):
            await ask(tree, bad)


async def test_a_lost_snapshot_is_told(snapshots: Snapshots, folder: Path) -> None:
    tree = await snapshots.take()
    with pytest.raises(MaxAgentError, match="are lost"):
        await snapshots.changes("1" * 40, tree)


async def test_a_lost_content_is_told(snapshots: Snapshots, folder: Path, tmp_path: Path) -> None:
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
        await put_all_back(snapshots, old, new)
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
    def sees_commands() -> bool:
        return Snapshots(tmp_path, tmp_path / "data", []).sees_commands

    assert sees_commands()
    put_git_in_front(monkeypatch, tmp_path / "bin", "exit 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"bin{os.pathsep}.")  # the project's own programs do not count
    assert not sees_commands()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # by an absolute path neither
    assert not sees_commands()


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


CHURN = """
import sys, shutil
from pathlib import Path
while True:
    for n in range(60):
        below = Path(sys.argv[1]) / f"d{n % 7}"
        below.mkdir(exist_ok=True)
        (below / f"f{n}").write_text(str(n) * 100)
    shutil.rmtree(sys.argv[1] + "/d3")
    for below in Path(sys.argv[1]).iterdir():
        (below / "f1").unlink(missing_ok=True)
"""


async def test_files_may_come_and_go_meanwhile(snapshots: Snapshots, folder: Path) -> None:
    (folder / "churn").mkdir()
    child = subprocess.Popen([sys.executable, "-c", CHURN, str(folder / "churn")])
    try:
        trees = {await snapshots.take() for _ in range(25)}
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
    assert len(trees) > 1
    assert kinds(await snapshots.changes(EMPTY_TREE, await snapshots.take()))["a.py"] == "added"


@pytest.mark.parametrize("files", [100, 400])
async def test_a_killed_process_leaves_a_store_that_works(
    files: int, folder: Path, tmp_path: Path
) -> None:
    """With few new files git writes one object for each, with many a pack."""
    store = tmp_path / "data" / "snapshots"
    for n in range(files):
        (folder / f"f{n}").write_text(f"{n}\n" * 200)
    for _ in range(5):
        command = [sys.executable, "-c", TAKE, str(folder), str(store), "x"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not list(store.glob("*/objects/*/*")) and child.poll() is None:
            await asyncio.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.wait()
        snapshots = Snapshots(folder, store, [])
        old = await snapshots.take()
        (folder / "f1").write_text("changed")
        assert await put_all_back(snapshots, old, await snapshots.take()) == {}
        assert (folder / "f1").read_text() == "1\n" * 200
        shutil.rmtree(store)


async def test_an_index_that_outlived_its_objects_is_made_anew(
    snapshots: Snapshots, folder: Path
) -> None:
    first = await snapshots.take()
    for lost in snapshots.directory.glob("objects/??"):
        shutil.rmtree(lost)
    again = Snapshots(folder, snapshots.directory.parent, SENSITIVE)
    assert await again.take() == first
    (folder / "a.py").write_text("a = 2\n")
    assert await put_all_back(again, first, await again.take()) == {}
    assert (folder / "a.py").read_text() == "a = 1\n"


async def test_the_event_loop_is_never_blocked(snapshots: Snapshots, folder: Path) -> None:
    blockbuster = pytest.importorskip("blockbuster")
    with blockbuster.blockbuster_ctx():
        old = await snapshots.take()
        await asyncio.to_thread((folder / "a.py").write_text, "a = 2\n")
        new = await snapshots.take()
        await snapshots.diff(old, new)
        assert await put_all_back(snapshots, old, new) == {}
