"""The tools in the system prompt."""

from xml_tools import KNOWN

from maxagent.models.xml_calls.known_tools import KnownTools
from maxagent.models.xml_calls.tool_descriptions import describe_tools
from maxagent.tools import aliases
from maxagent.tools.runtime.registry import load_all_tools

TOOLS = list(KNOWN.tools.values())


def test_each_tool_has_its_arguments_and_types() -> None:
    text = describe_tools(TOOLS)
    for name in KNOWN.tools:
        assert f"\n## {name}\n" in text
    for line in (
        "- `<path>` (text, required)",
        "- `<start_line>` (integer, default 1)",
        "- `<end_line>` (integer)",
        "- `<replace_all>` (boolean, default false)",
        '- `<edits>` (list of object {"old_string": text, "new_string": text, '
        '"replace_all"?: boolean})',
        "- `<options>` (list of text)",
        "No arguments.",
    ):
        assert f"\n{line}" in text


def test_the_same_tools_give_the_same_bytes() -> None:
    again = KnownTools(load_all_tools(), aliases.TOOLS, aliases.ARGUMENTS)
    assert describe_tools(TOOLS) == describe_tools(list(again.tools.values()))


def test_only_the_offered_tools_are_described() -> None:
    text = describe_tools([KNOWN.tools["git_status"]])
    assert "## git_status" in text and "## read_file" not in text
