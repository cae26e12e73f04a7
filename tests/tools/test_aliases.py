import pytest

from maxagent.tools.aliases import (
    rename_arguments,
    resolve_tool_name,
    strip_namespace,
    translate_editor_call,
)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("read", "read_file"),
        ("ls", "list_files"),
        ("list_code_definition_names", "list_code_definitions"),
        ("ac_mod_read", "module_doc_read"),
        ("ac_mod_write", "module_doc_write"),
        ("search_code", "grep"),
        ("execute_command", "run_command"),
        ("Bash", "run_command"),
        ("Shell", "run_command"),
        ("run_shell_command", "run_command"),
        ("TodoWrite", "todowrite"),
        ("Read-File", "read_file"),
        ("ask_followup_question", "ask_user"),
        ("run_command", "run_command"),
        ("mcp_files_read", "mcp_files_read"),
        ("replace", "edit"),
        ("str_replace_editor", "edit"),
        ("", ""),
    ],
)
def test_a_tool_is_known_by_its_other_names(name: str, canonical: str) -> None:
    assert resolve_tool_name(name, ["read_file", "run_command", "todowrite"]) == canonical


@pytest.mark.parametrize(
    ("args", "renamed"),
    [
        ({"cmd": "ls", "workdir": "src"}, {"command": "ls", "cwd": "src"}),
        ({"CMD": "ls", "timeoutSeconds": 3}, {"command": "ls", "timeout": 3}),
        ({"command": "ls", "cwd": None}, {"command": "ls"}),
        ({"command": "ls", "description": "look"}, {"command": "ls"}),
        ({"command": "ls", "cmd": "rm"}, {"command": "ls", "cmd": "rm"}),
        ({"cmd": "rm", "command": "ls"}, {"command": "ls", "cmd": "rm"}),
        ({"cmd": "a", "Cmd": "b"}, {"command": "a", "Cmd": "b"}),
        ({"other": 1, "": 2}, {"other": 1, "": 2}),
    ],
)
def test_arguments_get_the_tools_own_names(
    args: dict[str, object], renamed: dict[str, object]
) -> None:
    assert rename_arguments("run_command", args, ["command", "cwd", "timeout"]) == renamed


def test_remark_argument_is_kept_for_tool_with_it() -> None:
    assert rename_arguments("x", {"reason": "r", "description": "d"}, ["reason"]) == {"reason": "r"}


@pytest.mark.parametrize(
    ("command", "more", "tool", "args"),
    [
        ("view", {"view_range": [2, 9]}, "read_file", {"start_line": 2, "end_line": 9}),
        ("view", {"view_range": [2, -1]}, "read_file", {"start_line": 2}),
        ("create", {"file_text": "a"}, "write_file", {"file_text": "a"}),
        ("str_replace", {"old_str": "a"}, "edit", {"old_str": "a"}),
        (
            "insert",
            {"insert_line": 1},
            "str_replace_editor",
            {"command": "insert", "insert_line": 1},
        ),
    ],
)
def test_an_editor_of_several_commands(
    command: str, more: dict[str, object], tool: str, args: dict[str, object]
) -> None:
    value = {"command": command, "path": "a.py", **more}
    assert translate_editor_call("str_replace_editor", value) == (tool, {"path": "a.py", **args})


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("functions.read_file", "read_file"),
        ("default_api.grep", "grep"),
        ("default_api:grep", "grep"),
        ("to=functions.edit", "edit"),
        ("read_file<|channel|>commentary", "read_file"),
        ("functions.run_command <|constrain|>json", "run_command"),
        ("tools/list_files", "list_files"),
        (" grep ", "grep"),
        ("my.read_file", "my.read_file"),
        ("read file", "read file"),
        ("functions.", "functions."),
        ("", ""),
    ],
)
def test_namespace_of_a_name_is_stripped(name: str, tool: str) -> None:
    assert strip_namespace(name) == tool
