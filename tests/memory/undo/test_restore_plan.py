from pathlib import Path

import pytest
from acts import sh
from recorded_project import Recorded

from maxagent.memory.snapshots.file_version import ABSENT, FILE, FileVersion, PathChange
from maxagent.memory.undo.apply import apply_restore
from maxagent.memory.undo.restore_plan import Conflict, find_path_conflicts, plan_restore

LINES = b"".join(b"line %d\n" % number for number in range(20))


@pytest.fixture
def project(tmp_path: Path) -> Recorded:
    project = Recorded(tmp_path)
    for name in "abc":
        (project.folder / name).write_bytes(LINES)
    return project


def rewrite(name: str, old: bytes, new: bytes):
    def act(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes().replace(old, new))

    return act


async def test_a_plan_says_everything_and_writes_nothing(project: Recorded) -> None:
    first = await project.snapshots.take()
    for name in "abc":
        await project.tool(rewrite(name, b"line 3\n", b"agent\n"), name)
    await project.tool(lambda folder: (folder / "new").write_bytes(b""), "new")
    rewrite("b", b"line 17\n", b"user\n")(project.folder)
    rewrite("c", b"agent\n", b"user\n")(project.folder)
    files, tree = project.files(), await project.snapshots.take()
    planned = await plan_restore(project.snapshots, project.entries())
    assert (project.files(), planned.tree) == (files, tree)
    assert [(change.path, change.kind) for change in planned.changes] == [
        ("a", "modified"),
        ("b", "modified"),
        ("new", "deleted"),
    ]
    assert planned.merged == {"b"}
    assert planned.conflicts == (Conflict("c", "others changed the same lines"),)
    assert planned.reverted == (1, 2, 4)
    then = {change.path: change.old for change in await project.snapshots.list_changes(first, tree)}
    assert planned.changes[0].new == then["a"]
    assert planned.changes[2].new == ABSENT
    merged = planned.changes[1].new.blob
    assert (await project.snapshots.read_blobs([merged]))[merged] == LINES.replace(
        b"line 17", b"user"
    )


async def test_forced_it_keeps_what_it_would_overwrite(project: Recorded) -> None:
    await project.tool(rewrite("a", b"line 3\n", b"agent\n"), "a")
    large = bytes(21_000_000)  # more than a snapshot takes in
    (project.folder / "a").write_bytes(large)
    (change,) = (await plan_restore(project.snapshots, project.entries(), force=True)).changes
    assert (await project.snapshots.read_blobs([change.old.blob]))[change.old.blob] == large


async def test_foreign_entries_are_not_reverted(project: Recorded) -> None:
    await project.tool(rewrite("a", b"line 3\n", b"agent\n"), "a")
    rewrite("b", b"line 3\n", b"user\n")(project.folder)
    await project.tool(rewrite("c", b"line 3\n", b"agent\n"), "c")
    assert [entry.kind for entry in project.entries()] == ["tool", "others", "tool"]
    planned = await plan_restore(project.snapshots, project.entries())
    assert [change.path for change in planned.changes] == ["a", "c"]
    assert planned.reverted == (1, 3)


async def test_nothing_to_take_back_is_an_empty_plan(project: Recorded) -> None:
    planned = await plan_restore(project.snapshots, [])
    assert (planned.changes, planned.conflicts, planned.reverted) == ((), (), ())


@pytest.mark.parametrize("name", ["user.txt", "deep/user.txt"])
async def test_folder_with_other_files_is_kept(project: Recorded, name: str) -> None:
    def make(folder: Path) -> None:
        (folder / "hum/deep").mkdir(parents=True)
        (folder / "hum/agent.txt").write_bytes(b"agent\n")

    await project.tool(make, "hum/agent.txt")
    (project.folder / "hum" / name).write_bytes(b"user\n")
    planned = await plan_restore(project.snapshots, project.entries())
    missing = [change.path for change in planned.changes if change.kind == "deleted"]
    assert "hum/agent.txt" in missing and "hum/" not in missing


REMOVED = "rm -r top"
"""What the agent's command does to `top/sub/x`, of which the agent and the user changed a line."""


