"""Commands that only show something must not load what answers a task."""

import subprocess
from pathlib import Path

import pytest
from contenders import MCODE, environment
from light import COMMANDS

HEAVY = {"langgraph", "langchain_core", "openai", "mcp"}


def imported(folder: Path, *arguments: str) -> set[str]:
    """The packages that a command imports, as Python itself tells."""
    ran = subprocess.run(
        [*MCODE, *arguments],
        cwd=folder,
        env=environment(folder) | {"PYTHONPROFILEIMPORTTIME": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ran.stderr
    lines = [line for line in ran.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_light_command_loads_nothing_heavy(command: str, tmp_path: Path) -> None:
    packages = imported(tmp_path, *command.split())
    assert "typer" in packages
    assert packages & HEAVY == set()


def test_a_task_does_load_it(tmp_path: Path) -> None:
    task = ("task", "x", "--model", "no-such-provider/x")
    assert "langgraph" in imported(tmp_path, *task)
