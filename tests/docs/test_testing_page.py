"""docs/testing.md: each command runs as it is written, each framework is in its table."""

import re
import shlex
from pathlib import Path

import pytest
from test_place import TestPlace

from maxagent.tools.testing.command import FRAMEWORKS

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
EXAMPLES = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))
# they need a program that is not of this project, or a model, or end only with Ctrl-C
LEFT_OUT = ("--coverage", "--watch", "generate")
COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for line in EXAMPLES.splitlines()
    if not any(option in line for option in LEFT_OUT)
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_each_command_runs_as_written(arguments: list[str], tmp_path: Path) -> None:
    location = TestPlace(tmp_path)
    settings = "[pytest]\naddopts = --disable-plugin-autoload\n"
    location.write({"test_cart.py": "def test_total():\n    pass\n", "pytest.ini": settings})
    assert location.run("trust", "--yes").returncode == 0
    ended = location.run(*arguments)
    assert (ended.returncode, "pytest" in ended.stdout) == (0, True), ended.stderr


def test_each_framework_is_in_the_table() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE)
    names = {name.split()[0].lower() for row in rows for name in row.split(",")}
    assert {*FRAMEWORKS} - {"configured"} <= names
