"""`mcode permissions`: which calls are allowed, asked or denied here, and by which rule."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import UsageError
from ...config.text import text
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..lazy_imports import without_collector
from ..options import Mode, ModeFlag
from ..prompts.trust import TrustFlag, settle_here
from ..rendering.output import echo_json, echo_wrapped
from ..rendering.table import show_table

if TYPE_CHECKING:
    from ...config.settings.loader import LoadedSettings
    from ...tools.permissions.decision import Decision
    from ...tools.permissions.project_rules import ProjectRuleState

app = typer.Typer(
    help="Show what is allowed, asked or denied, and by which rule.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
def explain(
    tool: Annotated[str, typer.Argument(help="Tool, such as run_command.")] = "",
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ARGS", help="A JSON object, NAME=VALUE pairs, or the words of a command."
        ),
    ] = None,
    stdin: Annotated[
        bool,
        typer.Option(
            "--stdin",
            help='Read one {"tool": …, "args": {…}} per line from '
            "stdin; print one answer per line.",
        ),
    ] = False,
    mode: ModeFlag = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
    trust: TrustFlag = False,
) -> None:
    """Explain whether a call would be allowed, asked or denied, and by which rule. The call is not
    made.
    """
    with without_collector():
        from .permissions_explain import Explainer, to_usage_error

    if stdin == bool(tool):
        raise UsageError("give a tool and its arguments, or --stdin", hint="`mcode tools list`")
    settle_here(yes=trust)
    explainer = Explainer.from_folder(Path.cwd(), _load_settings(mode))
    if stdin:
        for line in sys.stdin.buffer:
            if line.strip():
                echo_json(explainer.evaluate_line(line), indent=None)
        return
    try:
        _print_decision(explainer.evaluate_words(tool, arguments or []), as_json)
    except ValueError as error:
        raise to_usage_error(error) from None


@app.command("list")
def list_rules(
    mode: ModeFlag = None,
    is_of_all: Annotated[
        bool, typer.Option("--all", help="List the rules from your answers in every project.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    trust: TrustFlag = False,
) -> None:
    """List the active rules and their sources, the approval mode, and read-only commands."""
    settle_here(yes=trust)
    _show_rules(_load_settings(mode), as_json=as_json, is_of_all=is_of_all)


@app.command()
def remove(
    rule: Annotated[str, typer.Argument(help="Rule as `mcode permissions list` shows it.")],
) -> None:
    """Remove a rule that you have given in this project by "always"."""
    from ...tools.consent.rule_record import remove_project_rule

    folder = os.path.realpath(Path.cwd())
    if not remove_project_rule(paths.locate_home(), folder, rule):
        raise UsageError(
            text("no answer of yours in `{folder}` allows `{rule}`", folder=folder, rule=rule),
            hint="`mcode permissions list --all` lists them; edit other rules in their file",
        )
    echo_wrapped(t("permissions.removed", rule=rule, folder=folder))


def show_rules(spoken: str) -> None:
    """List the rules for a conversation; `spoken` is its mode, empty if it has none yet."""
    _show_rules(_load_settings(None), spoken)


def _show_rules(
    loaded: "LoadedSettings", spoken: str = "", *, as_json: bool = False, is_of_all: bool = False
) -> None:
    from ...tools.permissions.policy import read_rules, resolve_mode
    from ...tools.shell.readonly.classifier import list_reading_programs
    from ...tools.workspace import Workspace

    security = loaded.settings.security
    rules = read_rules(loaded.rules, Workspace(Path.cwd(), tuple(security.ignore_patterns)))
    rows = [(rule.kind, rule.text, rule.origin) for rule in rules]
    configured, programs = resolve_mode(loaded.settings, "ask"), list_reading_programs()
    mode = spoken or configured
    origin = loaded.origins["security.mode"] if mode == configured else t("permissions.here")
    project_rules = _list_project_rules(is_of_all=is_of_all)
    if as_json:
        json_rules = [dict(zip(("kind", "rule", "origin"), row, strict=True)) for row in rows]
        found: dict[str, object] = {"mode": mode, "origin": origin, "rules": json_rules}
        found |= {"project_rules": list(map(_to_json, project_rules)), "read_only": programs}
        echo_json(found)
        return
    echo_wrapped(t("permissions.mode", mode=mode, origin=origin))
    if rows:
        headers = [t(f"permissions.{name}") for name in ("kind", "text", "from")]
        show_table(headers, rows, cut=headers[2:])
    else:
        echo_wrapped(t("permissions.no_rules"))
    _show_project_rules(project_rules)
    echo_wrapped(t("permissions.read_only", programs=" ".join(programs)))


def _list_project_rules(*, is_of_all: bool) -> "Sequence[ProjectRuleState]":
    from ...tools.mcp.config_files import load_servers
    from ...tools.permissions.project_rules import list_project_rules

    home, folder = paths.locate_home(), Path.cwd()
    servers = load_servers(folder, home)
    return list_project_rules(home, os.path.realpath(folder), servers, is_of_all=is_of_all)


def _show_project_rules(states: "Sequence[ProjectRuleState]") -> None:
    """List the rules from answers: what each covers, and whether it still does."""
    if not states:
        return

    rows = [
        (
            state.rule.rule,
            state.project,
            ", ".join(f"{item.subject}: {item.source}" for item in state.rule.provenances) or "-",
            "; ".join(map(translate, state.changes)) or t("permissions.holds"),
        )
        for state in states
    ]
    echo_wrapped(t("permissions.answers"))
    headers = [t(f"permissions.{name}") for name in ("text", "project", "covers", "state")]
    show_table(headers, rows, cut=headers[1:])


def _to_json(state: "ProjectRuleState") -> dict[str, object]:
    return {
        "project": state.project,
        "rule": state.rule.rule,
        "since": state.rule.since,
        "covers": [
            {"subject": item.subject, "source": item.source, "digest": item.digest}
            for item in state.rule.provenances
        ],
        "holds": not state.changes,
        "changes": [str(change) for change in state.changes],
    }


def _load_settings(mode: Mode | None) -> "LoadedSettings":
    from ...config.settings.loader import load_settings

    return load_settings(
        Path.cwd(), paths.locate_home(), flags={"security.mode": mode.value if mode else None}
    )


def _print_decision(decision: "Decision", as_json: bool) -> None:
    if as_json:
        echo_json(
            {"verdict": decision.verdict, "reason": decision.reason, "rule": decision.rule},
        )
        return
    echo_wrapped(f"{decision.verdict}: {translate(decision.reason)}")
    echo_wrapped(t("permissions.rule", rule=decision.rule))
    if decision.diff:
        from ..rendering.console import open_console
        from ..rendering.diffs.output import show_diff

        show_diff(open_console(stderr=False), decision.diff, indent="  ")
    if decision.always:
        echo_wrapped(t("permissions.always", rule=decision.always))
