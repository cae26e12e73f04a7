import pytest

from maxagent.tools.definition import get_effect
from maxagent.tools.runtime.registry import load_tool
from maxagent.tools.runtime.tool_table import TOOLS, read_description


@pytest.mark.parametrize("name", TOOLS)
def test_the_table_says_what_the_tool_says(name: str) -> None:
    tool = load_tool(name)
    assert (TOOLS[name].effect, read_description(name)) == (get_effect(tool), tool.description)
