import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from acts import LINES, changed, sh, swap, three_files, write
from recorded_project import Recorded


@pytest.fixture
def project(tmp_path: Path) -> Recorded:
    return three_files(tmp_path)


@pytest.mark.parametrize(
    "act",
    [
        write("a.txt", b"other\n"),
        write("new/deep/down.txt", b"new"),
        write("empty", b""),
        write("binary", bytes(range(256))),
        write("crlf.txt", b"one\r\ntwo\rthree\n"),
        write("name\nof two lines", b"odd"),
        write("\udcff\udcfe", b"no utf-8"),
        write("-n", b"looks like a flag"),
        sh("rm a.txt; rm -r sub"),
        sh("chmod +x a.txt"),
        sh("chmod +x a.txt; sed -i 's/line 3/LINE 3/' a.txt"),
        sh("ln -s a.txt link; ln -s nowhere dangling"),
        sh("ln -sf b.txt a.txt"),
        sh("rm a.txt; mkdir a.txt; echo x > a.txt/inside"),
        sh("rm -r sub; echo x > sub"),
        sh("rm -r sub; ln -s /etc sub"),
        sh("mv a.txt sub/; mv sub other"),
        sh("mkdir -p x/y/z; mv a.txt x/y/z/; mv x/y/z/a.txt x/"),
        sh("echo x > a.txt; mv a.txt t; mv b.txt a.txt; mv t b.txt"),
        sh("chmod 640 a.txt"),
        sh("chmod 600 a.txt b.txt sub/c.txt"),
        sh("chmod 700 sub"),
        sh("mkdir empty; mkdir -p deep/er"),
        sh("rm a.txt; mkdir a.txt"),
    ],
)
async def test_command_changes_can_be_undone_and_redone(
    act: Callable[[Path], object], project: Recorded
) -> None:
    before = project.files()
    await project.shell(act)
    after = project.files()
    assert before != after
    undone = await project.undo()
    assert (project.files(), undone.conflicts, undone.merged) == (before, (), frozenset())
    assert set(undone.paths) == {
        name for name in before | after if before.get(name) != after.get(name)
    }
    assert (await project.redo()).conflicts == ()
    assert project.files() == after
    assert (await project.undo()).conflicts == ()
    assert project.files() == before


@pytest.mark.parametrize(
    "act",
    [
        sh("rm secret"),
        sh("rm secret; echo other > secret"),
        sh("chmod 644 secret"),
        sh("rm -r closed"),
        sh("chmod 755 closed; rm closed/in"),
        sh("mv closed open"),
        sh("rmdir bare"),
        sh("rmdir bare; echo x > bare"),
        sh("chmod 750 bare"),
        sh("echo x > bare/file"),
        sh("mkdir -p bare/deep/er"),
        sh("mkdir -m 700 private; echo x > private/key; chmod 600 private/key"),
        sh("rm -r closed bare secret; mkdir secret; echo x > closed"),
    ],
)
async def test_permissions_and_empty_folders_come_back(
    act: Callable[[Path], object], project: Recorded
) -> None:
    sh("umask 077; echo k > secret; mkdir closed; echo x > closed/in; mkdir bare")(project.folder)
    before = project.files()
    await project.shell(act)
    after = project.files()
    assert before != after
    assert (await project.undo()).conflicts == ()
    assert project.files() == before
    assert (await project.redo()).conflicts == ()
    assert project.files() == after
    assert (await project.undo()).conflicts == ()
    assert project.files() == before


@pytest.mark.parametrize(
    "act",
    [
        sh("rm -r closed"),
        sh("chmod 755 closed"),
        sh("rmdir closed/in; echo x > closed/in"),
        sh("mv closed/in closed/out"),
    ],
)
async def test_permissions_above_an_empty_folder_come_back(
    act: Callable[[Path], object], project: Recorded
) -> None:
    sh("mkdir -p closed/in; chmod 700 closed")(project.folder)
    before = project.files()
    await project.shell(act)
    after = project.files()
    assert before != after
    assert (await project.undo()).conflicts == ()
    assert project.files() == before
    assert (await project.redo()).conflicts == ()
    assert project.files() == after


async def test_a_new_file_leaves_its_empty_folder(project: Recorded) -> None:
    (project.folder / "bare").mkdir()
    await project.tool(write("bare/new.txt", b"new"), "bare/new.txt")
    undone = await project.undo()
    assert undone.paths == ("bare/new.txt",)
    assert list((project.folder / "bare").iterdir()) == []


