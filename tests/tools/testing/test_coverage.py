from pathlib import Path

import pytest

from maxagent.tools.testing.command import Framework, TestCommand
from maxagent.tools.testing.coverage import GO_PROFILE, CoverageTool, find_coverage_tool

TABLE = "File | % Stmts |\n----|----|\n\x1b[32mAll files |   66.6 | 50 |\x1b[0m\n cart.js | 1 |\n"
TOTAL = "cart.py 4 0 100%\nTOTAL  13  1  92%\n"


def add(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def find(framework: Framework, root: Path) -> CoverageTool | str:
    argv = (str(root / "env" / "bin" / "python"), "-m", framework, "-q")
    return find_coverage_tool(TestCommand(argv, framework, framework), root)


@pytest.mark.parametrize(
    ("framework", "installed", "arguments", "output", "percent"),
    [
        ("pytest", "pytest_cov/__init__.py", ["-m", "pytest", "-q", "--cov"], TOTAL, 92.0),
        ("pytest", "coverage/__init__.py", ["pytest", "-q"], TOTAL, 92.0),
        ("unittest", "coverage/__init__.py", ["unittest", "-q"], TOTAL, 92.0),
        ("unittest", "coverage/__init__.py", ["unittest", "-q"], "no total", None),
    ],
)
def test_coverage_of_python_needs_a_package(
    framework: Framework,
    installed: str,
    arguments: list[str],
    output: str,
    percent: float | None,
    tmp_path: Path,
) -> None:
    missing = find(framework, tmp_path)
    assert isinstance(missing, str) and missing.startswith("`coverage` is not installed; run")
    add(tmp_path, f"env/lib/python3.12/site-packages/{installed}")
    tool = find(framework, tmp_path)
    assert isinstance(tool, CoverageTool)
    argv = (f"{tmp_path}/env/bin/python", "-m", framework, "-q")
    assert tool.wrap(argv, tmp_path)[-len(arguments) :] == arguments
    assert tool.read_percent(output, tmp_path) == percent


@pytest.mark.parametrize(
    ("framework", "installed"),
    [
        ("jest", ""),
        ("vitest", "node_modules/@vitest/coverage-v8/package.json"),
        ("mocha", "node_modules/.bin/c8"),
        ("mocha", "node_modules/.bin/nyc"),
    ],
)
def test_coverage_of_javascript_is_read_from_the_table(
    framework: Framework, installed: str, tmp_path: Path
) -> None:
    if installed:
        assert isinstance(find(framework, tmp_path), str)
        add(tmp_path, installed)
    tool = find(framework, tmp_path)
    assert isinstance(tool, CoverageTool)
    assert any(str(tmp_path) in argument for argument in tool.wrap(["x"], tmp_path))
    assert tool.read_percent(TABLE, tmp_path) == 66.6


def test_script_that_measures_is_measured_by_the_same(tmp_path: Path) -> None:
    add(tmp_path, "node_modules/.bin/c8", "node_modules/.bin/nyc")
    for program in ("c8", "nyc"):
        command = TestCommand(("npm", "test"), "npm test", "mocha", measured_by=program)
        tool = find_coverage_tool(command, tmp_path)
        assert isinstance(tool, CoverageTool)
        assert tool.wrap(["x"], tmp_path)[0].endswith(f".bin/{program}")


def test_coverage_of_go_is_that_of_all_statements(tmp_path: Path) -> None:
    tool = find("go", tmp_path)
    assert isinstance(tool, CoverageTool)
    assert tool.read_percent("", tmp_path) is None
    blocks = ["mode: set", "a/a.go:1.2,3.4 3 1", "a/b.go:1.2,3.4 1 0", "no block"]
    (tmp_path / GO_PROFILE).write_text("\n".join(blocks))
    assert tool.read_percent("", tmp_path) == 75.0


def test_coverage_of_any_command_is_not_known(tmp_path: Path) -> None:
    assert find("make", tmp_path) == "the coverage of `make` cannot be measured"
