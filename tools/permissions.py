"""The one place that decides whether a tool call runs, is asked or is refused.

Four rules look at every call and the strictest answer wins: paths outside the project and ignored
ones are refused; ruinous commands and those that name ignored files are refused; protected names
are asked; and the mode says the rest, with the whitelist for commands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..config.settings import Mode
from .command_check import check
from .protected import protected_name
from .result import ToolRefusal
from .shell_words import plain_words
from .workspace import Workspace

if TYPE_CHECKING:
    from .tool import Effect

Verdict = Literal["allow", "ask", "deny"]
_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


@dataclass(frozen=True)
class Policy:
    """What the user allows."""

    mode: Mode
    whitelist: tuple[str, ...] = ()
    """Commands that run unasked: the exact words that a simple command starts with."""


@dataclass(frozen=True)
class Decision:
    """What becomes of a call, why, and by which rule."""

    verdict: Verdict
    reason: str
    rule: str


def decide(
    tool_name: str,
    effect: "Effect",
    args: Mapping[str, object],
    paths: tuple[str, ...],
    workspace: Workspace,
    policy: Policy,
) -> Decision:
    """Decide one call; `paths` names the arguments that are paths. Whatever goes wrong is asked."""
    call = _Call(tool_name, effect, args, paths)
    decisions = [
        _ruled(rule, call, workspace, policy)
        for rule in (_by_paths, _by_command, _by_protection, _by_mode)
    ]
    return max(filter(None, decisions), key=lambda decision: _STRICTNESS[decision.verdict])


@dataclass(frozen=True)
class _Call:
    tool: str
    effect: "Effect"
    args: Mapping[str, object]
    paths: tuple[str, ...]

    def named(self) -> list[str]:
        """The paths in the arguments; one left empty means the tool's own default."""
        return [path for path in map(self.args.get, self.paths) if isinstance(path, str) and path]


_Rule = Callable[[_Call, Workspace, Policy], Decision | None]


def _ruled(rule: _Rule, call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    try:
        return rule(call, workspace, policy)
    except Exception as error:
        return Decision("ask", f"this call could not be checked: {type(error).__name__}", "error")


def _by_paths(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    for path in call.named():
        try:
            workspace.resolve(path)
        except ToolRefusal as refusal:
            return Decision("deny", str(refusal), "path")
    return None


def _by_command(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    command = call.args.get("command")
    if call.effect != "execute" or not isinstance(command, str):
        return None
    finding = check(command, str(call.args.get("cwd") or "."), workspace)
    return Decision(finding.verdict, finding.reason, finding.rule) if finding else None


def _by_protection(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    if call.effect not in ("edit", "execute"):
        return None
    for path in call.named():
        real = workspace.relative(workspace.resolve(path))
        if name := protected_name(path) or protected_name(real):
            reason = f"`{name}` steers this agent or other tools; a change of it is always asked"
            return Decision("ask", reason, "protected")
    return None


def _by_mode(call: _Call, workspace: Workspace, policy: Policy) -> Decision:
    edits, mode = call.effect == "edit", policy.mode
    if call.effect == "talk":
        return Decision("ask", "it asks the user", "effect")
    if call.effect in ("read", "note"):
        return Decision("allow", "it changes no file and runs nothing", "effect")
    if mode == "read-only":
        reason = f"{call.tool} is not available in read-only mode; say what you would do instead"
        return Decision("deny", reason, "mode")
    if mode == "auto" or (edits and mode == "edits"):
        return Decision("allow", f"mode `{mode}`", "mode")
    if not edits and (entry := _whitelisted(call.args.get("command"), policy.whitelist)):
        return Decision("allow", f"`{entry}` is in the whitelist", "whitelist")
    return Decision("ask", "it changes files" if edits else "it runs a program", "mode")


def _whitelisted(command: object, whitelist: tuple[str, ...]) -> str:
    """The entry that lets a command run unasked; empty when there is none."""
    words = plain_words(command) if isinstance(command, str) else None
    for entry in whitelist:
        first = entry.split()
        if words and first and words[: len(first)] == first:
            return entry
    return ""
