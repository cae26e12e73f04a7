"""The rules of an agent's file: our own lists, or opencode's table of tools and verdicts."""

from collections.abc import Callable, Mapping
from typing import cast

from ..settings.permission_rules import KINDS, Kind, WrittenRule

NOT_HERE = frozenset(
    ["external_directory", "doom_loop", "task", "skill", "lsp", "websearch", "codesearch"]
)
"""What opencode's table decides besides: it is never allowed here, or there is no such thing."""
Place = Callable[..., str]
"""`FILE:LINE` of a path of keys under `permissions`."""


def rules_in(value: object, place: Place) -> tuple[list[WrittenRule], list[str]]:
    """The rules, and what could not be understood, each with its place."""
    rules: list[WrittenRule] = []
    wrong: list[str] = []
    if not isinstance(value, dict):
        return [], [f"{place()}: `permissions` must be a mapping of deny, ask and allow"]
    for name, entry in cast("Mapping[str, object]", value).items():
        if name in KINDS:
            _take_list(name, entry, place, rules, wrong)
        elif name not in NOT_HERE:
            _take_tool(name, entry, place, rules, wrong)
    return rules, wrong


def _take_list(
    kind: Kind, entry: object, place: Place, rules: list[WrittenRule], wrong: list[str]
) -> None:
    """`deny: [edit, run_command(git push:*)]`."""
    if not isinstance(entry, list):
        wrong.append(f"{place(kind)}: `{kind}` must be a list of rules")
        return
    for number, rule in enumerate(cast("list[object]", entry)):
        where = place(kind, str(number))
        if isinstance(rule, str):
            rules.append(WrittenRule(kind, rule, where))
        else:
            wrong.append(f"{where}: a rule is written `TOOL` or `TOOL(PATTERN)`")


def _take_tool(
    tool: str, entry: object, place: Place, rules: list[WrittenRule], wrong: list[str]
) -> None:
    """`edit: deny`, or `bash: {"git push *": ask}`."""
    table = cast("Mapping[str, object]", entry) if isinstance(entry, dict) else {"*": entry}
    for pattern, verdict in table.items():
        where = place(tool, pattern)
        text = _translated(tool, pattern)
        if verdict not in KINDS:
            wrong.append(f"{where}: `{tool}` must be deny, ask or allow")
        elif text is None:
            hint = "write a rule under `deny`, `ask` or `allow`"
            wrong.append(f"{where}: the pattern `{pattern}` is not understood; {hint}")
        else:
            rules.append(WrittenRule(verdict, text, where))


def _translated(tool: str, pattern: str) -> str | None:
    """Our rule for opencode's pattern; None where it is more than words and a `*` at their end."""
    if pattern == "*":
        return tool
    words = pattern.removesuffix("*").rstrip()
    if not words or "*" in words or "?" in words or tool != "bash":
        return None
    open_end = pattern != words
    return f"run_command({words}{':*' if open_end else ''})"
