"""docs/architecture.md is a map: what it sends a reader to is there, and says what to do."""

import re
from pathlib import Path

import pytest
from source_tree import FLOOR_NUMBERS, ROOT, find_modules, read_docstring

PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")
MAX_BYTES = 16_000
_, STARTS, SUBJECTS = PAGE.partition("\n## The floors")[0].split("|---|---|\n")


def test_it_is_short() -> None:
    assert len(PAGE.encode()) <= MAX_BYTES


@pytest.mark.parametrize("row", STARTS.partition("\n\n")[0].splitlines())
def test_each_start_has_its_checklist(row: str) -> None:
    modules = find_files(row)
    assert modules
    for module in modules:
        assert re.search(r" (takes|in|lists):\n\n- ", read_docstring(module)), module


def test_paths_of_the_checklists_exist() -> None:
    missing = [(str(module), path) for module in find_modules() for path in list_missing(module)]
    assert missing == []


def list_missing(module: Path) -> list[str]:
    """The paths in a module's checklist that are not there: from the root, or a name beside it."""
    _, _, checklist = read_docstring(module).partition(":\n\n- ")
    paths = re.findall(r"`([\w./-]+/[\w./-]+|\w+\.py)`", checklist)
    floor = ROOT / module.parts[0]
    return [
        path
        for path in paths
        if not any(ROOT.glob(f"{path}*")) and ("/" in path or not any(floor.rglob(path)))
    ]


@pytest.mark.parametrize("row", SUBJECTS.partition("\n\n")[0].splitlines())
def test_each_subject_is_explained(row: str) -> None:
    modules = find_files(row)
    assert modules or "`docs/decisions/`" in row
    assert all(read_docstring(module) for module in modules)


def find_files(row: str) -> list[Path]:
    return [Path(name) for name in re.findall(r"`([\w/]+\.py)`", row)]


def test_every_room_of_a_floor_is_listed() -> None:
    lines = {
        f"{floor}/{room}"
        for floor, rooms in re.findall(r"^- `(\w+)`: ((?:.+\n)(?:  .+\n)*)", PAGE, re.MULTILINE)
        for room in re.findall(r"`(\w+)`", rooms)
    }
    rooms = {"/".join(path.parts[:2]) for path in find_modules() if len(path.parts) > 2}
    assert lines == {room for room in rooms if room.split("/")[0] in FLOOR_NUMBERS}
