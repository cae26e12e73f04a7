"""One rule, `TOOL` or `TOOL(PATTERN)`: parsed from the configuration and matched with calls."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...config.security.provenance import Provenance, find_provenance_changes
from ...config.settings.permission_rules import RawRule, RuleKind
from ...config.text import text
from .. import aliases
from ..mcp.tool_names import PREFIX, fold_name, make_tool_name
from ..tool_table import PatternKind
from .command_pattern import CommandPattern, parse_command_pattern, widen_pattern
from .host_pattern import parse_host_pattern
from .path_pattern import parse_path_pattern
from .subject import PATTERN_KINDS, READING_TOOLS, Subject

if TYPE_CHECKING:
    from ..mcp.server_config import McpServer
    from .call import RequestedCall


_SHAPE = re.compile(r"([\w*-]+)(?:\((.*)\))?", re.DOTALL)
_MCP = re.compile(r"mcp_[\w*-]+")
OTHER_NAME = "`{rule}` is allowed, but not as `{name}`"
NOT_COVERED = "the rule for `{command}` does not cover `{program} {flag}`"


class Pattern(Protocol):
    """The pattern in a rule's brackets."""

    def matches_loosely(self, subject: Subject, /) -> bool | None:
        """Return whether it matches in the widest sense; None if it may match."""
        ...

    def matches_strictly(self, subject: Subject, /) -> bool:
        """Return whether it certainly matches."""
        ...


@dataclass(frozen=True)
class ServerPattern:
    """The name of a retrieval server, in which `*` is any text."""

    name: str

    def matches_loosely(self, server: Subject) -> bool:
        """Return whether the server matches."""
        return self.matches_strictly(server)

    def matches_strictly(self, server: Subject) -> bool:
        """Return whether the server matches."""
        return fnmatchcase(server.names[0], self.name)


_READERS: dict[PatternKind, Callable[[str], Pattern]] = {
    "command": parse_command_pattern,
    "path": parse_path_pattern,
    "host": parse_host_pattern,
    "server": ServerPattern,
}


