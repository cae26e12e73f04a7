"""The user's policy: the mode, the rules, and the files that may change.

A change of the syntax of rules takes:

- `tools/permissions/rule.py`, and this module
- `docs/permissions.md`
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.agents.profile import AgentProfile
from ...config.errors import UsageError
from ...config.settings.loader import LoadedSettings
from ...config.settings.permission_rules import RawRule, RuleKind
from ...config.settings.policy_file import load_managed_policy
from ...config.settings.schema import ApprovalMode, Settings
from ...config.settings.sources import raise_mistakes
from ...config.text import text
from ..consent.answer_rules import load_answer_rules
from ..result import ToolError
from ..workspace import Workspace
from .path_pattern import PathPattern, parse_path_pattern
from .post_edit_commands import Checks, find_all_checks
from .rule import Rule, read_rule
from .subject import EDITING_TOOLS, PATTERN_KINDS

if TYPE_CHECKING:
    from ...memory.snapshots.store import Snapshots
    from ..definition import Effect
    from ..mcp.server_config import McpServer
    from ..sandbox.sandbox import Sandbox
    from .call import RequestedCall

MODES_BY_STRICTNESS: tuple[ApprovalMode, ...] = ("read-only", "ask", "edits", "auto")


def check_examples(rule: Rule, written: RawRule, workspace: Workspace) -> None:
    """Raise ValueError for an example that the rule does not match as expected."""
    examples = [(content, True) for content in written.match] + [
        (content, False) for content in written.not_match
    ]
    for source, should in examples:
        if _matches_example(rule, source, workspace) is not should:
            key = "match" if should else "not_match"
            matches = "it matches its example `{text}` under `{key}`"
            misses = "it does not match its example `{text}` under `{key}`"
            raise ValueError(text(misses if should else matches, text=source, key=key))


def _matches_example(rule: Rule, text: str, workspace: Workspace) -> bool:
    """Return whether a deny rule matches some part of the call, or an allow rule all of it."""
    call = _build_example_call(rule, text, workspace)
    if rule.kind != "allow":
        return rule.matches_call(call) is True
    if call.command and not (call.analysis and call.analysis.plain):
        return False
    return bool(call.subjects) and all(rule.can_allow(call, subject) for subject in call.subjects)


def _build_example_call(rule: Rule, text: str, workspace: Workspace) -> "RequestedCall":
    """Build the call of an example: a command, a path, a URL, or a tool's name."""
    from .call import RequestedCall

    about = PATTERN_KINDS.get(rule.tool, "call")
    args: Mapping[str, object] = {"command": text} if about == "command" else {}
    if about == "host":
        args = {"url": text if "://" in text else f"https://{text}"}
    if about == "server":
        args = {"server_name": text}
    paths = (text,) if about == "path" else ()
    effect: Effect = "edit" if rule.tool == "edit" else "execute"
    tool = text if about == "call" else rule.tool
    return RequestedCall(tool, effect, args, paths, workspace, {text: ""})


def is_missing(path: Path) -> bool:
    """Return whether nothing exists at a path: without snapshots undo can restore only that."""
    return not os.path.lexists(path)


@dataclass(frozen=True)
class Safeguards:
    """Protection for a command that runs unasked in the mode `edits`."""

    can_restore: Callable[[Path], bool]
    """Whether undo can restore what is at a path."""
    sandboxed: bool = False
    """Whether commands run in the sandbox."""
    network: bool = False
    """Whether commands in the sandbox have network access."""


