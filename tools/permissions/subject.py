"""Subjects that rules match: the programs, files or hosts of a call."""

from dataclasses import dataclass
from typing import Literal

# What the pattern of a rule matches; `call`: a rule on this tool has no pattern
PatternKind = Literal["command", "path", "host", "call"]

# Every tool that a rule can name; MCP tools, named `mcp_SERVER_TOOL`, are allowed as well
PATTERN_KINDS: dict[str, PatternKind] = {
    "run_command": "command",
    "webfetch": "host",
    **dict.fromkeys(["edit", "write_file", "replace_in_file", "apply_patch"], "path"),
    **dict.fromkeys(["read_file", "list_files", "glob", "grep", "git_diff", "git_log"], "path"),
    **dict.fromkeys(["command_output", "git_status", "git_branch", "ask_user"], "call"),
    **dict.fromkeys(["todowrite", "todoread", "todoclear", "attempt_completion"], "call"),
    **dict.fromkeys(["search_memory", "record_note", "recall_notes"], "call"),
    **dict.fromkeys(["plan_enter", "plan_exit", "plan_mode_respond"], "call"),
}

# The tools to which rules on `read_file` apply; rules on `edit` apply to every editing tool
READING_TOOLS = frozenset(["read_file", "list_files", "glob", "grep"])

# Rules on these tools apply to the files that a command changes, too
EDITING_TOOLS = frozenset(["edit", "write_file", "replace_in_file", "apply_patch"])


@dataclass(frozen=True)
class Subject:
    """One program, file or host."""

    names: tuple[str, ...]
    """A program and its arguments; a file by its given name and its real path; a host."""
    literal: bool = True
    """Whether the names are final: no word of a command needs expansion."""
    line: str = ""
    """The whole line of a command."""
    harmless: bool = False
    """Whether it only reads, so that no rule need allow it."""
    folder: str = ""
    """For a file the absolute path of the project, to which its names are relative; for a command
    the folder in which it runs, empty if it is known only at run time."""
