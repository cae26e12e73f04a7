"""`mcode permissions`: which calls are allowed, asked or denied here, and by which rule."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..lazy_imports import without_collector
from ..options import Mode
from ..prompts.trust import TrustFlag, settle_here
from ..rendering.output import echo_json, echo_wrapped

if TYPE_CHECKING:
    from ...config.settings.loader import LoadedSettings
    from ...tools.permissions.decision import Decision

app = typer.Typer(
    help="Show what is allowed, asked or denied, and by which rule.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ModeFlag = Annotated[
    Mode | None, typer.Option(help="Approval mode; default: from the configuration, else ask.")
]


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    trust: TrustFlag = False,
) -> None:
    """List the active rules and their sources, the approval mode, and read-only commands."""
    settle_here(yes=trust)
    _show_rules(_load_settings(mode), as_json=as_json)


def show_rules(spoken: str) -> None:
    """List the rules for a conversation; `spoken` is its mode, empty if it has none yet."""
    _show_rules(_load_settings(None), spoken)


def _show_rules(loaded: "LoadedSettings", spoken: str = "", *, as_json: bool = False) -> None:
    from ...tools.permissions.policy import read_rules, resolve_mode
    from ...tools.shell.readonly.classifier import list_reading_programs
    from ...tools.workspace import Workspace
    from ..rendering.table import show_table

    security = loaded.settings.security
    rules = read_rules(loaded.rules, Workspace(Path.cwd(), tuple(security.ignore_patterns)))
    rows = [(rule.kind, rule.text, rule.origin) for rule in rules]
    configured, programs = resolve_mode(loaded.settings, "ask"), list_reading_programs()
    mode = spoken or configured
    origin = loaded.origins["security.mode"] if mode == configured else t("permissions.here")
    if as_json:
        json_rules = [dict(zip(("kind", "rule", "origin"), row, strict=True)) for row in rows]
        echo_json({"mode": mode, "origin": origin, "rules": json_rules, "read_only": programs})
        return
    echo_wrapped(t("permissions.mode", mode=mode, origin=origin))
    if rows:
        headers = [t(f"permissions.{name}") for name in ("kind", "text", "from")]
        show_table(headers, rows, cut=headers[2:])
    else:
        echo_wrapped(t("permissions.no_rules"))
    echo_wrapped(t("permissions.read_only", programs=" ".join(programs)))


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
    if decision.always:
        echo_wrapped(t("permissions.always", rule=decision.always))
