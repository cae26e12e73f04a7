"""docs/tools.md names tools, aliases and settings that exist."""

import re
from pathlib import Path

import pytest

from maxagent.config.settings.schema import Settings
from maxagent.config.yaml.reader import parse_document
from maxagent.tools.aliases import TOOLS as ALIASES
from maxagent.tools.aliases import resolve_tool_name
from maxagent.tools.definitions.languages import INSTALL
from maxagent.tools.tool_table import TOOLS

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
ROWS = [
    (re.findall(r"`(\w+)`", tools), re.findall(r"`(\w+)`", aliases))
    for tools, aliases in re.findall(r"^\| (`[^|]+) \|([^|]*)\|", PAGE, re.MULTILINE)
]


@pytest.mark.parametrize(("tools", "aliases"), ROWS, ids=lambda names: " ".join(names))
def test_each_tool_exists_under_its_names(tools: list[str], aliases: list[str]) -> None:
    assert tools and {*tools} <= {*TOOLS}
    assert {resolve_tool_name(alias, TOOLS) for alias in aliases} <= {*tools}
    assert {*aliases} <= {*ALIASES}


def test_no_tool_is_missing() -> None:
    assert {name for tools, _ in ROWS for name in tools} == {*TOOLS}


def test_its_settings_and_commands_are_right() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    settings = Settings.model_validate(parse_document(Path("page"), example).values, strict=True)
    assert [*settings.rag.servers] == ["manual"]
    assert INSTALL in PAGE
