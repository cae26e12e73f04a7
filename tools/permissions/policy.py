"""What the user allows: the mode, the rules, and what may be changed at all."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ...config.agents.profile import AgentProfile
from ...config.errors import UsageError
from ...config.settings.loader import Loaded
from ...config.settings.permission_rules import Kind, WrittenRule
from ...config.settings.schema import Mode, Settings
from ...config.settings.sources import refuse
from ..result import ToolRefusal
from ..workspace import Workspace
from .path_pattern import PathPattern, path_pattern
from .post_edit_commands import Checks, checks_for_all
from .rule import Rule, read_rule
from .rule_examples import check_examples


@dataclass(frozen=True)
class Policy:
    """What the user allows."""

    mode: Mode
    rules: tuple[Rule, ...] = ()
    scope: tuple[str, ...] = ()
    """The only files that may be changed, by path relative to the project; empty: any."""
    after_edit: Checks = field(default_factory=dict[str, list[str]])
    """Commands that run after an edit, by pattern."""
    only: tuple[tuple[PathPattern, ...], ...] = ()
    """What an agent may write, one group for each that limits it: a file is met in every group."""
    plan: str = ""
    """The plan's path, relative to the project, where only it may be written; else empty."""

    def __post_init__(self) -> None:
        try:
            checks_for_all(self.after_edit, ["x"])
        except ToolRefusal as error:
            raise UsageError(f"`after_edit`: {error}") from error

    def of_kind(self, kind: Kind) -> list[Rule]:
        """The rules that deny, ask or allow."""
        return [rule for rule in self.rules if rule.kind == kind]

    def planning(self, plan: str) -> "Policy":
        """The same in plan mode: nothing may change but the plan, so nothing runs after an edit."""
        return replace(self, plan=plan, after_edit={})

    def under(self, profile: AgentProfile, workspace: Workspace) -> "Policy":
        """The same for one agent: its own rules besides, and only its files.

        Raises UsageError that names what cannot be understood, with its place.
        """
        limits = [one for one in profile.limits if one.files]
        only = tuple(read_files(one) for one in limits)
        return replace(self.extended(profile.rules, workspace), only=only)

    def extended(self, written: Iterable[WrittenRule], workspace: Workspace) -> "Policy":
        """The same with more rules."""
        return replace(self, rules=(*self.rules, *read_rules(written, workspace)))


def policy_for(
    loaded: Loaded, workspace: Workspace, *, usual: Mode, scope: tuple[str, ...] = ()
) -> Policy:
    """What a configuration allows; `usual` is the mode where it says nothing.

    Raises UsageError that names every rule that cannot be understood, with its place.
    """
    rules = read_rules(loaded.rules, workspace)
    return Policy(mode_of(loaded.settings, usual), rules, scope, loaded.settings.after_edit)


def mode_of(settings: Settings, usual: Mode) -> Mode:
    """The approval mode; `usual` where the configuration says nothing."""
    security = settings.security
    return security.mode or (usual if security.require_confirmation else "auto")


def read_rules(written: Iterable[WrittenRule], workspace: Workspace) -> tuple[Rule, ...]:
    """The rules, understood and held against their own examples; raises UsageError."""
    rules: list[Rule] = []
    reports: list[str] = []
    for one in written:
        try:
            rule = read_rule(one)
            check_examples(rule, one, workspace)
            rules.append(rule)
        except ValueError as error:
            reports.append(f"{one.origin}: {one.kind} rule `{one.text}`: {error}")
    refuse(reports)
    return tuple(rules)


def read_files(profile: AgentProfile) -> tuple[PathPattern, ...]:
    """The patterns of the files that an agent may write; raises UsageError with their place."""
    found: list[PathPattern] = []
    for text in profile.files:
        try:
            found.append(path_pattern(text))
        except ValueError as error:
            raise UsageError(f"{profile.place('files')}: `{text}`: {error}") from error
    return tuple(found)