@dataclass(frozen=True)
class Rule:
    """A parsed rule."""

    kind: RuleKind
    text: str
    origin: str
    tool: str
    """The tool's own name; for MCP tools `*` matches any letters."""
    pattern: Pattern | None
    """None: every call of the tool."""
    consent: tuple[Provenance, ...] | None = None
    """What a rule from an answer covers of what its calls start; None: the user has written it."""

    @property
    def description(self) -> str:
        """Its kind, text and place."""
        return f"{self.kind} {self.text} ({self.origin})"

    def matches_call(self, call: "RequestedCall") -> bool | None:
        """Return whether it matches any part of the call; None if that is uncertain."""
        if not self._is_about(call):
            return False
        if self.pattern is None:
            return True
        outcomes = [self.pattern.matches_loosely(subject) for subject in call.subjects]
        if True in outcomes:
            return True
        guessed = any(self.pattern.matches_loosely(guess) for guess in call.guesses)
        return None if guessed or None in outcomes else False

    def may_match(self, subject: Subject) -> bool:
        """Return whether its pattern matches a file, or may, for any tool."""
        return self.pattern is None or self.pattern.matches_loosely(subject) is not False

    def can_allow(self, call: "RequestedCall", subject: Subject) -> bool:
        """Return whether it allows this part of the call."""
        return self.names_part(call, subject) and not self.find_changes(call, subject)

    def names_part(self, call: "RequestedCall", subject: Subject) -> bool:
        """Return whether it allows this part of the call, if what that starts is unchanged."""
        if not self._is_about(call) or (
            self.pattern and not self.pattern.matches_strictly(subject)
        ):
            return False
        return self._names_server_of(call) and not self.find_excess(call, subject)

    def find_changes(self, call: "RequestedCall", subject: Subject) -> Sequence[str]:
        """Return what this part of the call starts and the user has not allowed, as messages."""
        if self.consent is None:
            return ()
        current = [origin.provenance for origin in call.find_origins(subject)]
        if call.is_of_server and not current:
            return ["its server is not known"]
        return find_provenance_changes(self.consent, current)

    def find_excess(self, call: "RequestedCall", subject: Subject) -> str:
        """Describe what a command does beyond the first words that the rule allows; else empty."""
        pattern = self.pattern
        if not (isinstance(pattern, CommandPattern) and pattern.is_prefix):
            return ""
        if not self._is_about(call) or not pattern.matches_strictly(subject):
            return ""
        folder = Path(subject.folder) if subject.folder else None
        if self.consent is not None:
            from ..consent.harmless_flags import find_other_word, knows_command

            if knows_command(pattern.words):
                word = find_other_word(subject.names, pattern.words, folder, call.workspace.root)
                command = {"command": " ".join(pattern.words), "program": subject.names[0]}
                return word and text(NOT_COVERED, flag=word, **command)
        from .flag_limits import find_excess  # brings the table of all programs that read

        return find_excess(subject.names, pattern.words, folder, call.workspace)

    def _names_server_of(self, call: "RequestedCall") -> bool:
        """Return whether it may allow a tool of this call's MCP server."""
        if not call.is_of_server or self.consent is not None or call.mcp_server is None:
            return True
        return names_server(self.tool, call.mcp_server, call.mcp_servers)

    def _is_about(self, call: "RequestedCall") -> bool:
        if "*" in self.tool or self.tool.startswith("mcp_"):
            name = ".*".join(map(re.escape, self.tool.split("*")))
            is_named = re.fullmatch(name, fold_mcp_name(call.tool)) is not None
            return is_named or self._is_whole_server(call)
        wide = {
            "edit": call.effect == "edit",
            "read_file": call.tool in READING_TOOLS,
            # it is the name by which the model may call the tools of all servers
            "use_mcp_tool": call.is_of_server and self.kind != "allow",
        }
        return call.tool == self.tool or wide.get(self.tool, False)

    def _is_whole_server(self, call: "RequestedCall") -> bool:
        """Return whether it names the call's MCP server without a tool, as `mcp__github` does."""
        if not call.is_of_server:
            return False
        if call.mcp_server is None:  # it is not configured; `mcp_a_b` may be a tool of `a`
            is_server = self.kind != "allow" and self.tool.count("_") == 1
            return is_server and fold_mcp_name(call.tool).startswith(f"{self.tool}_")
        return fold_mcp_name(f"mcp_{call.mcp_server.name}").rstrip("_") == self.tool.rstrip("_")


def read_rule(written: RawRule) -> Rule:
    """Parse a rule; raises ValueError with what is wrong."""
    shape = _SHAPE.fullmatch(written.text.strip())
    if shape is None:
        raise ValueError("write a rule as `TOOL` or `TOOL(PATTERN)`")
    tool, inner = _resolve_tool(shape[1]), shape[2]
    if inner is None or inner.strip() == "*":
        return Rule(written.kind, written.text, written.origin, tool, None, written.consent)
    if not inner.strip():
        raise ValueError("the brackets are empty; remove them to match every call")
    reader = _READERS.get(PATTERN_KINDS.get(tool, "call"))
    if reader is None:
        raise ValueError(text("rules for `{tool}` do not take a pattern", tool=tool))
    pattern = reader(inner.strip())
    if written.kind != "allow" and isinstance(pattern, CommandPattern):
        pattern = widen_pattern(pattern, shape[1])
    return Rule(written.kind, written.text, written.origin, tool, pattern, written.consent)


def find_allowing_rules(rules: Sequence[Rule], call: "RequestedCall") -> list[Rule]:
    """Return the rules that together allow the call; empty if they do not allow a part of it."""
    if call.command and not (call.analysis and call.analysis.plain):
        return []
    subjects = [subject for subject in call.subjects if not subject.harmless]
    matching_rules = [
        next((rule for rule in rules if rule.can_allow(call, subject)), None)
        for subject in subjects
    ]
    return [] if None in matching_rules else [rule for rule in matching_rules if rule]


