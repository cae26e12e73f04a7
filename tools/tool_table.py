"""Table of the built-in tools: where each is, and its nature, without importing it.

A new tool takes:

- `tools/builtin/<room>/<name>.py` with `@tool`, its description `<name>.md` beside it (100 to 750
  characters)
- a `ToolEntry` in `TOOLS` in `tools/tool_table.py`, at its place in every prompt
- its name in the agents that have it
- a row in `docs/tools.md`
- other names of it in `tools/aliases.py`
- if it takes paths, a line in `tests/corpora/test_paths.py`
- `make cassettes`. The size of the first request is limited: `evals/bench/test_prompts.py`
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

_TOOLS_FOLDER = Path(__file__).parent

# What the pattern of a rule matches; `call`: a rule on this tool has no pattern
PatternKind = Literal["command", "path", "host", "server", "call"]
# What must be configured for a tool to be offered
Requirement = Literal["", "memory", "rag", "mcp", "skills"]
# What a call needs of its thread: where its text comes from, the skills that the model still
# sees, or a node for each of its children
Need = Literal["", "text_origin", "shown_skills", "children"]


class ToolEntry(NamedTuple):
    """Where a tool is defined, and what the rest of the program must know about it."""

    module: str
    """The dotted name below `tools`."""
    effect: str
    """Its effect as its module declares it."""
    pattern: PatternKind = "call"
    """What the pattern of a permission rule on it matches."""
    shows_files: bool = False
    """Whether rules on `read_file` apply to it; rules on `edit` apply to every tool that edits."""
    is_repeatable: bool = False
    """Whether one line may answer a call that repeats an earlier one with the same result."""
    is_kept: bool = False
    """Whether its results are never pruned: words of the user, decisions, state, or always
    short."""
    is_foreign: bool = False
    """Whether its results are a stranger's words."""
    is_list: bool = False
    """Whether it only writes down what is to do: a step of such calls brings nothing new."""
    requires: Requirement = ""
    """What must be configured for it to be offered."""
    needs: Need = ""
    """What a call needs of its thread, besides what every call is given."""


# The order is fixed: the tools begin every prompt, which must stay the same
TOOLS = {
    "read_file": ToolEntry(
        "builtin.files.read_file", "read", "path", shows_files=True, is_repeatable=True
    ),
    "list_files": ToolEntry(
        "builtin.files.list_files", "read", "path", shows_files=True, is_repeatable=True
    ),
    "glob": ToolEntry("builtin.files.glob", "read", "path", shows_files=True, is_repeatable=True),
    "grep": ToolEntry("builtin.files.grep", "read", "path", shows_files=True, is_repeatable=True),
    "list_code_definitions": ToolEntry(
        "builtin.code.list_code_definitions", "read", "path", shows_files=True, is_repeatable=True
    ),
    "edit": ToolEntry("builtin.files.edit", "edit", "path"),
    "write_file": ToolEntry("builtin.files.write_file", "edit", "path"),
    "replace_in_file": ToolEntry("builtin.files.replace_in_file", "edit", "path"),
    "apply_patch": ToolEntry("builtin.files.apply_patch", "edit", "path"),
    "module_doc_read": ToolEntry(
        "builtin.code.module_docs", "read", "path", shows_files=True, is_repeatable=True
    ),
    "module_doc_write": ToolEntry("builtin.code.module_docs", "edit", "path"),
    "run_command": ToolEntry("builtin.shell.run_command", "execute", "command"),
    "command_output": ToolEntry("builtin.shell.command_output", "read"),
    "command_kill": ToolEntry("builtin.shell.command_kill", "note"),
    "git_status": ToolEntry("builtin.shell.git_tools", "read", is_repeatable=True),
    "git_diff": ToolEntry("builtin.shell.git_tools", "read", "path", is_repeatable=True),
    "git_log": ToolEntry("builtin.shell.git_tools", "read", "path", is_repeatable=True),
    "git_branch": ToolEntry("builtin.shell.git_tools", "read", is_repeatable=True),
    "todowrite": ToolEntry("builtin.notes.todo", "note", is_kept=True, is_list=True),
    "todoread": ToolEntry("builtin.notes.todo", "note", is_kept=True, is_list=True),
    "todoclear": ToolEntry("builtin.notes.todo", "note", is_kept=True, is_list=True),
    "ask_user": ToolEntry("builtin.session.ask_user", "talk", is_kept=True),
    "attempt_completion": ToolEntry("builtin.session.attempt_completion", "note", is_kept=True),
    "webfetch": ToolEntry("builtin.web.webfetch", "fetch", "host", is_foreign=True),
    "use_rag_tool": ToolEntry(
        "builtin.web.use_rag_tool", "fetch", "server", is_foreign=True, requires="rag"
    ),
    "plan_enter": ToolEntry("builtin.session.plan_mode", "talk", is_kept=True),
    "plan_exit": ToolEntry("builtin.session.plan_mode", "talk", is_kept=True),
    "plan_mode_respond": ToolEntry("builtin.session.plan_mode", "talk", is_kept=True),
    "search_memory": ToolEntry(
        "builtin.notes.memory_tools", "read", is_kept=True, requires="memory"
    ),
    "record_note": ToolEntry(
        "builtin.notes.memory_tools",
        "note",
        is_kept=True,
        requires="memory",
        needs="text_origin",
    ),
    "recall_notes": ToolEntry(
        "builtin.notes.memory_tools", "read", is_kept=True, requires="memory"
    ),
    "get_skill": ToolEntry(
        "builtin.session.get_skill",
        "read",
        is_kept=True,
        requires="skills",
        needs="shown_skills",
    ),
    "subagent": ToolEntry("builtin.session.subagent", "note", needs="children"),
    "find_tools": ToolEntry("builtin.mcp.find_tools", "read", is_foreign=True, requires="mcp"),
    "use_mcp_tool": ToolEntry(
        "builtin.mcp.use_mcp_tool", "execute", is_foreign=True, requires="mcp"
    ),
}


def select_names(has_nature: Callable[[ToolEntry], bool]) -> frozenset[str]:
    """Select the names of the tools with this nature."""
    return frozenset(name for name, entry in TOOLS.items() if has_nature(entry))


def read_description(name: str) -> str:
    """Read a tool's description for the model."""
    module = _TOOLS_FOLDER.joinpath(*TOOLS[name].module.split("."))
    return module.with_name(f"{name}.md").read_text(encoding="utf-8").strip()


def get_need(name: str) -> Need:
    """Return what a call of the tool needs of its thread; nothing for a tool of a server."""
    entry = TOOLS.get(name)
    return entry.needs if entry else ""
