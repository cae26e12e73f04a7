"""A red test is repaired to `verified` in the project of each test framework.

pytest and unittest are real. The others are programs that play what the real ones reported; with
the real ones `make interop` does the same.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from cart_projects import PROJECTS, write_player

from maxagent import Runner, trust

OWN = {"go": "go", "cargo": "cargo"}
"""Programs that are not of the project."""


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and a PATH that begins with a folder for programs."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("MAXAGENT_SANDBOX__MODE", "off")  # inside it the programs may be hidden
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return folder


def install(framework: str, project: Path) -> None:
    """Write the project and the program that tests it."""
    PROJECTS[framework].write(project)
    if framework == "unittest":  # an environment without pytest
        python = project / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
    elif framework in OWN:
        write_player(framework, project.parent / "bin" / framework)
    elif framework == "pytest":  # this suite has plugins that take longer than the tests
        (project / "pytest.ini").write_text("[pytest]\naddopts = --disable-plugin-autoload\n")
    else:
        write_player(framework, project / "node_modules" / ".bin" / framework)


def add_node(project: Path) -> None:
    """Let `node` be found, which the players do not need."""
    node = project.parent / "bin" / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)


def play(tmp_path: Path, *turns: object) -> dict[str, object]:
    """Options of a task whose coder takes these turns."""
    script = tmp_path / "scenario.json"
    roles = {
        "architect": [{"text": "SMALL"}],
        "coder": [*turns, {"text": "done"}],
        "tester": [{"text": "Accepted."}] * 2,
    }
    script.write_text(json.dumps(roles))
    return {"model": f"scripted/{script}", "apply": True, "mode": "auto"}


def call(tool: str, **args: object) -> dict[str, object]:
    return {"tool_calls": [{"name": tool, "args": args}]}


DATA = call("write_file", path="prices.csv", content="1")


async def run_task(runner: Runner, project: Path, options: object, request: str = "10 % off"):
    trust(project, runner.home)
    return [event async for event in runner.task(request, folder=project, options=options)]


@pytest.mark.parametrize("framework", PROJECTS)
async def test_red_test_is_repaired_to_verified(
    framework: str, runner: Runner, project: Path, tmp_path: Path
) -> None:
    install(framework, project)
    add_node(project)
    cart = PROJECTS[framework]
    # the coder reports too early, is shown the red test, and repairs it
    options = play(tmp_path, {"text": "done"}, *cart.turns)
    events = await run_task(runner, project, options)
    red, green = [event for event in events if event.type == "evidence"]
    assert (red.verdict, sorted(red.failing)) == ("failed", sorted(cart.red))
    assert (green.verdict, green.failing) == ("passed", [])
    assert {name: getattr(green, name) for name in cart.green} == cart.green
    assert events[-1].outcome == "verified"


async def test_change_runs_only_the_tests_of_its_language(
    runner: Runner, project: Path, tmp_path: Path
) -> None:
    for framework in ("pytest", "go", "jest"):
        install(framework, project)
    add_node(project)
    events = await run_task(runner, project, play(tmp_path, *PROJECTS["go"].turns))
    assert [event.command for event in events if event.type == "verifying"] == ["go test ./..."]
    assert (events[-1].outcome, events[-1].evidence["passed"]) == ("verified", 3)


async def test_change_of_unclear_language_runs_all_tests(
    runner: Runner, project: Path, tmp_path: Path
) -> None:
    turns = [turn for name in ("pytest", "go") for turn in PROJECTS[name].turns]
    for framework in ("pytest", "go"):
        install(framework, project)
    events = await run_task(runner, project, play(tmp_path, *turns, DATA))
    evidence = events[-1].evidence
    assert evidence["command"].endswith("python3 -m pytest; go test ./...")
    assert [evidence[name] for name in ("passed", "failed", "errors", "skipped")] == [5, 0, 0, 2]
    assert (evidence["reason"], events[-1].outcome) == ("5 passed, 2 skipped", "verified")


async def test_red_framework_is_named_beside_green_one(
    runner: Runner, project: Path, tmp_path: Path
) -> None:
    for framework in ("pytest", "go"):
        install(framework, project)
    (project / ".llc.yaml").write_text("task: {repair_rounds: 0}\n")
    options = play(tmp_path, *PROJECTS["pytest"].turns, DATA)
    events = await run_task(runner, project, options, "repair the failing tests")
    evidence = events[-1].evidence
    assert evidence["reason"] == "`go test ./...`: 2 failed, 1 passed, 1 skipped"
    assert (evidence["passed"], evidence["failed"]) == (3, 2)
    assert sorted(evidence["failing"]) == sorted(PROJECTS["go"].red)


async def test_framework_that_is_not_installed_is_unverified(
    runner: Runner, project: Path, tmp_path: Path
) -> None:
    PROJECTS["jest"].write(project)
    add_node(project)
    events = await run_task(runner, project, play(tmp_path, *PROJECTS["jest"].turns))
    assert events[-1].outcome == "unverified"
    assert events[-1].evidence["reason"] == "`jest` is not installed; run `npm install`"


async def test_deleted_test_of_any_language_is_red(
    runner: Runner, project: Path, tmp_path: Path
) -> None:
    PROJECTS["go"].write(project)
    (project / ".llc.yaml").write_text("task: {repair_rounds: 0}\n")
    remove = call("run_command", command="rm cart_test.go")
    events = await run_task(runner, project, play(tmp_path, remove))
    assert events[-1].outcome == "failed"
    assert events[-1].evidence["reason"] == "`cart_test.go` was deleted, and no tests are left"
