"""The examples of docs/pull-requests.md: their commands and options exist."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from maxagent.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs/pull-requests.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
LINES = [line for block in BLOCKS for line in block.splitlines()]


@pytest.mark.parametrize("line", LINES)
def test_command_and_options_exist(line: str) -> None:
    _, name, *text = shlex.split(line, comments=True)
    output = CliRunner().invoke(app, [name, "--help"]).output
    options = [word.partition("=")[0] for word in text if word.startswith("--")]
    assert [option for option in options if option not in output] == []