async def test_permissions_by_others_stay(project: Recorded) -> None:
    await project.shell(swap("a.txt", "line 3", "LINE 3"))
    (project.folder / "a.txt").chmod(0o600)
    assert (await project.undo()).conflicts == ()
    assert project.files()["a.txt"] == ("100600", LINES)


async def test_an_older_history_leaves_permissions_alone(project: Recorded) -> None:
    await project.shell(sh("rm b.txt; echo x >> a.txt; mkdir new; echo x > new/file"))
    with closing(sqlite3.connect(project.database)) as connection, connection:
        for number, packed in connection.execute("SELECT number, changes FROM file_history"):
            old = [[path, a[:2], b[:2]] for path, a, b in json.loads(packed)]
            query = "UPDATE file_history SET changes = ? WHERE number = ?"
            connection.execute(query, (json.dumps(old), number))
    (project.folder / "a.txt").chmod(0o600)
    assert (await project.undo()).conflicts == ()
    assert project.files() == {
        "a.txt": ("100600", LINES),
        "b.txt": ("100644", LINES),
        "sub/c.txt": ("100644", LINES),
    }


async def test_each_turn_is_undone_for_itself(project: Recorded) -> None:
    trees = [project.files()]
    for project.turn in (1, 2, 3):
        await project.tool(write("a.txt", b"%d" % project.turn), "a.txt")
        await project.shell(write(f"made in {project.turn}", b"x"))
        trees.append(project.files())
    for expected in reversed(trees[:-1]):
        await project.undo()
        assert project.files() == expected
    assert (await project.undo()).entry is None
    for expected in trees[1:]:
        await project.redo()
        assert project.files() == expected
    assert (await project.redo()).entry is None


async def test_rewind_anywhere_can_be_undone(project: Recorded) -> None:
    places = [(project.now(), project.files())]
    for number in range(5):
        await project.shell(write("a.txt", b"%d" % number))
        places.append((project.now(), project.files()))
    for at in (2, 4, 0, 5, 3):
        number, files = places[at]
        await project.rewind(number)
        assert project.files() == files
        places.append((project.now(), files))
    await project.redo()
    assert project.files() == places[5][1]


async def test_changes_of_others_in_other_files_stay(project: Recorded) -> None:
    await project.tool(write("a.txt", b"agent"), "a.txt")
    write("b.txt", b"user")(project.folder)
    write("user's", b"user")(project.folder)
    undone = await project.undo()
    assert undone.paths == ("a.txt",)
    assert project.files()["a.txt"][1] == LINES
    assert project.files()["b.txt"][1] == project.files()["user's"][1] == b"user"


async def test_foreign_changes_in_same_file_are_kept(project: Recorded) -> None:
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    swap("a.txt", "line 17", "USER")(project.folder)
    undone = await project.undo()
    assert (undone.paths, undone.merged, undone.conflicts) == (("a.txt",), {"a.txt"}, ())
    assert project.files()["a.txt"][1] == changed(LINES, "line 17", "USER")
    await project.redo()
    assert project.files()["a.txt"][1] == changed(
        changed(LINES, "line 17", "USER"), "line 3", "AGENT"
    )


async def test_foreign_changes_between_agent_changes_are_kept(project: Recorded) -> None:
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    swap("a.txt", "line 17", "USER")(project.folder)
    await project.tool(swap("a.txt", "line 10", "AGENT"), "a.txt")
    swap("a.txt", "line 20", "USER TOO")(project.folder)
    assert (await project.undo()).merged == {"a.txt"}
    expected = changed(changed(LINES, "line 17", "USER"), "line 20", "USER TOO")
    assert project.files()["a.txt"][1] == expected


async def test_mode_and_content_are_merged_apart(project: Recorded) -> None:
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    await project.shell(sh("chmod +x b.txt"))
    (project.folder / "a.txt").chmod(0o755)
    swap("b.txt", "line 3", "USER")(project.folder)
    assert (await project.undo()).conflicts == ()
    assert project.files()["a.txt"] == ("100755", LINES)
    assert project.files()["b.txt"] == ("100644", changed(LINES, "line 3", "USER"))


