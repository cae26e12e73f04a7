"""The tools that an agent is offered, by the names in its file."""

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

from langchain_core.tools import BaseTool

from ...config.agents.profile import AgentProfile
from ...config.errors import UsageError
from ...config.settings.schema import ToolsSection
from ...config.text import text
from .. import aliases
from ..builtin.session.plan_mode import LEADS_TO
from ..permissions.policy import read_files
from ..permissions.rule import fold_mcp_name, read_rule
from ..tool_table import Requirement, select_names
from .registry import NAMES, PROGRAM_NAMES, select_tools

# each belongs to a graph or a mode, which names it, so `*` does not include it
BELONGING = frozenset(["attempt_completion", *LEADS_TO, "plan_mode_respond"])
# tools of plan mode; its permissions ensure that only the plan is written
PLANNING = frozenset(["write_file", "edit", "plan_exit", "plan_mode_respond"])
# tools of the thread's own agent: a sub-agent neither sends others nor changes the mode
NOT_IN_CHILDREN = frozenset(["subagent", *LEADS_TO, "plan_mode_respond"])
# the tools that reach all others of MCP servers
BRIDGE = frozenset(["find_tools", "use_mcp_tool"])
# tools of other agents, whose files may name tools that do not exist here
_ELSEWHERE = frozenset(
    ["websearch", "codesearch", "notebookedit", "notebookread", "lsp"] + [*aliases.TOOLS.values()]
)


def select_agent_tools(
    profile: AgentProfile,
    chosen: ToolsSection,
    *,
    planning: bool = False,
    lacking: Collection[Requirement] = (),
) -> tuple[BaseTool, ...]:
    """Return the tools that the agent is offered; raises UsageError with the place of a wrong name.

    A subagent is offered no more than its parent. An agent that is `planning` can write the plan
    and show it. A tool that requires something `lacking` is not offered.
    """
    names = select_tool_names(profile, planning=planning, lacking=lacking)
    return select_tools(names, chosen)


def select_child_tools(
    profile: AgentProfile,
    chosen: ToolsSection,
    *,
    planning: bool = False,
    lacking: Collection[Requirement] = (),
) -> tuple[BaseTool, ...]:
    """Return the tools of a sub-agent: it sends none itself, and in plan mode it edits nothing."""
    names = select_tool_names(profile, lacking=lacking) - NOT_IN_CHILDREN
    if planning:
        names -= select_names(lambda entry: entry.effect == "edit")
    return select_tools(names, chosen)


def select_tool_names(
    profile: AgentProfile, *, planning: bool = False, lacking: Collection[Requirement] = ()
) -> frozenset[str]:
    """Return the names of an agent's tools, without loading any of them."""
    beside = PLANNING if planning else frozenset[str]()
    offered = select_names(lambda entry: entry.requires not in lacking)
    for limit in profile.limits:
        allowed_names = _resolve_names(limit, "tools", limit.allowed_tools) | beside
        allowed_names |= BRIDGE if _reaches_servers(limit.allowed_tools) else frozenset()
        offered &= allowed_names - _resolve_names(limit, "denied_tools", limit.denied_tools)
    return offered


def can_call_server_tool(name: str, profile: AgentProfile, chosen: ToolsSection) -> bool:
    """Return whether an agent may be offered, and may call, a tool of an MCP server."""
    every = all(
        _matches(name, limit.allowed_tools) and not _matches(name, limit.denied_tools)
        for limit in profile.limits
    )
    is_enabled = not chosen.enabled or _matches(name, chosen.enabled)
    return every and is_enabled and not _matches(name, chosen.disabled)


def _matches(name: str, written: Iterable[str]) -> bool:
    """Return whether a list of tools has this one; `use_mcp_tool` stands for all of servers."""
    folded = fold_mcp_name(name)
    return any(
        fnmatchcase(folded, fold_mcp_name(entry)) or _resolve_alias(entry) == "use_mcp_tool"
        for entry in written
    )


def _reaches_servers(written: Iterable[str]) -> bool:
    return any(
        fold_mcp_name(entry).startswith("mcp_") or _resolve_alias(entry) == "use_mcp_tool"
        for entry in written
    )


def _resolve_alias(written: str) -> str:
    return aliases.resolve_tool_name(written, NAMES)


def _resolve_names(profile: AgentProfile, key: str, written: Iterable[str]) -> frozenset[str]:
    return frozenset(name for entry in written for name in _resolve_name(profile, key, entry))


def _resolve_name(profile: AgentProfile, key: str, written: str) -> Iterable[str]:
    """Return the tools of one name, which may be an alias or a pattern; none for a foreign tool."""
    if "*" in written:
        matching_names = [name for name in NAMES if fnmatchcase(name, written)]
        return matching_names if key == "denied_tools" else set(matching_names) - BELONGING
    name = aliases.resolve_tool_name(written, (*NAMES, *_ELSEWHERE))
    if name in NAMES:
        return [name]
    if written in PROGRAM_NAMES or name in _ELSEWHERE or fold_mcp_name(name).startswith("mcp_"):
        return []
    close = get_close_matches(name.lower(), (*NAMES, *aliases.TOOLS), n=1, cutoff=0.5)
    suggestion = (
        text(
            "did you mean `{tool}`?",
            tool=aliases.resolve_tool_name(close[0], NAMES),
        )
        if close
        else text("available: {names}", names=", ".join(NAMES))
    )
    raise UsageError(
        text(
            "{place}: `{written}` is not a tool; {suggestion}",
            place=profile.locate_key(key),
            written=written,
            suggestion=suggestion,
        )
    )


def find_mistakes(profile: AgentProfile) -> Iterator[str]:
    """Find the tools, rules and files of an agent that do not exist, each as `FILE:LINE: what`."""
    try:
        select_agent_tools(profile, ToolsSection())
    except UsageError as error:
        yield error.message
    for rule in profile.permissions:
        try:
            read_rule(rule)
        except ValueError as error:
            yield text(
                "{origin}: {kind} rule `{text}`: {error}",
                origin=rule.origin,
                kind=rule.kind,
                text=rule.text,
                error=error,
            )
    try:
        read_files(profile)
    except UsageError as error:
        yield error.message
