from pathlib import Path

import pytest
from rule_texts import project, rule

from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.permissions.rule import find_allowing_rules


@pytest.mark.parametrize(
    ("text", "tool", "effect", "about"),
    [
        ("run_command", "run_command", "execute", True),
        ("run_command(*)", "run_command", "execute", True),
        ("Bash(make:*)", "run_command", "execute", True),
        ("Bash(git:*)", "run_command", "execute", False),
        ("edit", "write_file", "edit", True),
        ("Edit(src/**)", "apply_patch", "edit", True),
        ("Edit(docs/**)", "apply_patch", "edit", False),
        ("write_file(src/**)", "edit", "edit", False),
        ("write_file(src/**)", "write_file", "edit", True),
        ("Write(src/**)", "write_file", "edit", True),
        ("Read(src/**)", "grep", "read", True),
        ("read_file(src/*)", "read_file", "read", True),
        ("grep(src/**)", "read_file", "read", False),
        ("edit", "read_file", "read", False),
        ("WebFetch(domain:example.org)", "webfetch", "fetch", True),
        ("webfetch(domain:example.com)", "webfetch", "fetch", False),
        ("mcp_files_*", "mcp_files_read", "execute", True),
        ("mcp_files_*", "mcp_files2_read", "execute", False),
        ("mcp_*", "mcp_files_read", "execute", True),
        ("mcp_files_read", "mcp_files_read", "execute", True),
        ("mcp_files_read", "mcp_files_read_all", "execute", False),
        ("mcp__files__*", "mcp_files_read", "execute", True),
        ("MCP__Files__*", "mcp_Files_Read", "execute", True),
        ("mcp_*", "run_command", "execute", False),
        ("ask_user", "ask_user", "talk", True),
    ],
)
def test_rule_matches_its_tool_by_any_name(
    text: str, tool: str, effect: str, about: bool, tmp_path: Path
) -> None:
    args = {"command": "make x", "url": "https://example.org"}
    call = RequestedCall(tool, effect, args, ["src/a.py"], project(tmp_path))
    assert bool(rule(f"deny {text}").matches_call(call)) == about
    assert bool(find_allowing_rules([rule(text)], call)) == about


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "write a rule as"),
        ("run_command(git:*", "write a rule as"),
        ("run command(x)", "write a rule as"),
        ("run_command()", "brackets are empty"),
        ("runcommand2(x)", "is not a tool; did you mean `run_command`"),
        ("qqq", "is not a tool; available: read_file"),
        ("*", "is not a tool"),
        ("todowrite(x)", "not take a pattern"),
        ("mcp_files_read(x)", "not take a pattern"),
        ("edit(../x)", "leads out"),
        ("webfetch(example.org)", "domain:"),
    ],
)
def test_a_rule_that_cannot_be_understood_says_why(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rule(f"deny {text}")


def test_every_command_of_line_needs_an_allow_rule(tmp_path: Path) -> None:
    call = RequestedCall(
        "run_command", "execute", {"command": "make a && npm test"}, (), project(tmp_path)
    )
    make, npm = rule("run_command(make:*)"), rule("run_command(npm test)")
    assert find_allowing_rules([make, npm], call) == [make, npm]
    assert find_allowing_rules([make], call) == find_allowing_rules([npm], call) == []


def test_every_file_of_a_patch_must_be_allowed(tmp_path: Path) -> None:
    call = RequestedCall("apply_patch", "edit", {}, ["src/a.py", "docs/b.md"], project(tmp_path))
    src, docs = rule("edit(src/**)"), rule("edit(docs/*)")
    assert find_allowing_rules([src, docs], call) and not find_allowing_rules([src], call)


@pytest.mark.parametrize(
    "command",
    [
        "make > out",
        "make $(id)",
        "X=1 make",
        "sudo make",
        "make &",
        "(make)",
        "if make; then :; fi",
    ],
)
def test_only_a_plain_line_is_allowed(command: str, tmp_path: Path) -> None:
    call = RequestedCall("run_command", "execute", {"command": command}, (), project(tmp_path))
    assert find_allowing_rules([rule("run_command(*)"), rule("run_command(make:*)")], call) == []


def test_call_without_file_matches_no_allow_pattern(tmp_path: Path) -> None:
    call = RequestedCall("edit", "edit", {}, (), project(tmp_path))
    assert not find_allowing_rules([rule("edit(**)")], call)


def test_search_without_folder_means_whole_project(tmp_path: Path) -> None:
    call = RequestedCall("grep", "read", {"regex": "x"}, (), project(tmp_path))
    assert rule("deny read_file(**)").matches_call(call)
