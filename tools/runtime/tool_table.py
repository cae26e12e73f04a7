"""Table of the built-in tools: order, module, effect and description, without imports."""

from pathlib import Path
from typing import NamedTuple

_TOOLS_FOLDER = Path(__file__).parent.parent


class ToolEntry(NamedTuple):
    """Where a tool is defined, and its effect as its module declares it."""

    module: str
    """The dotted name below `tools`."""
    effect: str


# The order is fixed: the tools begin every prompt, which must stay the same
TOOLS = {
    "read_file": ToolEntry("builtin.files.read_file", "read"),
    "list_files": ToolEntry("builtin.files.list_files", "read"),
    "glob": ToolEntry("builtin.files.glob", "read"),
    "grep": ToolEntry("builtin.files.grep", "read"),
    "edit": ToolEntry("builtin.files.edit", "edit"),
    "write_file": ToolEntry("builtin.files.write_file", "edit"),
    "replace_in_file": ToolEntry("builtin.files.replace_in_file", "edit"),
    "apply_patch": ToolEntry("builtin.files.apply_patch", "edit"),
    "run_command": ToolEntry("builtin.shell.run_command", "execute"),
    "command_output": ToolEntry("builtin.shell.command_output", "read"),
    "git_status": ToolEntry("builtin.shell.git_tools", "read"),
    "git_diff": ToolEntry("builtin.shell.git_tools", "read"),
    "git_log": ToolEntry("builtin.shell.git_tools", "read"),
    "git_branch": ToolEntry("builtin.shell.git_tools", "read"),
    "todowrite": ToolEntry("builtin.notes.todo", "note"),
    "todoread": ToolEntry("builtin.notes.todo", "note"),
    "todoclear": ToolEntry("builtin.notes.todo", "note"),
    "ask_user": ToolEntry("builtin.session.ask_user", "talk"),
    "attempt_completion": ToolEntry("builtin.session.attempt_completion", "note"),
    "webfetch": ToolEntry("builtin.web.webfetch", "fetch"),
    "plan_enter": ToolEntry("builtin.session.plan_mode", "talk"),
    "plan_exit": ToolEntry("builtin.session.plan_mode", "talk"),
    "plan_mode_respond": ToolEntry("builtin.session.plan_mode", "talk"),
    "search_memory": ToolEntry("builtin.notes.memory_tools", "read"),
    "record_note": ToolEntry("builtin.notes.memory_tools", "note"),
    "recall_notes": ToolEntry("builtin.notes.memory_tools", "read"),
}


def read_description(name: str) -> str:
    """Read a tool's description for the model."""
    module = _TOOLS_FOLDER.joinpath(*TOOLS[name].module.split("."))
    return module.with_name(f"{name}.md").read_text(encoding="utf-8").strip()
