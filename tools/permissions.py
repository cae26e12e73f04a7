"""The one place that decides whether a tool call runs, is asked or is refused.

Five rules look at every call and the strictest answer wins: paths outside the project and ignored
ones are refused; where only some files may be changed, changes of others are; ruinous commands and
those that name ignored files are refused; protected names are asked; and the mode says the rest,
with the whitelist for commands. An edit is also asked where a command that runs after it must be.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from ..config.errors import UsageError
from ..config.settings import Mode
from .after_edit import Checks, checks_for_all
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
    scope: tuple[str, ...] = ()
    """The only files that may be changed, by path relative to the project; empty: any."""
    after_edit: Checks = field(default_factory=dict[str, list[str]])
    """Commands that run after an edit, by pattern."""

    def __post_init__(self) -> None:
        try:
            checks_for_all(self.after_edit, ["x"])
        except ToolRefusal as error:
            raise UsageError(f"`after_edit`: {error}") from error


@dataclass(frozen=True)
class Decision:
    """What becomes of a call, why, and by which rule."""

    verdict: Verdict
    reason: str
    rule: str
    commands: tuple[str, ...] = ()
    """Those that will run after an edit."""


def decide(
    tool_name: str,
    effect: "Effect",
    args: Mapping[str, object],
    paths: Sequence[str],
    workspace: Workspace,
    policy: Policy,
) -> Decision:
    """Decide one call; `paths` are all that it names. Whatever goes wrong is asked."""
    call = _Call(tool_name, effect, args, paths)
    decisions = [
        _ruled(rule, call, workspace, policy)
        for rule in (_by_paths, _by_scope, _by_command, _by_protection, _by_mode)
    ]
    strictest = max(filter(None, decisions), key=lambda decision: _STRICTNESS[decision.verdict])
    return _with_checks(strictest, call, workspace, policy)


def decide_check(command: str, workspace: Workspace, policy: Policy) -> Decision:
    """Decide a command that runs after an edit: as if the model had called `run_command`."""
    plain = replace(policy, scope=(), after_edit={})
    return decide("run_command", "execute", {"command": command}, (), workspace, plain)


@dataclass(frozen=True)
class _Call:
    tool: str
    effect: "Effect"
    args: Mapping[str, object]
    paths: Sequence[str]

    def files(self, workspace: Workspace) -> list[str]:
        """The paths as they really are, relative to the project; raises ToolRefusal."""
        return [workspace.relative(workspace.resolve(path)) for path in self.paths]


_Rule = Callable[[_Call, Workspace, Policy], Decision | None]


def _ruled(rule: _Rule, call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    try:
        return rule(call, workspace, policy)
    except Exception as error:
        return Decision("ask", f"this call could not be checked: {type(error).__name__}", "error")


def _by_paths(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    for path in call.paths:
        try:
            workspace.resolve(path)
        except ToolRefusal as refusal:
            return Decision("deny", str(refusal), "path")
    return None


def _by_scope(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    if not policy.scope or call.effect not in ("edit", "execute"):
        return None
    only = "only these files may be changed: " + ", ".join(f"`{name}`" for name in policy.scope)
    if call.effect == "execute":
        return Decision("deny", f"a program could change other files, and {only}", "scope")
    files = call.files(workspace)
    if files and set(files) <= set(policy.scope):
        return None
    return Decision("deny", only if files else f"the call names no file, and {only}", "scope")


def _by_command(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    command = call.args.get("command")
    if call.effect != "execute" or not isinstance(command, str):
        return None
    finding = check(command, str(call.args.get("cwd") or "."), workspace)
    return Decision(finding.verdict, finding.reason, finding.rule) if finding else None


def _by_protection(call: _Call, workspace: Workspace, policy: Policy) -> Decision | None:
    if call.effect not in ("edit", "execute"):
        return None
    for path in call.paths:
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


def _with_checks(decision: Decision, call: _Call, workspace: Workspace, policy: Policy) -> Decision:
    """An edit's decision with those on the commands that run after it, refused ones left out.

    Whoever says yes to the edit says yes to them, so all are named.
    """
    if call.effect != "edit" or decision.verdict == "deny" or decision.rule == "error":
        return decision
    commands = checks_for_all(policy.after_edit, call.files(workspace))
    verdicts = {one: decide_check(one, workspace, policy).verdict for one in commands}
    runs = tuple(one for one, verdict in verdicts.items() if verdict != "deny")
    asked = "ask" in verdicts.values()
    if not runs or not (asked or decision.verdict == "ask"):
        return replace(decision, commands=runs)
    first = decision.reason if decision.verdict == "ask" else "it changes files"
    hint = " (those in `security.command_whitelist` run unasked)" if asked else ""
    named = ", ".join(f"`{one}`" for one in runs)
    return Decision("ask", f"{first}; after it runs {named}{hint}", "after_edit", runs)


def _whitelisted(command: object, whitelist: tuple[str, ...]) -> str:
    """The entry that lets a command run unasked; empty when there is none."""
    words = plain_words(command) if isinstance(command, str) else None
    for entry in whitelist:
        first = entry.split()
        if words and first and words[: len(first)] == first:
            return entry
    return ""
