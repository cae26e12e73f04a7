import pytest

from maxagent.tools.definition import get_effect
from maxagent.tools.runtime.registry import load_tool
from maxagent.tools.tool_table import TOOLS, get_need, read_description, select_names


@pytest.mark.parametrize("name", TOOLS)
def test_the_table_says_what_the_tool_says(name: str) -> None:
    tool = load_tool(name)
    assert (TOOLS[name].effect, read_description(name)) == (get_effect(tool), tool.description)


def test_what_rules_and_memory_must_know_is_reported() -> None:
    assert select_names(lambda entry: entry.effect == "edit") >= {"edit", "apply_patch"}
    assert select_names(lambda entry: entry.is_repeatable) >= {"read_file", "grep", "git_diff"}
    assert select_names(lambda entry: entry.is_foreign) >= {"webfetch"}
    assert select_names(lambda entry: entry.is_kept) >= {"ask_user", "plan_exit", "recall_notes"}
    assert select_names(lambda entry: entry.requires == "memory") == {
        "search_memory",
        "record_note",
        "recall_notes",
    }


def test_only_a_tool_without_an_effect_is_repeatable() -> None:
    assert all(entry.effect == "read" for entry in TOOLS.values() if entry.is_repeatable)


def test_a_call_says_what_it_needs_of_its_thread() -> None:
    needs = {name: need for name in TOOLS if (need := get_need(name))}
    assert needs == {
        "record_note": "text_origin",
        "get_skill": "shown_skills",
        "subagent": "children",
    }
    assert get_need("mcp__issues__create") == ""
