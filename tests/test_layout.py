"""The house keeps its shape: who may import whom, what ships, how long a file may grow."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = ["config", "memory models", "tools", "nodes", "graphs", "sdk", "cli"]
FLOOR = {folder: floor for floor, names in enumerate(FLOORS) for folder in names.split()}
MODULES = [path for folder in FLOOR for path in sorted((ROOT / folder).rglob("*.py"))]
BANNED_NAMES = {"utils", "helpers", "common", "manager", "base", "core"}


def module_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported_folders(path: Path) -> set[str]:
    """Of imports that leave the module's own top folder, however deep it lies."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    out = len(path.relative_to(ROOT).parts)
    return {
        (node.module or node.names[0].name).split(".")[0]
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.level == out
    } & set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_a_module_imports_only_from_lower_floors(path: Path) -> None:
    own = FLOOR[path.relative_to(ROOT).parts[0]]
    assert {folder for folder in imported_folders(path) if FLOOR[folder] >= own} == set()


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_a_file_holds_one_idea_and_no_function_grows_past_fifty_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    functions = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = {f.name for f in functions if (f.end_lineno or 0) - f.lineno >= 50}
    assert (path.stem in BANNED_NAMES, text.count("\n") <= 400, long) == (False, True, set())


def test_every_folder_with_code_ships() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    on_disk = {
        ".".join(["maxagent", *init.parent.relative_to(ROOT).parts])
        for folder in [*FLOOR, "."]
        for init in (ROOT / folder).glob("__init__.py" if folder == "." else "**/__init__.py")
    }
    assert set(listed) == on_disk


def test_every_text_beside_the_code_ships() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    ships = {
        found
        for package, globs in setuptools["package-data"].items()
        for glob in globs
        for found in ROOT.joinpath(*package.split(".")[1:]).glob(glob)
    }
    every = [found for folder in FLOOR for found in (ROOT / folder).rglob("*")]
    texts = {found for found in every if found.suffix in (".md", ".json", ".mo", ".gitattributes")}
    assert texts - ships == set()


def test_no_stray_module_at_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "__main__.py"}
