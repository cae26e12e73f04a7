"""Subjects that rules match: the programs, files or hosts of a call."""

from dataclasses import dataclass

from ..tool_table import TOOLS, PatternKind, select_names

# Every tool that a rule can name; MCP tools, named `mcp_SERVER_TOOL`, are allowed as well
PATTERN_KINDS: dict[str, PatternKind] = {name: entry.pattern for name, entry in TOOLS.items()}

# The tools to which rules on `read_file` apply; rules on `edit` apply to every editing tool
READING_TOOLS = select_names(lambda entry: entry.shows_files)

# Rules on these tools apply to the files that a command changes, too
EDITING_TOOLS = select_names(lambda entry: entry.effect == "edit")


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
