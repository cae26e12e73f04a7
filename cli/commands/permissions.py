"""`mcode permissions`: what would be allowed, asked or refused here, and by which rule."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import UsageError
from ..enums import Mode
from ..i18n.catalogs import t
from ..i18n.message_translation import told
from ..lazy_imports import without_collector
from ..prompts.trust import TrustFlag, settle_here
from ..rendering.output import echo_json, say

if TYPE_CHECKING:
    from ...config.settings.loader import Loaded
    from ...tools.permissions import Decision

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
        from .permissions_explain import Explainer, refused

    if stdin == bool(tool):
        raise UsageError("give a tool and its arguments, or --stdin", hint="`mcode tools list`")
    settle_here(yes=trust)
    explainer = Explainer.of(Path.cwd(), _loaded(mode))
    if stdin:
        for line in sys.stdin.buffer:
            if line.strip():
                echo_json(explainer.line(line), indent=None)
        return
    try:
        _show(explainer.words(tool, arguments or []), as_json)
    except ValueError as error:
        raise refused(error) from None


@app.command("list")
def list_rules(
    mode: ModeFlag = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    trust: TrustFlag = False,
) -> None:
    """List the active rules and their sources, the approval mode, and read-only commands."""
    settle_here(yes=trust)
    _show_rules(_loaded(mode), as_json=as_json)


def show_rules(spoken: str) -> None:
    """List the rules for a conversation; `spoken` is its mode, empty where it has none yet."""
    _show_rules(_loaded(None), spoken)


def _show_rules(loaded: "Loaded", spoken: str = "", *, as_json: bool = False) -> None:
    from ...tools.permissions.policy import mode_of, read_rules
    from ...tools.shell.readonly.classifier import reading_programs
    from ...tools.workspace import Workspace
    from ..rendering.table import show_table

    security = loaded.settings.security
    rules = read_rules(loaded.rules, Workspace(Path.cwd(), tuple(security.ignore_patterns)))
    rows = [(rule.kind, rule.text, rule.origin) for rule in rules]
    configured, programs = mode_of(loaded.settings, "ask"), reading_programs()
    mode = spoken or configured
    origin = loaded.origins["security.mode"] if mode == configured else t("permissions.here")
    if as_json:
        listed = [dict(zip(("kind", "rule", "origin"), row, strict=True)) for row in rows]
        echo_json({"mode": mode, "origin": origin, "rules": listed, "read_only": programs})
        return
    say(t("permissions.mode", mode=mode, origin=origin))
    if rows:
        headers = [t(f"permissions.{name}") for name in ("kind", "text", "from")]
        show_table(headers, rows, cut=headers[2:])
    else:
        say(t("permissions.no_rules"))
    say(t("permissions.read_only", programs=" ".join(programs)))


def _loaded(mode: Mode | None) -> "Loaded":
    from ...config.settings.loader import load

    return load(Path.cwd(), paths.home(), flags={"security.mode": mode.value if mode else None})


def _show(decision: "Decision", as_json: bool) -> None:
    if as_json:
        echo_json(
            {"verdict": decision.verdict, "reason": decision.reason, "rule": decision.rule},
        )
        return
    say(f"{decision.verdict}: {told(decision.reason)}")
    say(t("permissions.rule", rule=decision.rule))
    if decision.always:
        say(t("permissions.always", rule=decision.always))
