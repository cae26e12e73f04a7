"""The files that a command names, and those that it only writes."""

import json
from pathlib import Path

import pytest

from maxagent.config.trust.command_files import MAX_DEPTH, MAX_FILES, find_command_files
from maxagent.config.trust.program_inventory import take_program_inventory

FILES = ("run.sh", "log", "tools/fmt.py", "Makefile")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    (tmp_path / "package.json").write_text('{"scripts": {"build": "sh run.sh"}}')
    return tmp_path


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sh run.sh", ["run.sh"]),
        ("./run.sh --fix", ["run.sh"]),
        ("sh -c 'python3 tools/fmt.py; true'", ["tools/fmt.py"]),
        ("python -m tools.fmt", ["tools/fmt.py"]),
        ("cd tools && python fmt.py", ["tools/fmt.py"]),
        ("bash < run.sh", ["run.sh"]),
        ("make all", ["Makefile"]),
        ("npm run build", ["run.sh"]),
        ("echo shown >> log", []),
        ("python tools/fmt.py > log 2>&1", ["tools/fmt.py"]),
        ("true &>> log", []),
        ("true >| log", []),
        ("echo x > log; sh log", ["log"]),
        ("sh -c 'true > log'", []),
        ("tee >(sh run.sh)", ["run.sh"]),
    ],
)
def test_command_names_what_it_runs(folder: Path, command: str, files: list[str]) -> None:
    assert find_command_files([command], str(folder))[0] == files


TREE = (
    *(f"entry/{name}" for name in ("a.js", "b.mjs", "c.cjs", "d.ts", "e.rb", "lib/index.js")),
    *("pkg/__main__.py", "pkg/__init__.py", "web/start.js", "Procfile", "CMakeLists.txt"),
    *("pyproject.toml", "tasks.py", "make/extra.mk", "make/one.mk", "deep/rules.mk"),
)
ENTRIES = [
    ("node entry/a", ["entry/a.js"]),
    ("node entry/b --x", ["entry/b.mjs"]),
    ("node ./entry/c", ["entry/c.cjs"]),
    ("bun entry/d", ["entry/d.ts"]),
    ("ruby entry/e", ["entry/e.rb"]),
    ("cd entry && node a", ["entry/a.js"]),
    ("node entry/lib", ["entry/lib/index.js"]),
    ("node web", ["web/package.json", "web/start.js"]),
    ("node -r ./entry/c entry/b", ["entry/b.mjs", "entry/c.cjs"]),
    ("sh -c 'node entry/a'", ["entry/a.js"]),
    ("python pkg", ["pkg/__main__.py"]),
    ("python3 -m pkg", ["pkg/__init__.py", "pkg/__main__.py"]),
    ("python3 -mpkg", ["pkg/__init__.py", "pkg/__main__.py"]),
    ("inv build", ["tasks.py"]),
    ("poe check", ["pyproject.toml"]),
    ("pdm run check", ["pyproject.toml"]),
    ("poetry run check", ["pyproject.toml"]),
    ("hatch run check", ["pyproject.toml"]),
    ("uv run check", ["pyproject.toml"]),
    ("uv run pkg", ["pkg/__main__.py", "pyproject.toml"]),
    ("foreman start", ["Procfile"]),
    ("honcho start", ["Procfile"]),
    ("overmind s", ["Procfile"]),
    ("cmake .", ["CMakeLists.txt"]),
    ("make all", ["Makefile", "deep/rules.mk", "make/extra.mk", "make/one.mk"]),
    ("${CHECK:-./run.sh} --x", ["run.sh"]),
    ("sh ${DIR:-tools}/fmt.py", ["tools/fmt.py"]),
    ('"${CHECK:-sh run.sh}"', ["run.sh"]),
    ("${A:-${B:-./run.sh}}", ["run.sh"]),
    ("x --with=${CHECK-./run.sh}", ["run.sh"]),
    ("echo pkg entry/a", []),
]


@pytest.mark.parametrize(("command", "files"), ENTRIES)
@pytest.mark.parametrize("as_words", [False, True])
def test_command_names_what_runner_finds(
    folder: Path, command: str, files: list[str], as_words: bool
) -> None:
    for name in TREE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    (folder / "web/package.json").write_text('{"main": "./start"}')
    (folder / "Makefile").write_text("include make/extra.mk\n-include deep/*.mk $(X)\n")
    (folder / "make/extra.mk").write_text("sinclude make/one.mk # more\n")
    if as_words:
        command_files = find_command_files([], str(folder), ["sh", "-c", command])
    else:
        command_files = find_command_files([command], str(folder))
    assert sorted(command_files.files) == sorted(files) and command_files.is_complete


SETTINGS = {
    ".npmrc": "script-shell=tools/sh\nnode-options=--require=./run.sh\n",
    "web/app/.yarnrc.yml": "plugins:\n  - path: plugin.cjs\n",
    "bunfig.toml": '[run]\nshell = "./run.sh"\n',
    "pnpm-workspace.yaml": "scriptShell: tools/sh\n",
    ".pnpmfile.cjs": "module.exports = require('./tools/fmt.py')\n",
    "web/app/plugin.cjs": "1\n",
    "tools/sh": "1\n",
}


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm run lint", ".npmrc run.sh tools/sh"),
        ("npx -y @scope/server", ".npmrc run.sh tools/sh"),
        ("cd web/app && npm run lint", ".npmrc run.sh tools/sh"),
        ("pnpm lint", ".npmrc .pnpmfile.cjs pnpm-workspace.yaml run.sh tools/fmt.py tools/sh"),
        (
            "yarn --cwd web/app lint",
            ".npmrc run.sh tools/sh web/app/.yarnrc.yml web/app/plugin.cjs",
        ),
        ("bun run lint", ".npmrc bunfig.toml run.sh tools/sh"),
        ("bunx server", ".npmrc bunfig.toml run.sh tools/sh"),
        ("pytest -q", ""),
    ],
)
def test_settings_count_with_files_they_name(folder: Path, command: str, files: str) -> None:
    for name, content in SETTINGS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    command_files = find_command_files([command], str(folder))
    assert sorted(command_files.files) == files.split() and command_files.is_complete


def nest(levels: int) -> str:
    """Return `./run.sh` in so many command lines in each other, without quotes to escape."""
    scripts = {str(number): f"npm run {number + 1}" for number in range(levels)}
    return json.dumps({"scripts": {**scripts, str(levels): "sh ./run.sh"}})


LIMITS = ["decoys", "includes", "nested", "large package"]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("text", ["hook", "server"])
def test_more_than_is_followed_is_never_trusted(folder: Path, limit: str, text: str) -> None:
    names = [f"decoys/{number}" for number in range(MAX_FILES + 20)]
    (folder / "decoys").mkdir()
    for name in names:
        (folder / name).write_text("x")
    (folder / "Makefile").write_text(f"include {' '.join(names)}\n")
    (folder / "package.json").write_text(nest(MAX_DEPTH + 1))
    if limit == "large package":
        (folder / "package.json").write_text(" " * 1_000_001 + nest(0))
    command = {"decoys": f"cat {' '.join(names)} && ./run.sh", "includes": "make"}.get(
        limit, "npm run 0"
    )
    if text == "hook":
        hooks = {"hooks": {"before_tool": [{"command": command}]}}
        (folder / ".llc.yaml").write_text(json.dumps(hooks))
    else:
        server = {"command": "sh", "args": ["-c", command]}
        (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": server}}))
    items = [item for item in take_program_inventory(folder) if item.problem]
    assert [item.provenance.digest for item in items] == [""]
    assert "more than" in items[0].problem