def find_changed_consents(
    rules: Sequence[Rule], call: "RequestedCall"
) -> list[tuple[Rule, Subject]]:
    """Return the rules from answers that name a part of the call, of which something has changed.

    A part that another rule allows is left out.
    """
    if call.command and not (call.analysis and call.analysis.plain):
        return []
    bound = [rule for rule in rules if rule.consent is not None]
    subjects = [subject for subject in call.subjects if not subject.harmless] if bound else []
    return [
        (rule, subject)
        for subject in subjects
        if not any(rule.can_allow(call, subject) for rule in rules)
        for rule in bound
        if rule.names_part(call, subject)
    ]


def find_call_excess(rules: Iterable[Rule], call: "RequestedCall") -> str:
    """Describe what exceeds a rule that allows the call's first words; else empty."""
    subjects = [subject for subject in call.subjects if not subject.harmless]
    reasons = (rule.find_excess(call, subject) for subject in subjects for rule in rules)
    return next(filter(None, reasons), "")


def find_other_name(rules: Iterable[Rule], call: "RequestedCall") -> str:
    """Explain that a rule allows a command under another name, `python` for `python3`; or empty."""
    for rule in rules:
        if isinstance(pattern := rule.pattern, CommandPattern):
            for subject in call.subjects:
                command = subject.names[: len(pattern.words)]
                is_other = bool(command) and command != pattern.words and not subject.harmless
                if is_other and _strip_version(command) == _strip_version(pattern.words):
                    return text(OTHER_NAME, rule=" ".join(pattern.words), name=command[0])
    return ""


def _strip_version(command: Sequence[str]) -> Sequence[str]:
    """Return the command without the digits at the end of the program's name."""
    return [command[0].rstrip("0123456789."), *command[1:]]


def fold_mcp_name(name: str) -> str:
    """Convert `mcp__server__tool`, the form of other agents, to `mcp_server_tool`."""
    return re.sub("__+", "_", name).casefold()


def _resolve_tool(name: str) -> str:
    """Return the tool's own name for any of its known names."""
    own = aliases.resolve_tool_name(name, PATTERN_KINDS)
    if own in PATTERN_KINDS:
        return own
    if _MCP.fullmatch(mcp := fold_mcp_name(name)):
        return mcp
    close = get_close_matches(own, PATTERN_KINDS, n=1, cutoff=0.5)
    suggestion = (
        text("did you mean `{name}`?", name=close[0])
        if close
        else text("available: {tools}", tools=", ".join(PATTERN_KINDS))
    )
    raise ValueError(text("`{name}` is not a tool; {suggestion}", name=name, suggestion=suggestion))


def names_server(pattern: str, server: "McpServer", servers: "Mapping[str, McpServer]") -> bool:
    """Return whether a rule on tools, `mcp_SERVER_TOOL` with `*`, names a server."""
    if pattern == f"{PREFIX}*":
        return True  # the tools of all servers
    if not server.from_project:
        return (
            "*" not in pattern
            or _names_in_full(pattern, server)
            or _names_by_pattern(pattern, server)
        )
    if "*" in pattern and not _names_in_full(pattern, server):
        return False
    others = (other for other in servers.values() if not other.from_project)
    return not any(_names_in_full(pattern, other) for other in others)


def _names_in_full(pattern: str, server: "McpServer") -> bool:
    beginning = fold_name(make_tool_name(server.name, ""))
    return fold_name(pattern).startswith(beginning)


def _names_by_pattern(pattern: str, server: "McpServer") -> bool:
    """Return whether the part of the pattern before some `_` matches the server's whole name."""
    name = fold_name(make_tool_name(server.name, ""))
    folded = fold_name(pattern)
    ends = [at for at, letter in enumerate(folded) if letter == "_" and at >= len(PREFIX)]
    return any(
        "*" in folded[: end + 1] and fnmatchcase(name, folded[: end + 1].replace("[", "[[]"))
        for end in ends
    ) or (folded.endswith("*") and folded.count("*") == 1 and _is_open(folded, name))


def _is_open(folded: str, name: str) -> bool:
    """Return whether the only `*` stands in the server's name: `mcp_git*`."""
    return "_" not in folded[len(PREFIX) :] and fnmatchcase(name, folded)