@dataclass(frozen=True)
class Policy:
    """What the user allows."""

    mode: ApprovalMode
    rules: tuple[Rule, ...] = ()
    scope: tuple[str, ...] = ()
    """The only files that may be changed, by path relative to the project; empty: any."""
    after_edit: Checks = field(default_factory=dict[str, list[str]])
    """Commands that run after an edit, by pattern."""
    only: tuple[tuple[PathPattern, ...], ...] = ()
    """The files that an agent may write, one group per limit: a file must match in every group."""
    tests_only: bool = False
    """Whether only test files may be changed."""
    plan: str = ""
    """The plan's path, relative to the project, if only the plan may be written; else empty."""
    servers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The base URLs of the retrieval servers, by name."""
    mcp_servers: Mapping[str, "McpServer"] = field(default_factory=dict[str, "McpServer"])
    """The MCP servers, by name."""
    safeguards: Safeguards | None = None
    """None: no command with an effect runs unasked in `edits`."""

    def __post_init__(self) -> None:
        try:
            find_all_checks(self.after_edit, ["x"])
        except ToolError as error:
            raise UsageError(
                text("{place}: {problem}", place="`after_edit`", problem=error)
            ) from error

    def filter_rules(self, kind: RuleKind) -> list[Rule]:
        """Return the rules of one kind: deny, ask or allow."""
        return [rule for rule in self.rules if rule.kind == kind]

    @property
    def file_limits(self) -> list[Rule]:
        """The rules that deny or ask about file changes."""
        return [rule for rule in self.rules if rule.kind != "allow" and rule.tool in EDITING_TOOLS]

    def with_plan(self, plan: str) -> "Policy":
        """Return the policy for plan mode: only the plan may change, so no checks run."""
        return replace(self, plan=plan, after_edit={})

    def with_safeguards(
        self, settings: Settings, sandbox: "Sandbox", snapshots: "Snapshots | None" = None
    ) -> "Policy":
        """Return the policy for commands in this sandbox, between these snapshots if any."""
        if settings.security.sandboxed_commands == "ask":
            return self
        covers = snapshots.can_restore if snapshots else is_missing
        safeguards = Safeguards(covers, sandbox.is_on, sandbox.network)
        return replace(self, safeguards=safeguards)

    def with_agent(self, profile: AgentProfile, workspace: Workspace) -> "Policy":
        """Return the policy for one agent: with its own rules, limited to its files and its mode.

        Raises UsageError with the place of each invalid rule or pattern.
        """
        limits = [limit for limit in profile.limits if limit.writable_files]
        only = tuple(read_files(limit) for limit in limits)
        mode_limits = [limit.mode_limit for limit in profile.limits if limit.mode_limit]
        mode = min([self.mode, *mode_limits], key=MODES_BY_STRICTNESS.index)
        return replace(self.with_rules(profile.rules, workspace), only=only, mode=mode)

    def with_rules(self, written: Iterable[RawRule], workspace: Workspace) -> "Policy":
        """Return the policy with more rules."""
        return replace(self, rules=(*self.rules, *read_rules(written, workspace)))

    def with_servers(self, servers: Iterable["McpServer"]) -> "Policy":
        """Return the policy for tools of these MCP servers."""
        return replace(self, mcp_servers={server.name: server for server in servers})

    def with_answer_rules(self, home: Path, folder: str, thread_rules: Iterable[str]) -> "Policy":
        """Return the policy with the rules that the user gave by answers, without invalid ones.

        `folder` is the real path of the project.
        """
        rules = list[Rule]()
        for written in load_answer_rules(home, folder, thread_rules):
            with suppress(ValueError):
                rules.append(read_rule(written))
        return replace(self, rules=(*self.rules, *rules)) if rules else self


def build_policy(
    loaded: LoadedSettings,
    workspace: Workspace,
    *,
    usual: ApprovalMode,
    scope: tuple[str, ...] = (),
) -> Policy:
    """Build the policy of a configuration; `usual` is the mode if the configuration sets none.

    Raises UsageError with every invalid rule and its place.
    """
    rules = read_rules(loaded.rules, workspace)
    settings = loaded.settings
    servers = {name: server.base_url for name, server in settings.rag.servers.items()}
    mode = resolve_mode(settings, usual)
    return Policy(mode, rules, scope, settings.after_edit, servers=servers)


def resolve_mode(settings: Settings, usual: ApprovalMode) -> ApprovalMode:
    """Return the approval mode; `usual` if the configuration sets none."""
    security = settings.security
    mode = security.mode or (usual if security.require_confirmation else "auto")
    managed = load_managed_policy()
    return managed.limit_mode(mode) if managed else mode


def read_rules(written: Iterable[RawRule], workspace: Workspace) -> tuple[Rule, ...]:
    """Parse the rules and check them against their own examples; raises UsageError."""
    rules: list[Rule] = []
    reports: list[str] = []
    for raw_rule in written:
        try:
            rule = read_rule(raw_rule)
            check_examples(rule, raw_rule, workspace)
            rules.append(rule)
        except ValueError as error:
            if raw_rule.setting:
                place = f"{raw_rule.origin}: `{raw_rule.setting}`"
                reports.append(text("{place}: {problem}", place=place, problem=error))
            else:
                reports.append(
                    text(
                        "{origin}: {kind} rule `{text}`: {error}",
                        origin=raw_rule.origin,
                        kind=raw_rule.kind,
                        text=raw_rule.text,
                        error=error,
                    )
                )
    raise_mistakes(reports)
    return tuple(rules)


def read_files(profile: AgentProfile) -> tuple[PathPattern, ...]:
    """Parse the patterns of an agent's writable files; raises UsageError with their place."""
    patterns: list[PathPattern] = []
    for pattern in profile.writable_files:
        try:
            patterns.append(parse_path_pattern(pattern))
        except ValueError as error:
            place = f"{profile.locate_key('files')}: `{pattern}`"
            raise UsageError(text("{place}: {problem}", place=place, problem=error)) from error
    return tuple(patterns)
