"""What the user allows: the mode, the rules, and what may be changed at all."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.agents.profile import AgentProfile
from ...config.errors import UsageError
from ...config.settings.loader import LoadedSettings
from ...config.settings.permission_rules import RawRule, RuleKind
from ...config.settings.schema import ApprovalMode, Settings
from ...config.settings.sources import raise_mistakes
from ...config.text import text
from .. import aliases
from ..result import ToolError
from ..workspace import Workspace
from .path_pattern import PathPattern, parse_path_pattern
from .post_edit_commands import Checks, find_all_checks
from .rule import Rule, read_rule
from .rule_examples import check_examples
from .subject import EDITING_TOOLS

if TYPE_CHECKING:
    from ...memory.snapshots.store import Snapshots
    from ..sandbox.sandbox import Sandbox


def is_missing(path: Path) -> bool:
    """Whether nothing is at a path: without snapshots undo brings back nothing else."""
    return not os.path.lexists(path)


@dataclass(frozen=True)
class Safeguards:
    """What makes up for a command that nobody was asked about, in the mode `edits`."""

    can_restore: Callable[[Path], bool]
    """Whether undo can bring back what is at a path."""
    sandboxed: bool = False
    """Whether commands run inside the sandbox."""
    network: bool = False
    """Whether they reach the network there."""


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
    """What an agent may write, one group for each that limits it: a file is met in every group."""
    plan: str = ""
    """The plan's path, relative to the project, where only it may be written; else empty."""
    safeguards: Safeguards | None = None
    """None: no command with an effect runs unasked in `edits`."""

    def __post_init__(self) -> None:
        try:
            find_all_checks(self.after_edit, ["x"])
        except ToolError as error:
            raise UsageError(text("{place}: {what}", place="`after_edit`", what=error)) from error

    def filter_rules(self, kind: RuleKind) -> list[Rule]:
        """The rules that deny, ask or allow."""
        return [rule for rule in self.rules if rule.kind == kind]

    @property
    def file_limits(self) -> list[Rule]:
        """The rules that deny or ask about changes of files."""
        return [one for one in self.rules if one.kind != "allow" and one.tool in EDITING_TOOLS]

    def with_plan(self, plan: str) -> "Policy":
        """The same in plan mode: nothing may change but the plan, so nothing runs after an edit."""
        return replace(self, plan=plan, after_edit={})

    def with_safeguards(
        self, settings: Settings, sandbox: "Sandbox", snapshots: "Snapshots | None" = None
    ) -> "Policy":
        """The same where commands run in this sandbox, between these snapshots if any are taken."""
        if settings.security.sandboxed_commands == "ask":
            return self
        covers = snapshots.can_restore if snapshots else is_missing
        safeguards = Safeguards(covers, sandbox.is_on, sandbox.network)
        return replace(self, safeguards=safeguards)

    def with_agent(self, profile: AgentProfile, workspace: Workspace) -> "Policy":
        """The same for one agent: its own rules besides, and only its files.

        Raises UsageError that names what cannot be understood, with its place.
        """
        limits = [one for one in profile.limits if one.files]
        only = tuple(read_files(one) for one in limits)
        return replace(self.with_rules(profile.rules, workspace), only=only)

    def with_rules(self, written: Iterable[RawRule], workspace: Workspace) -> "Policy":
        """The same with more rules."""
        return replace(self, rules=(*self.rules, *read_rules(written, workspace)))


def build_policy(
    loaded: LoadedSettings,
    workspace: Workspace,
    *,
    usual: ApprovalMode,
    scope: tuple[str, ...] = (),
) -> Policy:
    """What a configuration allows; `usual` is the mode where it says nothing.

    Raises UsageError that names every rule that cannot be understood, with its place.
    """
    rules = read_rules(loaded.rules, workspace)
    return Policy(resolve_mode(loaded.settings, usual), rules, scope, loaded.settings.after_edit)


def resolve_mode(settings: Settings, usual: ApprovalMode) -> ApprovalMode:
    """The approval mode; `usual` where the configuration says nothing."""
    security = settings.security
    return security.mode or (usual if security.require_confirmation else "auto")


def read_rules(written: Iterable[RawRule], workspace: Workspace) -> tuple[Rule, ...]:
    """The rules, understood and held against their own examples; raises UsageError."""
    rules: list[Rule] = []
    reports: list[str] = []
    for one in written:
        if aliases.find_later_tools([one.text]):
            continue
        try:
            rule = read_rule(one)
            check_examples(rule, one, workspace)
            rules.append(rule)
        except ValueError as error:
            if one.setting:
                place = f"{one.origin}: `{one.setting}`"
                reports.append(text("{place}: {what}", place=place, what=error))
            else:
                reports.append(
                    text(
                        "{origin}: {kind} rule `{text}`: {error}",
                        origin=one.origin,
                        kind=one.kind,
                        text=one.text,
                        error=error,
                    )
                )
    raise_mistakes(reports)
    return tuple(rules)


def read_files(profile: AgentProfile) -> tuple[PathPattern, ...]:
    """The patterns of the files that an agent may write; raises UsageError with their place."""
    found: list[PathPattern] = []
    for pattern in profile.files:
        try:
            found.append(parse_path_pattern(pattern))
        except ValueError as error:
            place = f"{profile.locate_key('files')}: `{pattern}`"
            raise UsageError(text("{place}: {what}", place=place, what=error)) from error
    return tuple(found)
