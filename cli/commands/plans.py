"""`mcode plans list` and `show`: the plans that conversations have written in this project."""

from pathlib import Path
from typing import Annotated

import typer

from ...config.plan_files import find_plan, list_plans, read_plan_file
from ..i18n.catalogs import t
from ..rendering.output import echo, echo_json
from ..rendering.table import show_table

app = typer.Typer(
    help="List and show the plans of this project.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
PlanName = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]", help="Name of the plan, or a part of it; default: the latest."
    ),
]


@app.command("list")
def list_all(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the plans of the current folder, the newest first."""
    from ..rendering.humanize import format_age

    plans = list_plans(Path.cwd())
    if as_json:
        echo_json(
            [
                {
                    "name": plan.name,
                    "file": str(plan.file),
                    "title": plan.title,
                    "changed_at": plan.changed_at.isoformat(),
                }
                for plan in plans
            ]
        )
        return
    if not plans:
        echo(t("plans.none"), err=True)
        return
    headers = tuple(t(f"plans.{name}") for name in ("name", "changed", "title"))
    rows = [(plan.name, format_age(plan.changed_at.isoformat()), plan.title) for plan in plans]
    show_table(headers, rows, cut=headers[::2])


@app.command()
def show(name: PlanName = "") -> None:
    """Print a plan."""
    echo(read_plan_file(find_plan(Path.cwd(), name)))
