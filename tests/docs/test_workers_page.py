"""The examples of docs/workers.md: their commands and options exist, and the first one runs."""

import json
import re
import shlex
from pathlib import Path

import pytest
from confinement import SURROUNDINGS
from typer.testing import CliRunner
from warm_start import run_mcode

from maxagent.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs/workers.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
LINES = [line for block in BLOCKS for line in block.splitlines() if line.startswith("mcode ")]
EDIT = {"file_path": "a.txt", "old_string": "old", "new_string": "new"}
SCENARIO = {
    "architect": [{"text": "SMALL: a.txt"}],
    "coder": [
        {"tool_calls": [{"name": "read_file", "args": {"path": "a.txt"}}]},
        {"tool_calls": [{"name": "edit", "args": EDIT}]},
        {"text": "Repaired."},
    ],
    "tester": [{"text": "Accepted."}],
}


@pytest.mark.parametrize("line", LINES)
def test_command_and_options_exist(line: str) -> None:
    _, name, *arguments = shlex.split(line, comments=True)
    group = [name, arguments[0]] if name in ("queue", "db", "config") else [name]
    output = CliRunner().invoke(app, [*group, "--help"]).output
    options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
    assert [option for option in options if option not in output] == []


def test_the_first_example_runs(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/a.txt").write_text("old\n")
    (tmp_path / "script.json").write_text(json.dumps(SCENARIO))
    environ = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "MAXAGENT_HOME": str(tmp_path / "home"),
        "LLC_MODEL__DEFAULT": f"scripted/{tmp_path / 'script.json'}",
        "LLC_TASK__TEST_COMMAND": "grep -q new a.txt",
        **SURROUNDINGS,
    }
    for line in BLOCKS[0].splitlines()[1:]:
        arguments = shlex.split(line)[1:]
        trusted = ["--trust"] if arguments[0] == "task" else []
        ended = run_mcode([*arguments, *trusted], tmp_path / "project", environ)
        assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split()[-1] == "done"
    assert (tmp_path / "project/a.txt").read_text() == "new\n"
