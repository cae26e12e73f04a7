"""Which tools a hook is for: by our names, their aliases, and Claude Code's names."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from ..aliases import TOOLS

# Claude Code's names of the tools whose calls hooks see; the first is the one that a hook reads
CLAUDE_NAMES: Mapping[str, tuple[str, ...]] = {
    "run_command": ("Bash",),
    "command_output": ("BashOutput",),
    "command_kill": ("KillShell", "KillBash"),
    "read_file": ("Read",),
    "list_files": ("LS",),
    "glob": ("Glob",),
    "grep": ("Grep",),
    "edit": ("Edit", "MultiEdit"),
    "replace_in_file": ("Edit", "MultiEdit"),
    "apply_patch": ("Edit", "MultiEdit", "Write"),
    "write_file": ("Write",),
    "module_doc_write": ("Write",),
    "webfetch": ("WebFetch",),
    "todowrite": ("TodoWrite",),
    "subagent": ("Task", "Agent"),
    "get_skill": ("Skill",),
}
EVERY = ("", "*")
# Without other characters a matcher is a list of whole names, as in Claude Code
_PLAIN = re.compile(r"[\w|,\s-]+")
_SEPARATOR = re.compile(r"[|,]")


# A matcher with one says which tools it is not for
_NEGATION = re.compile(r"\(\?<?!")


def matches_tool(matcher: str, tool: str) -> bool:
    """Return whether a hook with this matcher is for a tool; the case of letters does not count.

    It must match a whole name; with `^` in front and no `$` the beginning of our name or of Claude
    Code's, as there. One with `(?!…)` must match all names of the tool, or it would be for each
    tool that has another name, too.
    """
    if matcher in EVERY:
        return True
    names = list_tool_names(tool)
    if _PLAIN.fullmatch(matcher):
        matcher_names = {name.strip().casefold() for name in _SEPARATOR.split(matcher)}
        return not matcher_names.isdisjoint(name.casefold() for name in names)
    match = re.match if matcher.startswith("^") else re.fullmatch
    if _NEGATION.search(matcher):
        return all(match(matcher, name, re.IGNORECASE) for name in names)
    return any(re.fullmatch(matcher, name, re.IGNORECASE) for name in names) or any(
        match(matcher, name, re.IGNORECASE) for name in _list_main_names(tool)
    )


def matches_any_tool(matcher: str, tools: Collection[str]) -> bool:
    """Return whether it is for one of these tools, or for one of an MCP server."""
    return "mcp" in matcher.casefold() or any(matches_tool(matcher, tool) for tool in tools)


@lru_cache(maxsize=256)
def list_tool_names(tool: str) -> tuple[str, ...]:
    """List the names of a tool: its own, its aliases and Claude Code's."""
    aliases = [alias for alias, name in TOOLS.items() if name == tool]
    own, *claude_names = _list_main_names(tool)
    return (own, *aliases, *claude_names)


def _list_main_names(tool: str) -> tuple[str, ...]:
    """List our name of a tool and Claude Code's."""
    return (tool, *CLAUDE_NAMES.get(tool, ()), *_iter_claude_mcp_names(tool))


def get_claude_name(tool: str) -> str:
    """Return the name under which a hook for Claude Code knows the tool; else our own."""
    return next(iter(CLAUDE_NAMES.get(tool, ())), tool)


def _iter_claude_mcp_names(tool: str) -> Iterator[str]:
    """Yield `mcp__SERVER__TOOL` for each place where the server's name may end."""
    prefix, _, rest = tool.partition("_")
    words = rest.split("_")
    for end in range(1, len(words)) if prefix == "mcp" else ():
        yield f"mcp__{'_'.join(words[:end])}__{'_'.join(words[end:])}"