@pytest.mark.parametrize(
    ("agent", "user", "reason"),
    [
        (swap("a.txt", "line 3", "AGENT"), swap("a.txt", "AGENT", "USER"), "the same lines"),
        (swap("a.txt", "line 3", "AGENT"), sh("rm a.txt"), "others deleted it"),
        (sh("rm a.txt"), write("a.txt", b"user"), "others created it again"),
        (write("new", b"agent"), write("new", b"user"), "the agent created it"),
        (write("a.txt", b"agent\0"), write("a.txt", b"user\0"), "not text"),
        (swap("a.txt", "line 3", "AGENT"), sh("ln -sf b.txt a.txt"), "a link"),
        (sh("ln -s b.txt new"), sh("ln -sf sub new"), "the agent created it"),
        (sh("rm a.txt"), sh("mkdir a.txt; echo user > a.txt/x"), "a folder with other files"),
        (sh("rm -r sub"), sh("echo user > sub"), "`sub` is no longer a folder"),
        (sh("rm -r sub"), sh("ln -s /tmp sub"), "`sub` is no longer a folder"),
        (
            swap("a.txt", "line 3", "AGENT"),
            sh("rm a.txt; mkfifo a.txt"),
            "not a readable file",
        ),
    ],
)
async def test_conflict_is_reported_and_other_files_are_restored(
    agent: Callable[[Path], object],
    user: Callable[[Path], object],
    reason: str,
    project: Recorded,
) -> None:
    await project.shell(agent)
    await project.tool(write("b.txt", b"agent"), "b.txt")
    user(project.folder)
    expected = project.files() | {"b.txt": ("100644", LINES)}
    undone = await project.undo()
    assert undone.paths == ("b.txt",)
    (conflict,) = undone.conflicts
    assert reason in conflict.reason
    assert project.files() == expected


async def test_forced_restore_of_conflicts_can_be_undone(
    project: Recorded,
) -> None:
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    await project.tool(write("b.txt", b"agent"), "b.txt")
    swap("a.txt", "AGENT", "USER")(project.folder)
    theirs = project.files()["a.txt"]
    assert [conflict.path for conflict in (await project.undo()).conflicts] == ["a.txt"]
    forced = await project.undo(force=True)
    assert (forced.paths, project.files()["a.txt"][1]) == (("a.txt",), LINES)
    await project.redo()
    assert project.files()["a.txt"] == theirs
    assert project.files()["b.txt"][1] == LINES
    await project.redo()
    assert project.files()["b.txt"][1] == b"agent"


async def test_rewind_past_forced_undo_has_nothing_to_merge(
    project: Recorded,
) -> None:
    first = project.files()
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    swap("a.txt", "AGENT", "USER")(project.folder)
    await project.undo(force=True)
    rewound = await project.rewind(0)
    assert (rewound.conflicts, project.files()) == ((), first)


async def test_without_git_what_others_changed_is_a_conflict(
    project: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    swap("a.txt", "line 17", "USER")(project.folder)
    monkeypatch.setattr("maxagent.memory.undo.three_way_merge.find_git", lambda folder: None)
    assert "merging needs git" in (await project.undo()).conflicts[0].reason


async def test_without_git_tool_writes_are_undone_and_redone(
    project: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    project.open(tmp_path)
    before = project.files()
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    await project.tool(write("new/deep", b"agent"), "new/deep")
    after = project.files()
    assert (await project.undo()).conflicts == ()
    assert project.files() == before
    assert (await project.redo()).conflicts == ()
    assert project.files() == after
    swap("a.txt", "line 17", "USER")(project.folder)
    (conflict,) = (await project.undo()).conflicts
    assert (conflict.path, "merging needs git" in conflict.reason) == ("a.txt", True)


async def test_undo_of_already_undone_turn_continues_with_previous(
    project: Recorded,
) -> None:
    first = project.files()
    await project.tool(write("a.txt", b"agent"), "a.txt")
    project.turn = 2
    await project.tool(write("b.txt", b"agent"), "b.txt")
    write("b.txt", LINES)(project.folder)
    idle = await project.undo()
    assert (idle.paths, idle.conflicts) == ((), ())
    assert (await project.undo()).paths == ("a.txt",)
    assert project.files() == first


async def test_foreign_changes_before_restore_are_recorded_as_foreign(project: Recorded) -> None:
    await project.tool(write("a.txt", b"agent"), "a.txt")
    write("b.txt", b"user")(project.folder)
    await project.undo()
    kinds = [(entry.kind, [change.path for change in entry.changes]) for entry in project.entries()]
    assert kinds == [("tool", ["a.txt"]), ("others", ["b.txt"]), ("undo", ["a.txt"])]


async def test_foreign_changes_after_plan_are_not_redone(project: Recorded) -> None:
    await project.tool(write("new", b"one\n"), "new")
    await project.tool(write("a.txt", b"one\n"), "a.txt")
    entries = project.entries()
    await project.back(entries, "undo", meanwhile=(project.folder / "new").unlink)
    await project.redo()
    assert not (project.folder / "new").exists()
    assert (project.folder / "a.txt").read_bytes() == b"one\n"
