"""Detection of each framework by the files of a project; nothing of the project is run."""

import json
from pathlib import Path

import pytest
from cart_projects import PROJECTS

from maxagent.tools.process.launcher import SHELL
from maxagent.tools.testing.command import TestCommand
from maxagent.tools.testing.detection import (
    detect_active_commands,
    detect_test_commands,
    format_command,
)

CARGO = '[package]\nname = "a"\n'


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of PATH, with every program that is not of a project."""
    folder = tmp_path / "bin"
    for name in ("node", "npm", "pnpm", "yarn", "go", "cargo", "make"):
        add_program(folder / name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def add_program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def manifest(test: str = "", **more: object) -> str:
    return json.dumps({"scripts": {"test": test} if test else {}, **more})


async def detect(folder: Path) -> list[tuple[str, str]]:
    return [
        (test_command.framework, format_command(test_command))
        for test_command in await detect_test_commands(folder, "")
    ]


@pytest.mark.parametrize("framework", PROJECTS)
async def test_each_project_has_its_framework(
    framework: str, project: Path, programs: Path
) -> None:
    PROJECTS[framework].write(project)
    for package in PROJECTS[framework].packages:
        add_program(project / "node_modules" / ".bin" / package)
    (command,) = await detect_test_commands(project, "")
    expected = {framework, "pytest"} if framework == "unittest" else {framework}
    assert command.framework in expected and not command.problem
    assert command.found_by in PROJECTS[framework].files


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": manifest(devDependencies={"jest": "^30"})}, ["jest"]),
        ({"package.json": manifest(jest={})}, ["jest"]),
        ({"package.json": "{}", "jest.config.ts": ""}, ["jest"]),
        ({"package.json": "{}", "vitest.config.mts": ""}, ["vitest"]),
        ({"package.json": "{}", ".mocharc.yml": ""}, ["mocha"]),
        ({"package.json": manifest("vitest run")}, ["vitest"]),
        ({"package.json": manifest("jest --runInBand")}, ["jest"]),
        ({"package.json": manifest("NODE_ENV=test mocha -r ts-node/register")}, ["mocha"]),
        ({"package.json": manifest("tsc && jest")}, ["npm"]),
        ({"package.json": manifest("node --test")}, ["npm"]),
        ({"package.json": manifest("./jest")}, ["npm"]),
        ({"package.json": manifest('jest "')}, ["npm"]),
        ({"package.json": manifest('echo "Error: no test specified" && exit 1')}, []),
        ({"package.json": "[]"}, []),
        ({"package.json": "{"}, []),
        ({"package.json": '{"scripts": {"test": 1}, "devDependencies": []}'}, []),
        ({"go.mod": "module a"}, []),
        ({"a_test.go": ""}, []),
        ({"go.mod": "module a", "b/a_test.go": ""}, ["go"]),
        ({"a/b/go.mod": "module a", "a/b/a_test.go": ""}, ["go"]),
        ({"a/b/c/go.mod": "module a", "a/b/c/a_test.go": ""}, []),
        ({"Cargo.toml": CARGO}, ["cargo"]),
        ({"Cargo.toml": "[workspace]", "a/Cargo.toml": CARGO}, ["cargo"]),
        ({"a/Cargo.toml": CARGO, "b/Cargo.toml": CARGO}, ["cargo", "cargo"]),
        ({"Makefile": "test: all\n\tcc\n"}, ["make"]),
        ({"Makefile": ".PHONY: test\nall test:: x\n"}, ["make"]),
        ({"Makefile": "test := 1\nlatest:\n"}, []),
        ({"Makefile": "test::=x\ntest:::=y\ntest=a:b\n"}, []),
        ({"Makefile": "\ttest: x\n# test: y\nx: test\n"}, []),
        ({"Makefile": "$(ALL) test: x\n"}, ["make"]),
        ({"Makefile": "test a " * 20_000 + "\n"}, []),
        ({"Makefile": "a " * 50_000 + "test:\n"}, ["make"]),
        ({"a/package.json": manifest("mocha")}, ["mocha"]),
        (dict.fromkeys(("a/package.json", "b/package.json"), manifest("jest")), ["jest", "jest"]),
        ({"package.json": manifest("jest"), "a/package.json": manifest("jest")}, ["jest"]),
        ({"node_modules/a/package.json": manifest("jest")}, []),
        ({"README.md": ""}, []),
    ],
)  # fmt: skip
async def test_framework_is_known_by_its_files(
    files: dict[str, str], expected: list[str], project: Path, programs: Path
) -> None:
    write(project, files)
    assert [framework for framework, _ in await detect(project)] == expected


@pytest.mark.parametrize(
    ("lock_file", "test", "text", "arguments"),
    [
        ("package-lock.json", "jest -i", "npm test", ["test", "--silent", "--"]),
        ("yarn.lock", "jest -i", "yarn test", ["test"]),
        ("pnpm-lock.yaml", "jest -i", "pnpm test", ["run", "test"]),
        ("package-lock.json", "a && b", "npm test", ["test", "--silent"]),
    ],
)
async def test_script_runs_by_the_manager_of_the_lock_file(
    lock_file: str, test: str, text: str, arguments: list[str], project: Path, programs: Path
) -> None:
    write(project, {"package.json": manifest(test), lock_file: ""})
    (command,) = await detect_test_commands(project, "")
    assert (command.shown, [*command.argv[1:]]) == (text, arguments)
    assert Path(command.argv[0]).parent == programs and command.environment["CI"] == "1"


@pytest.mark.parametrize(
    ("script", "options", "problem"),
    [
        ("mocha --watch", ("--", "--no-watch"), ""),
        ("jest --watchAll", ("--", "--watch=false", "--watchAll=false"), ""),
        ("vitest --watch", ("--",), ""),
        ("tsc && jest --watch", (), "the script `test` of `package.json` waits for changes"),
    ],
)
async def test_script_that_watches_ends_or_does_not_run(
    script: str, options: tuple[str, ...], problem: str, project: Path, programs: Path
) -> None:
    write(project, {"package.json": manifest(script)})
    (command,) = await detect_test_commands(project, "")
    assert command.argv[1:] == ("test", "--silent", *options)
    assert command.problem.startswith(problem) and bool(command.problem) == bool(problem)


async def test_program_of_package_comes_from_nearest_node_modules(
    project: Path, programs: Path
) -> None:
    write(project, {"apps/web/package.json": manifest("vitest"), "pnpm-lock.yaml": ""})
    (missing,) = await detect_test_commands(project, "")
    assert missing.problem == "`vitest` is not installed; run `pnpm install`"
    add_program(project / "node_modules/.bin/vitest")
    (command,) = await detect_test_commands(project, "")
    assert (command.problem, command.argv) == ("", (f"{project}/node_modules/.bin/vitest",))
    assert format_command(command) == "cd apps/web && node_modules/.bin/vitest"


@pytest.mark.parametrize(
    ("program", "framework"),
    [("node", "jest"), ("npm", "npm"), ("go", "go"), ("cargo", "cargo"), ("make", "make")],
)
async def test_missing_program_is_reported(
    program: str, framework: str, project: Path, programs: Path
) -> None:
    files = {
        "npm": {"package.json": manifest("a && b")},
        "make": {"Makefile": "test:\n"},
    }
    write(project, files.get(framework) or dict(PROJECTS[framework].files))
    (programs / program).unlink()
    (command,) = await detect_test_commands(project, "")
    assert command.problem.startswith(f"`{program}` is not installed; install")


async def test_script_without_its_packages_is_a_problem(project: Path, programs: Path) -> None:
    write(project, {"package.json": manifest("tsc && ava", devDependencies={"ava": "6"})})
    (command,) = await detect_test_commands(project, "")
    assert command.problem.endswith("are not installed; run `npm install`")


async def test_configured_command_comes_first_and_wins(project: Path, programs: Path) -> None:
    PROJECTS["go"].write(project)
    first, second = await detect_test_commands(project, "make check && true")
    assert (first.argv, first.framework) == ((SHELL, "-c", "make check && true"), "configured")
    assert (first.found_by, second.framework) == ("task.test_command", "go")
    assert await detect_active_commands(project, "make check && true") == [first]


async def test_every_framework_of_a_project_is_found(project: Path, programs: Path) -> None:
    for framework in ("pytest", "jest", "go", "cargo"):
        PROJECTS[framework].write(project)
    write(project, {"Makefile": "test:\n\tpytest\n"})
    result = [framework for framework, _ in await detect(project)]
    assert result == ["pytest", "jest", "go", "cargo", "make"]
    active = await detect_active_commands(project, "")
    assert [command.framework for command in active] == result[:-1]


def test_command_with_folder_is_shown_as_typed() -> None:
    command = TestCommand(("a",), "go test ./...", "go", folder="my app")
    assert format_command(command) == "cd 'my app' && go test ./..."
