"""Aliases of tools and arguments, as models know them from other agents."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import cast

# alias and canonical name; case, `_` and `-` do not count
TOOLS = {
    "read": "read_file",
    "find_files": "list_files",
    "ls": "list_files",
    "list": "list_files",
    "search_code": "grep",
    "search_files": "grep",
    "list_code_definition_names": "list_code_definitions",
    "edit_file": "edit",
    "multi_edit": "edit",
    "str_replace": "edit",
    "replace": "edit",
    "str_replace_editor": "edit",
    "str_replace_based_edit_tool": "edit",
    "write_to_file": "write_file",
    "write": "write_file",
    "apply_diff": "replace_in_file",
    "search_replace": "replace_in_file",
    "patch": "apply_patch",
    "execute_command": "run_command",
    "bash": "run_command",
    "shell": "run_command",
    "run_shell_command": "run_command",
    "bash_output": "command_output",
    "bash_kill": "command_kill",
    "kill_bash": "command_kill",
    "kill_shell": "command_kill",
    "task": "subagent",
    "todo_write": "todowrite",
    "todo_read": "todoread",
    "todo_clear": "todoclear",
    "ask_followup_question": "ask_user",
    "ask_user_question": "ask_user",
    "question": "ask_user",
    "fetch": "webfetch",
    "skill": "get_skill",
    "load_skill": "get_skill",
    "web_fetch": "webfetch",
    "fetch_url": "webfetch",
    "ac_mod_read": "module_doc_read",
    "ac_mod_write": "module_doc_write",
}

# for each tool, alias and canonical name of its arguments
ARGUMENTS = {
    "read_file": {"file_path": "path", "file": "path", "filename": "path"},
    "list_files": {"directory": "path", "dir": "path", "folder": "path", "glob": "pattern"},
    "glob": {"regex": "pattern", "file_pattern": "pattern"},
    "grep": {
        "pattern": "regex",
        "query": "regex",
        "directory": "path",
        "include": "file_pattern",
        "glob": "file_pattern",
    },
    "list_code_definitions": {
        "file_path": "path",
        "file": "path",
        "directory": "path",
        "dir": "path",
        "folder": "path",
    },
    "module_doc_read": {"directory": "path", "folder": "path", "module_path": "path"},
    "module_doc_write": {"directory": "path", "folder": "path", "module_path": "path"},
    "edit": {
        "path": "file_path",
        "file": "file_path",
        "old_str": "old_string",
        "old_text": "old_string",
        "new_str": "new_string",
        "filename": "file_path",
        "changes": "edits",
        "replacements": "edits",
        "new_text": "new_string",
        "allow_multiple": "replace_all",
    },
    "write_file": {
        "file_text": "content",
        "file_path": "path",
        "file": "path",
        "filename": "path",
        "contents": "content",
        "text": "content",
    },
    "replace_in_file": {
        "file_path": "path",
        "file": "path",
        "filename": "path",
        "blocks": "diff",
        "content": "diff",
    },
    "apply_patch": {"input": "patch", "diff": "patch", "patch_text": "patch", "content": "patch"},
    "run_command": {
        "cmd": "command",
        "workdir": "cwd",
        "directory": "cwd",
        "working_directory": "cwd",
        "timeout_seconds": "timeout",
        "run_in_background": "background",
        "is_background": "background",
    },
    "command_output": {
        "output_id": "id",
        "bash_id": "id",
        "call_id": "id",
        "shell_id": "id",
        "regex": "filter",
        "pattern": "filter",
    },
    "command_kill": {"bash_id": "id", "shell_id": "id", "call_id": "id"},
    "webfetch": {"uri": "url", "link": "url", "address": "url", "offset": "start"},
    "use_rag_tool": {"server": "server_name", "question": "query"},
    "git_diff": {"file_path": "path", "file": "path", "cached": "staged"},
    "git_log": {"file_path": "path", "file": "path", "limit": "max_count", "n": "max_count"},
    "todowrite": {"tasks": "todos", "items": "todos", "task_id": "id", "notes": "details"},
    "ask_user": {"choices": "options", "suggestions": "options", "follow_up": "options"},
    "attempt_completion": {"summary": "result"},
    "subagent": {
        "prompt": "task",
        "agent": "agent_type",
        "subagent_type": "agent_type",
        "type": "agent_type",
        "sub_id": "resume",
    },
    "get_skill": {"skill": "name", "skill_name": "name", "command": "name"},
    "use_mcp_tool": {
        "server": "server_name",
        "mcp_server": "server_name",
        "tool": "tool_name",
        "name": "tool_name",
        "args": "arguments",
        "input": "arguments",
        "parameters": "arguments",
    },
}

# our tools for the commands of `str_replace_editor`
EDITOR = {"view": "read_file", "create": "write_file", "str_replace": "edit"}

# arguments that models add about a call; dropped if a tool does not accept them
REMARKS = frozenset(["description", "explanation", "instruction", "reason", "requires_approval"])
_AROUND_NAME = re.compile(
    r"(?:to=)?(?:(?:functions|default_api|tools|multi_tool_use)[.:/])?([\w-]{1,128}?)(?::\d+)?\s*(?:<\|.*)?",
    re.DOTALL,
)


def strip_namespace(name: str) -> str:
    """Return a tool's name without what servers leave around it: `functions.read_file<|channel|>…`.

    The namespaces are those of OpenAI's and Gemini's own formats.
    """
    match = _AROUND_NAME.fullmatch(name.strip())
    return match[1] if match else name


def resolve_tool_name(name: str, tool_names: Iterable[str]) -> str:
    """Resolve an alias of a tool; return an unknown name as it is."""
    names = {_normalize_name(tool): tool for tool in (*TOOLS, *tool_names)}
    resolved = names.get(_normalize_name(name), name)
    return TOOLS.get(resolved, resolved)


def translate_editor_call(name: str, args: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Translate a call of an editor with several commands to the tool for its command."""
    command = args.get("command")
    one_of_many = _normalize_name(name) in ("strreplaceeditor", "strreplacebasededittool")
    if not one_of_many or not isinstance(command, str) or command not in EDITOR:
        return name, dict(args)
    arguments = {key: value for key, value in args.items() if key != "command"}
    view_range = arguments.pop("view_range", None)
    if isinstance(view_range, list) and len(lines := cast("list[object]", view_range)) == 2:
        start, end = lines
        arguments |= {"start_line": start, **({"end_line": end} if end != -1 else {})}
    return EDITOR[command], arguments


def rename_arguments(
    tool: str, args: Mapping[str, object], parameters: Iterable[str]
) -> dict[str, object]:
    """Rename arguments to the tool's own names; drop null ones."""
    takes = list(parameters)
    own = {_normalize_name(parameter): parameter for parameter in takes}
    others = {_normalize_name(alias): name for alias, name in ARGUMENTS.get(tool, {}).items()}
    renamed: dict[str, object] = {}
    for argument, value in args.items():
        name = own.get(_normalize_name(argument)) or others.get(_normalize_name(argument), argument)
        is_duplicate = name in renamed or (name != argument and name in args)
        if value is not None and not (argument in REMARKS and name not in takes):
            renamed[argument if is_duplicate else name] = value
    return renamed


@lru_cache(maxsize=1024)
def _normalize_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
