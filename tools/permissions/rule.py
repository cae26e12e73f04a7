"""One rule: `TOOL` or `TOOL(PATTERN)`, read from the configuration and held against calls."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from ...config.settings.permission_rules import Kind, WrittenRule
from .. import aliases
from .call import Call
from .command_pattern import CommandPattern, command_pattern
from .flag_limits import why_beyond
from .host_pattern import host_pattern
from .path_pattern import path_pattern
from .subject import ABOUT, READING, About, Subject

_SHAPE = re.compile(r"([\w*-]+)(?:\((.*)\))?", re.DOTALL)
_MCP = re.compile(r"mcp_[\w*-]+")


class Pattern(Protocol):
    """What stands in a rule's brackets."""

    def touches(self, subject: Subject, /) -> bool | None:
        """Whether it is meant, in the widest sense; None where it may turn out to be."""
        ...

    def covers(self, subject: Subject, /) -> bool:
        """Whether it is surely meant."""
        ...


_READERS: dict[About, Callable[[str], Pattern]] = {
    "command": command_pattern,
    "path": path_pattern,
    "host": host_pattern,
}


@dataclass(frozen=True)
class Rule:
    """A rule that is understood."""

    kind: Kind
    text: str
    origin: str
    tool: str
    """Its own name; for tools of MCP servers `*` stands for any letters."""
    pattern: Pattern | None
    """None: every call of the tool."""

    def touches(self, call: Call) -> bool | None:
        """Whether it meets any part of the call; None where that cannot be told for sure."""
        if not self._is_about(call):
            return False
        if self.pattern is None:
            return True
        found = [self.pattern.touches(subject) for subject in call.subjects]
        return True if True in found else None if None in found else False

    def meets(self, subject: Subject) -> bool:
        """Whether its pattern meets a file, or may, whatever the tool is."""
        return self.pattern is None or self.pattern.touches(subject) is not False

    def covers(self, call: Call, subject: Subject) -> bool:
        """Whether it allows this part of the call."""
        if not self._is_about(call) or (self.pattern and not self.pattern.covers(subject)):
            return False
        return not self.why_beyond(call, subject)

    def why_beyond(self, call: Call, subject: Subject) -> str:
        """What a command does beyond the first words that the rule allows; empty where nothing."""
        pattern = self.pattern
        if not (isinstance(pattern, CommandPattern) and pattern.is_prefix):
            return ""
        if not self._is_about(call) or not pattern.covers(subject):
            return ""
        folder = Path(subject.folder) if subject.folder else None
        return why_beyond(subject.names, pattern.words, folder, call.workspace)

    def _is_about(self, call: Call) -> bool:
        if "*" in self.tool or self.tool.startswith("mcp_"):
            name = ".*".join(map(re.escape, self.tool.split("*")))
            return re.fullmatch(name, _collapsed(call.tool)) is not None
        wide = {"edit": call.effect == "edit", "read_file": call.tool in READING}
        return call.tool == self.tool or wide.get(self.tool, False)


def read_rule(written: WrittenRule) -> Rule:
    """Understand a rule; raises ValueError saying what is wrong with it."""
    shape = _SHAPE.fullmatch(written.text.strip())
    if shape is None:
        raise ValueError("write a rule as `TOOL` or `TOOL(PATTERN)`")
    tool, inner = _tool(shape[1]), shape[2]
    if inner is None or inner.strip() == "*":
        return Rule(written.kind, written.text, written.origin, tool, None)
    if not inner.strip():
        raise ValueError("the brackets are empty; remove them to match every call")
    reader = _READERS.get(ABOUT.get(tool, "call"))
    if reader is None:
        raise ValueError(f"rules on `{tool}` take no pattern")
    return Rule(written.kind, written.text, written.origin, tool, reader(inner.strip()))


def allowed_by(rules: Iterable[Rule], call: Call) -> list[Rule]:
    """The rules that allow the call together; empty when a part of it is left over."""
    if call.command and not (call.judgement and call.judgement.plain):
        return []
    needed = [one for one in call.subjects if not one.harmless]
    found = [next((rule for rule in rules if rule.covers(call, one)), None) for one in needed]
    return [] if None in found else [rule for rule in found if rule]


def why_not_allowed(rules: Iterable[Rule], call: Call) -> str:
    """What of the call goes beyond a rule that allows its first words; empty where nothing."""
    needed = [one for one in call.subjects if not one.harmless]
    reasons = (rule.why_beyond(call, one) for one in needed for rule in rules)
    return next(filter(None, reasons), "")


def _tool(name: str) -> str:
    """The tool's own name, from any name that people know it by."""
    own = aliases.tool_name(name, ABOUT)
    if own in ABOUT:
        return own
    if _MCP.fullmatch(mcp := _collapsed(name)):
        return mcp
    close = get_close_matches(own, ABOUT, n=1, cutoff=0.5)
    meant = f"did you mean `{close[0]}`?" if close else f"available: {', '.join(ABOUT)}"
    raise ValueError(f"`{name}` is not a tool; {meant}")


def _collapsed(name: str) -> str:
    """`mcp__server__tool`, as other agents write it, is `mcp_server_tool`."""
    return re.sub("__+", "_", name).casefold()
