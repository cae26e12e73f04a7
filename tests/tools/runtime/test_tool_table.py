import pytest

from maxagent.tools.definition import effect_of
from maxagent.tools.runtime.registry import tool_named
from maxagent.tools.runtime.tool_table import TOOLS, read_description


@pytest.mark.parametrize("name", TOOLS)
def test_the_table_says_what_the_tool_says(name: str) -> None:
    tool = tool_named(name)
    assert (TOOLS[name].effect, read_description(name)) == (effect_of(tool), tool.description)
