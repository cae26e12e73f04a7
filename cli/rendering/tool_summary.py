"""A tool call and the facts of its result, each on one line."""

from collections.abc import Mapping
from typing import Any

from ..i18n.catalogs import t
from .sanitize import escape_hidden

# The verb of each tool, as its keys in the catalogue name it
VERBS = {
    "read_file": "read",
    "list_files": "list",
    "glob": "search",
    "grep": "search",
    "list_code_definitions": "read",
    "module_doc_read": "read",
    "command_output": "read",
    "edit": "edit",
    "replace_in_file": "edit",
    "apply_patch": "edit",
    "write_file": "write",
    "module_doc_write": "write",
    "run_command": "run",
    "run_tests": "run",
    "shell_start": "run",
    "command_kill": "stop",
    "todowrite": "plan",
    "todoclear": "plan",
    "todoread": "plan",
    "plan_enter": "plan",
    "plan_exit": "plan",
    "ask_user": "ask",
    "subagent": "ask",
    "webfetch": "fetch",
    "search_memory": "recall",
    "recall_notes": "recall",
    "use_rag_tool": "recall",
    "find_tools": "search",
    "record_note": "note",
    "get_skill": "learn",
    "attempt_completion": "finish",
}
# Reasons of questions that the call says already
SELF_EVIDENT = ("it changes files",)
WIDTH = 120
# Arguments that describe a call; the rest are details
MAIN_ARGUMENTS = (
    "command",
    "file_path",
    "path",
    "regex",
    "pattern",
    "question",
    "action",
    "id",
    "result",
)


def format_call(tool: str, args: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return the tool and the subject of the call; cut a long text."""
    texts = [value for value in args.values() if isinstance(value, str)]
    about = (
        [args[name] for name in MAIN_ARGUMENTS if args.get(name)]
        or list_patched_files(tool, args)
        or texts[:1]
    )
    summary = escape_hidden(" ".join(map(_collapse_whitespace, (tool, *about))))
    return summary if len(summary) <= width else summary[: width - 1] + "…"


def list_patched_files(tool: str, args: Mapping[str, Any]) -> list[str]:
    """Return the files that a patch names; none if it cannot be parsed."""
    if tool != "apply_patch":
        return []
    from ...tools.editing.patch.parser import find_patched_names
    from ...tools.result import ToolError

    try:
        return find_patched_names(args)
    except ToolError:
        return []


def format_facts(metadata: Mapping[str, Any]) -> str:
    """Return the count of added and removed lines, or the exit code, in brackets; empty if none."""
    if "added" in metadata:
        return f"  (+{metadata['added']} -{metadata.get('removed', 0)})"
    if "background" in metadata and "state" not in metadata:
        return f"  ({t('tool.background', id=metadata['background'])})"
    if metadata.get("timed_out"):
        return f"  ({t('tool.timed_out')})"
    if "exit_code" in metadata:
        return f"  ({t('tool.exit_code', code=metadata['exit_code'])})"
    return ""


def _collapse_whitespace(value: object) -> str:
    return " ".join(str(value).split())
