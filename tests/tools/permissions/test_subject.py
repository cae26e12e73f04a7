from maxagent.tools.definition import get_effect
from maxagent.tools.permissions.subject import PATTERN_KINDS, READING_TOOLS
from maxagent.tools.runtime.registry import load_all_tools


def test_pattern_kinds_cover_every_tool_and_its_paths() -> None:
    for tool in load_all_tools():
        assert tool.name in PATTERN_KINDS, f"{tool.name} has no line in tool_table.py"
        names_files = tool.name in READING_TOOLS or bool((tool.metadata or {}).get("paths"))
        assert (PATTERN_KINDS[tool.name] == "path") == (names_files and tool.name != "run_command")


def test_rules_on_reading_hold_for_tools_that_read() -> None:
    assert {tool.name for tool in load_all_tools() if get_effect(tool) == "read"} >= READING_TOOLS
