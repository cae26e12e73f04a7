"""What rules are held against: the programs, files or hosts of a call, one by one."""

from dataclasses import dataclass
from typing import Literal

# What the pattern of a rule on a tool speaks of; `call`: such a rule takes no pattern
PatternKind = Literal["command", "path", "host", "call"]

# Every tool that a rule can name; those of MCP servers are named `mcp_SERVER_TOOL` besides
PATTERN_KINDS: dict[str, PatternKind] = {
    "run_command": "command",
    "webfetch": "host",
    **dict.fromkeys(["edit", "write_file", "replace_in_file", "apply_patch"], "path"),
    **dict.fromkeys(["read_file", "list_files", "glob", "grep", "git_diff", "git_log"], "path"),
    **dict.fromkeys(["command_output", "git_status", "git_branch", "ask_user"], "call"),
    **dict.fromkeys(["todowrite", "todoread", "todoclear", "attempt_completion"], "call"),
    **dict.fromkeys(["plan_enter", "plan_exit", "plan_mode_respond"], "call"),
}

# What the rules on `read_file` hold for; those on `edit` hold for every tool that edits
READING_TOOLS = frozenset(["read_file", "list_files", "glob", "grep"])

# Rules on these hold for the files that a command changes, too
EDITING_TOOLS = frozenset(["edit", "write_file", "replace_in_file", "apply_patch"])


@dataclass(frozen=True)
class Subject:
    """One program, file or host."""

    names: tuple[str, ...]
    """A program and its arguments; a file as it is named and as it really is; a host."""
    literal: bool = True
    """Whether the names are what they will be: no word of a command is still to be expanded."""
    line: str = ""
    """The whole line that a command stands in."""
    harmless: bool = False
    """Whether it only reads, so that no rule need allow it."""
    folder: str = ""
    """The project's absolute path, to which a file's names are relative; the folder in which a
    command runs, empty where only a run would tell."""
