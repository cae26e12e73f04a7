"""Random pairs of writers of the same files: both changes land, or the conflict is shown."""

import random
from pathlib import Path

import pytest
from recorded_project import Tree, tree
from worktree_project import WorktreeProject, write_files

from maxagent.memory.worktrees.record import Worktree

PAIRS, GROUPS = 40, 4
FIRST, *OTHERS = range(GROUPS)
NAMES = ["a.txt", "b.txt", "sub/c.txt", "sub/d.txt", "raw"]


def make_content(chance: random.Random, lines: int = 30) -> str:
    return "".join(f"line {number} {chance.randrange(100)}\n" for number in range(lines))


def change_files(folder: Path, chance: random.Random, mark: str) -> dict[str, list[str]]:
    """Change some files as a writer does; return the lines that it added, by file."""
    added: dict[str, list[str]] = {}
    for name in chance.sample(NAMES, chance.randint(1, 4)):
        path = folder / name
        match chance.choice(
            ["edit", "edit", "edit", "delete", "rename", "mode", "rewrite", "link"]
        ):
            case "edit":
                added[name] = edit_lines(path, chance, mark)
            case "rewrite":
                path.write_text(f"all {mark}\n")
                added[name] = [f"all {mark}"]
            case "rename":
                path.rename(path.with_name(f"{path.name}-{mark}"))
            case "mode":
                path.chmod(0o755)
            case "delete":
                path.unlink()
            case _:
                path.unlink()
                path.symlink_to(mark)
    (folder / "sub").mkdir(exist_ok=True)
    write_files(folder, {f"sub/new-{chance.randrange(3)}": f"new {mark}\n"})
    return added


def edit_lines(path: Path, chance: random.Random, mark: str) -> list[str]:
    lines = path.read_text().splitlines()
    added: list[str] = []
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines) + 1)
        added.append(f"{mark} at {at} {chance.randrange(1000)}")
        lines[at : at + chance.randint(0, 2)] = [added[-1]]
    path.write_text("".join(f"{line}\n" for line in lines))
    return [line for line in added if line in lines]


def has_lines(files: Tree, name: str, lines: list[str]) -> bool:
    content = files.get(name, ("", b""))[1].decode().splitlines()
    return all(line in content for line in lines)


@pytest.mark.parametrize(
    "group", [FIRST, *(pytest.param(group, marks=pytest.mark.slow) for group in OTHERS)]
)
async def test_nothing_of_two_writers_is_lost(group: int, tmp_path: Path) -> None:
    for number in range(PAIRS // GROUPS):
        await check_pair(tmp_path / str(number), random.Random(group * PAIRS + number))


async def check_pair(folder: Path, chance: random.Random) -> None:
    project = WorktreeProject(folder, {name: make_content(chance) for name in NAMES})
    base = project.files()
    writers = [await project.branch_off(mark) for mark in ("ONE", "TWO")]
    added = [change_files(writer.folder, chance, writer.key) for writer in writers]
    await check_merge(project, writers[0], base, added[0], {})
    await check_merge(project, writers[1], base, added[1], added[0])
    await project.rewind(0)
    assert project.files() == base


async def check_merge(
    project: WorktreeProject,
    writer: Worktree,
    base: Tree,
    added: dict[str, list[str]],
    earlier: dict[str, list[str]],
) -> None:
    """Merge, and look for each change of the writer, and of the earlier one."""
    before, expected = project.files(), tree(writer.folder)
    conflicts = {item.path: item for item in (await project.merge(writer)).conflicts}
    now = project.files()
    for path in filter(lambda path: not path.endswith("/"), expected.keys() | before.keys()):
        if expected.get(path) == base.get(path) or path in conflicts:
            assert now.get(path) == before.get(path)
        elif before.get(path) == base.get(path):
            assert now.get(path) == expected.get(path)
        else:
            assert has_lines(now, path, added.get(path, []))
    for path, conflict in conflicts.items():
        content = conflict.kept and conflict.kept.read_bytes()
        assert content == (expected[path][1] if path in expected else None)
    for path, lines in earlier.items():
        if has_lines(before, path, lines) and now.get(path) != expected.get(path):
            assert has_lines(now, path, lines)
