"""Permission rules of an agent file: our own lists, opencode's table of tools, a table of files."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import cast

from ..settings.permission_rules import KINDS, RawRule, RuleKind
from ..text import text

# Other keys of opencode's table: never allowed here, or not supported
NOT_HERE = frozenset(
    ["external_directory", "doom_loop", "task", "skill", "lsp", "websearch", "codesearch"]
)
EVERY_FILE = ("*", "**", "**/*")
FILE_VERDICTS = ("allow", "read-only", "deny")
# `FILE:LINE` of a path of keys under `permissions`
KeyLocator = Callable[..., str]


def parse_rules(value: object, place: KeyLocator) -> tuple[list[RawRule], list[str]]:
    """Return the rules, and the errors, each with its place."""
    rules: list[RawRule] = []
    wrong: list[str] = []
    if not isinstance(value, dict):
        return [], [
            text("{place}: `permissions` must be a mapping of deny, ask and allow", place=place())
        ]
    for name, entry in cast("Mapping[str, object]", value).items():
        if name in KINDS:
            _parse_rule_list(name, entry, place, rules, wrong)
        elif name not in NOT_HERE:
            _parse_tool_rules(name, entry, place, rules, wrong)
    return rules, wrong


def parse_file_table(
    table: Mapping[str, object], place: KeyLocator
) -> tuple[tuple[str, ...], list[RawRule], list[str]]:
    """Return the meaning of `{".llc/plans/*.md": allow, "*": read-only}`.

    That is the only files that may be written, the rules that deny others, and the errors. The most
    specific pattern wins.
    """
    wrong = [
        text(
            "{place}: `{pattern}` takes allow, read-only or deny",
            place=place(pattern),
            pattern=pattern,
        )
        for pattern, verdict in table.items()
        if verdict not in FILE_VERDICTS
    ]
    rest = next((table[pattern] for pattern in EVERY_FILE if pattern in table), "allow")
    if rest == "deny":
        wrong.append(
            text(
                "{place}: `deny` for every file leaves nothing to read; use `read-only`",
                place=place(),
            )
        )
    named = {pattern: verdict for pattern, verdict in table.items() if pattern not in EVERY_FILE}
    allowed = [pattern for pattern, verdict in named.items() if verdict == "allow"]
    closed = {pattern: verdict for pattern, verdict in named.items() if verdict != "allow"}
    for inner in allowed:
        if outer := next((pattern for pattern in closed if fnmatchcase(inner, pattern)), ""):
            wrong.append(
                text(
                    "{place}: `{inner}` cannot be allowed inside `{outer}`",
                    place=place(inner),
                    inner=inner,
                    outer=outer,
                )
            )
    rules = [
        RawRule("deny", f"{tool}({pattern})", place(pattern))
        for pattern, verdict in closed.items()
        for tool in (("edit", "read_file") if verdict == "deny" else ("edit",))
    ]
    if rest != "allow" and not allowed:  # an empty list of files would mean any
        rules.append(RawRule("deny", "edit", place()))
    return (() if rest == "allow" else tuple(allowed)), rules, wrong


def _parse_rule_list(
    kind: RuleKind, entry: object, place: KeyLocator, rules: list[RawRule], wrong: list[str]
) -> None:
    """Parse `deny: [edit, run_command(git push:*)]`."""
    if not isinstance(entry, list):
        wrong.append(
            text("{place}: `{kind}` must be a list of rules", place=place(kind), kind=kind)
        )
        return
    for number, rule in enumerate(cast("list[object]", entry)):
        where = place(kind, str(number))
        if isinstance(rule, str):
            rules.append(RawRule(kind, rule, where))
        else:
            wrong.append(text("{place}: write a rule as `TOOL` or `TOOL(PATTERN)`", place=where))


def _parse_tool_rules(
    tool: str, entry: object, place: KeyLocator, rules: list[RawRule], wrong: list[str]
) -> None:
    """Parse `edit: deny`, or `bash: {"git push *": ask}`."""
    table = cast("Mapping[str, object]", entry) if isinstance(entry, dict) else {"*": entry}
    for pattern, verdict in table.items():
        where = place(tool, pattern)
        content = _translate_pattern(tool, pattern)
        if verdict not in KINDS:
            wrong.append(
                text("{place}: `{tool}` must be deny, ask or allow", place=where, tool=tool)
            )
        elif content is None:
            hint = "put the rule under `deny`, `ask` or `allow`"
            wrong.append(
                text(
                    "{place}: invalid pattern `{pattern}`; {hint}",
                    place=where,
                    pattern=pattern,
                    hint=hint,
                )
            )
        else:
            rules.append(RawRule(verdict, content, where))


def _translate_pattern(tool: str, pattern: str) -> str | None:
    """Return our rule for opencode's pattern; None if it is more than words and a final `*`."""
    if pattern == "*":
        return tool
    words = pattern.removesuffix("*").rstrip()
    if not words or "*" in words or "?" in words or tool != "bash":
        return None
    open_end = pattern != words
    return f"run_command({words}{':*' if open_end else ''})"