@pytest.mark.parametrize(
    ("prepare", "command", "back"),
    [
        ("", REMOVED, set[str]()),
        ("", "rm -r top/sub", {"top/"}),
        ("", "mv top/sub top/moved", set[str]()),
        ("", "rm -r top; echo file > top", set[str]()),
        ("chmod 700 top/sub", REMOVED, set[str]()),
        ("mkdir top/bare", REMOVED, {"top/bare/"}),
        ("mkdir -p top/sub/deep/bare", REMOVED, {"top/sub/deep/bare/"}),
        ("echo y > top/y", REMOVED, {"top/y"}),
        ("echo y > top/sub/y; chmod 700 top/sub", REMOVED, {"top/sub/", "top/sub/y"}),
        ("mkdir -p top/sub/d; echo y > top/sub/d/y", REMOVED, {"top/sub/d/y"}),
    ],
)
async def test_a_folder_comes_back_with_contents(
    prepare: str, command: str, back: set[str], tmp_path: Path
) -> None:
    project = Recorded(tmp_path)
    (project.folder / "top/sub").mkdir(parents=True)
    (project.folder / "top/sub/x").write_bytes(LINES)
    sh(prepare)(project.folder)
    first = project.files()
    await project.tool(rewrite("top/sub/x", b"line 3\n", b"agent\n"), "top/sub/x")
    rewrite("top/sub/x", b"agent\n", b"user\n")(project.folder)
    await project.shell(sh(command))
    gone = project.files()
    undone = await project.undo()
    assert [conflict.path for conflict in undone.conflicts] == ["top/sub/x"]
    assert set(project.files()) == back
    await project.redo()
    assert project.files() == gone
    await project.undo()
    await project.undo(force=True)
    assert project.files() == first


async def test_a_folder_that_was_empty_comes_back_empty(tmp_path: Path) -> None:
    project = Recorded(tmp_path)
    (project.folder / "top/sub").mkdir(parents=True)
    (project.folder / "top/sub/x").write_bytes(LINES)
    await project.shell(sh("rm top/sub/x"))
    number, emptied = project.now(), project.files()
    await project.shell(sh("rm -r top"))
    await project.undo()
    await project.rewind(number)
    await project.shell(sh("mkdir -p top/sub; echo x > top/sub/x"))
    await project.shell(sh("rm -r top"))
    assert not (await project.rewind(number)).conflicts
    assert project.files() == emptied


@pytest.mark.parametrize(
    ("filled", "emptied"),
    [
        ("top/x", "rm top/x"),
        ("top/sub/x", "rm top/sub/x"),
        ("top/sub/x", "rm -r top/sub"),
        ("top/sub/x", "rm top/sub/x; chmod 700 top/sub"),
        ("top/x", "rm top/x; mkdir top/sub"),
        ("top/sub/x", "rm -r top; mkdir top"),
    ],
)
async def test_redo_keeps_a_folder_emptied_before(
    filled: str, emptied: str, tmp_path: Path
) -> None:
    project = Recorded(tmp_path)
    (project.folder / filled).parent.mkdir(parents=True)
    (project.folder / filled).write_bytes(LINES)
    await project.shell(sh(f"rm {filled}"))
    sh(f"echo user > {filled}; {emptied}")(project.folder)
    before = project.files()
    await project.undo(force=True)
    await project.redo()
    assert project.files() == before


async def test_a_folder_without_its_lost_files_goes(project: Recorded) -> None:
    sh("mkdir -p top/sub; echo x > top/sub/x; echo y > top/y")(project.folder)
    await project.shell(sh("rm -r top"))
    planned = await plan_restore(project.snapshots, project.entries())
    left = apply_restore(project.folder, planned.changes, {}, "mark")
    assert {*left} == {"top/", "top/sub/", "top/sub/x", "top/y"}
    assert set(project.files()) == {"a", "b", "c"}


THERE = FileVersion(FILE, "1" * 40)


def coming(path: str) -> PathChange:
    return PathChange(path, ABSENT, THERE)


def going(path: str) -> PathChange:
    return PathChange(path, THERE, ABSENT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    (tmp_path / "folder" / "sub" / "x").write_text("")
    (tmp_path / "empty" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "x").symlink_to("../folder")
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ([coming("new"), coming("new folder/x"), coming("folder/y"), coming("file")], set()),
        (
            [coming("file/x"), coming("link/x"), coming("file/x/y")],
            {"file/x", "link/x", "file/x/y"},
        ),
        ([coming("file/x"), going("file")], set()),
        ([coming("folder")], {"folder"}),
        ([coming("folder"), going("folder/sub/x")], set()),
        ([coming("folder"), going("folder/sub/y")], {"folder"}),
        ([coming("links")], {"links"}),
        ([coming("links"), going("links/x")], set()),
        ([coming("empty")], set()),
        ([coming("circle/x")], {"circle/x"}),
        ([coming("circle/x"), going("circle")], set()),
        ([going("folder"), going("file/x")], set()),
    ],
)
def test_remaining_paths_conflict_and_removed_ones_do_not(
    changes: list[PathChange], names: set[str], folder: Path
) -> None:
    assert set(find_path_conflicts(folder, changes)) == names
