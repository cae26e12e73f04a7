"""What was undone is taken out of a published commit, and what was redone comes back."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from git_checkout import GitCheckout
from recorded_project import Recorded

from maxagent.memory.undo.undo_stack import (
    find_active_entries,
    find_reverted_entries,
    find_unpublished_entries,
)
from maxagent.sdk.pull_requests.publication import open_repository
from maxagent.sdk.pull_requests.thread_changes import ThreadTree, build_thread_tree
from maxagent.tools.git.isolated_git import open_isolated_git

LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
# Words of a step: `FILE OLD NEW` writes, `undo`, `redo`, `rewind`, `publish`
SCRIPTS = {
    "undo after publication": ["a one GOOD", "a seven BAD", "publish", "undo"],
    "undo, then another file": ["a one GOOD", "a seven BAD", "publish", "undo", "b . new"],
    "undo, then the same file": ["a one GOOD", "a seven BAD", "publish", "undo", "a four MORE"],
    "redo after publication": ["a one GOOD", "a seven BAD", "undo", "publish", "redo"],
    "a new file is undone": ["a one GOOD", "b . new", "publish", "undo"],
    "all is undone": ["a one GOOD", "publish", "undo"],
    "two undos": ["a one GOOD", "a four MORE", "b . new", "publish", "undo", "undo"],
    "rewind of an undo": ["a one GOOD", "a seven BAD", "undo", "publish", "rewind 2"],
    "undone before publication": ["a one GOOD", "a seven BAD", "undo", "publish", "a four MORE"],
    "undo, published, redo": ["a one GOOD", "publish", "undo", "publish", "redo"],
}


async def act(project: Recorded, step_parts: list[str]) -> None:
    match step_parts:
        case ["undo"]:
            await project.undo()
        case ["redo"]:
            await project.redo()
        case ["rewind", number]:
            await project.rewind(int(number))
        case [name, old, new]:
            path = project.folder / f"{name}.txt"
            text = path.read_text().replace(old, new) if path.exists() else f"{new}\n"
            project.turn += 1
            await project.tool(lambda _: path.write_text(text), path.name)
        case _:
            raise AssertionError(step_parts)


async def build(project: Recorded, base: str, published: int | None) -> ThreadTree:
    """The tree on top of a commit: of a pull request, or without `published` of `/commit`."""
    git, prefix, _ = await open_repository(project.folder)
    entries = project.entries()
    changes, reverted = find_active_entries(entries), find_reverted_entries(entries)
    if published is not None:
        changes, reverted = tuple(find_unpublished_entries(entries, published)), []
    async with open_isolated_git(git) as isolated:
        return await build_thread_tree(isolated, prefix, base, changes, project.snapshots, reverted)


@pytest.mark.parametrize("is_request", [True, False])
@pytest.mark.parametrize("steps", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_a_commit_has_what_the_disk_has(
    tmp_path: Path, steps: list[str], is_request: bool
) -> None:
    checkout, project = GitCheckout(tmp_path / "project", tmp_path / "bare"), Recorded(tmp_path)
    checkout.write("a.txt", LINES)
    base, published = checkout.commit(), 0
    for step in [*steps, "publish"]:
        if step != "publish":
            await act(project, step.split())
            continue
        thread_tree = await build(project, base, published if is_request else None)
        assert thread_tree.whole == () and not (is_request and thread_tree.mixed)
        base = checkout.git("commit-tree", thread_tree.tree, "-p", base, "-m", step)
        published = project.now()
    names = sorted(path.name for path in project.folder.iterdir() if path.is_file())
    assert checkout.git("ls-tree", "--name-only", base).split(os.linesep) == names
    for name in names:
        content = checkout.git("show", f"{base}:{name}")
        assert content.strip() == (project.folder / name).read_text().strip()


async def test_what_others_committed_since_stays(tmp_path: Path) -> None:
    checkout, project = GitCheckout(tmp_path / "project", tmp_path / "bare"), Recorded(tmp_path)
    checkout.write("a.txt", LINES)
    checkout.commit()
    await act(project, ["a", "one", "BAD"])
    await project.undo()
    checkout.write("a.txt", LINES.replace("one", "THEIRS"))
    base = checkout.commit("theirs")
    assert (await build(project, base, None)).files == ()


async def run_step(project: Recorded, change: Callable[[Path], object]) -> None:
    project.turn += 1
    await project.shell(lambda _: change(project.folder))


def replace_by_link(folder: Path) -> None:
    shutil.rmtree(folder / "docs", ignore_errors=True)
    (folder / "docs").symlink_to("manual")


@pytest.mark.parametrize(
    "name",
    [":!z", ":x", ":(top)y", ":^a", "[a]*", "-n", "a\nb", 'q"u', "back\\slash", "./é ü"],
)
async def test_new_file_of_any_name_is_published(tmp_path: Path, name: str) -> None:
    checkout, project = GitCheckout(tmp_path / "project", tmp_path / "bare"), Recorded(tmp_path)
    checkout.write("a.txt", LINES)
    checkout.write(".gitignore", "*.log\n")
    base, path = checkout.commit(), project.folder / name
    await run_step(project, lambda folder: (folder / f"{name}.log").write_text("x"))
    await run_step(project, lambda _: path.write_text("x"))
    tree = await build(project, base, None)
    assert [file["path"] for file in tree.files] == [name.removeprefix("./")]
    assert tree.left_out in ((), (f"{name}.log".removeprefix("./"),))


@pytest.mark.parametrize("others", [(), ("docs/a",), ("docs/a", "docs/deep/b")])
@pytest.mark.parametrize("new", ["docs/x", "docs/deep/y"])
async def test_folder_that_became_a_link_is_published(
    tmp_path: Path, others: tuple[str, ...], new: str
) -> None:
    checkout, project = GitCheckout(tmp_path / "project", tmp_path / "bare"), Recorded(tmp_path)
    for name in ("manual/a", *others):
        checkout.write(name, LINES)
    base, path = checkout.commit(), project.folder / new
    path.parent.mkdir(parents=True, exist_ok=True)
    await run_step(project, lambda _: path.write_text("x"))
    await run_step(project, replace_by_link)
    tree = await build(project, base, None)
    assert {file["path"] for file in tree.files} == {"docs", *others} and tree.left_out == ()


async def test_new_file_below_a_link_of_others_is_left_out(tmp_path: Path) -> None:
    checkout, project = GitCheckout(tmp_path / "project", tmp_path / "bare"), Recorded(tmp_path)
    checkout.write("manual/a", LINES)
    base, path = checkout.commit(), project.folder / "docs/x"
    path.parent.mkdir()
    await run_step(project, lambda _: path.write_text("x"))
    replace_by_link(project.folder)
    tree = await build(project, base, None)
    assert (tree.files, tree.left_out) == ((), ("docs/x",))


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "*.txt text eol=crlf",
        "*.txt text eol=lf",
        "* text=auto eol=crlf",
        "*.txt ident",
        "*.txt -text",
    ],
)
@pytest.mark.parametrize("disk", ["\n", "\r\n"])
@pytest.mark.parametrize("committed", ["\n", "\r\n"])
async def test_uncommitted_lines_stay_out_with_any_line_end(
    tmp_path: Path, attributes: str, disk: str, committed: str
) -> None:
    checkout, project = GitCheckout(tmp_path / "project", tmp_path / "bare"), Recorded(tmp_path)
    checkout.write(".gitattributes", f"{attributes}\n")
    file = project.folder / "a.txt"
    file.write_bytes(LINES.replace("\n", committed).encode())
    base = checkout.commit()
    is_same = disk == committed or "text" in attributes.split()[1:2]
    file.write_bytes(LINES.replace("one", "USERS").replace("\n", disk).encode())
    await run_step(
        project, lambda _: file.write_bytes(file.read_bytes().replace(b"seven", b"THREADS"))
    )
    tree = await build(project, base, None)
    published = checkout.git("show", f"{tree.tree}:a.txt")
    assert "THREADS" in published
    assert tree.whole == () and "USERS" not in published if is_same else tree.mixed == ("a.txt",)
