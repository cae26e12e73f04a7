from maxagent.tools.definition import effect_of
from maxagent.tools.permissions.subject import ABOUT, READING
from maxagent.tools.runtime.registry import all_tools


def test_rules_know_every_tool_and_whether_it_names_files() -> None:
    for tool in all_tools():
        assert tool.name in ABOUT, f"{tool.name} has no line in permissions/subject.py"
        names_files = tool.name in READING or bool((tool.metadata or {}).get("paths"))
        assert (ABOUT[tool.name] == "path") == (names_files and tool.name != "run_command")


def test_rules_on_reading_hold_for_tools_that_read() -> None:
    assert {tool.name for tool in all_tools() if effect_of(tool) == "read"} >= READING
