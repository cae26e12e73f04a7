from pathlib import Path

import pytest
from ruled import project, rule

from maxagent.tools.permissions.call import Call
from maxagent.tools.permissions.rule import allowed_by


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
def test_a_rule_meets_the_calls_of_its_tool_by_any_name(
    text: str, tool: str, effect: str, about: bool, tmp_path: Path
) -> None:
    args = {"command": "make x", "url": "https://example.org"}
    call = Call(tool, effect, args, ["src/a.py"], project(tmp_path))
    assert bool(rule(f"deny {text}").touches(call)) == about
    assert bool(allowed_by([rule(text)], call)) == about


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "write a rule as"),
        ("run_command(git:*", "write a rule as"),
        ("run command(x)", "write a rule as"),
        ("run_command()", "brackets are empty"),
        ("runcommand2(x)", "is not a tool; did you mean `run_command`"),
        ("qqq", "is not a tool; available: run_command"),
        ("*", "is not a tool"),
        ("todowrite(x)", "take no pattern"),
        ("mcp_files_read(x)", "take no pattern"),
        ("edit(../x)", "leads out"),
        ("webfetch(example.org)", "domain:"),
    ],
)
def test_a_rule_that_cannot_be_understood_says_why(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rule(f"deny {text}")


def test_every_command_of_a_line_must_be_allowed_each_by_some_rule(tmp_path: Path) -> None:
    call = Call("run_command", "execute", {"command": "make a && npm test"}, (), project(tmp_path))
    make, npm = rule("run_command(make:*)"), rule("run_command(npm test)")
    assert allowed_by([make, npm], call) == [make, npm]
    assert allowed_by([make], call) == allowed_by([npm], call) == []


def test_every_file_of_a_patch_must_be_allowed(tmp_path: Path) -> None:
    call = Call("apply_patch", "edit", {}, ["src/a.py", "docs/b.md"], project(tmp_path))
    src, docs = rule("edit(src/**)"), rule("edit(docs/*)")
    assert allowed_by([src, docs], call) and not allowed_by([src], call)


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
    call = Call("run_command", "execute", {"command": command}, (), project(tmp_path))
    assert allowed_by([rule("run_command(*)"), rule("run_command(make:*)")], call) == []


def test_a_call_that_names_no_file_is_allowed_by_no_pattern(tmp_path: Path) -> None:
    call = Call("edit", "edit", {}, (), project(tmp_path))
    assert not allowed_by([rule("edit(**)")], call)


def test_a_search_without_a_folder_means_the_whole_project(tmp_path: Path) -> None:
    call = Call("grep", "read", {"regex": "x"}, (), project(tmp_path))
    assert rule("deny read_file(**)").touches(call)
