"""`mcode edit`: change named files by an instruction; each change is shown and needs approval."""

from pathlib import Path
from typing import Annotated, cast

import typer

from ..lazy_imports import without_collector
from ..options import (
    BaseUrl,
    MaxCost,
    MaxTurns,
    Model,
    Output,
    OutputFormat,
    PullRequest,
    PullRequestCommand,
    Thinking,
    Timeout,
    Verbose,
)
from ..prompts.trust import TrustFlag, settle_trust

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=PullRequestCommand)
def edit(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Files to change or create; no others are changed."),
    ],
    instruction: Annotated[str, typer.Argument(help="Description of the change.")],
    folder: Annotated[
        Path, typer.Option("--folder", "-C", help="Project folder; file names are relative to it.")
    ] = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    apply: Annotated[
        bool, typer.Option("--apply", "-a", help="Change files without asking.")
    ] = False,
    backup: Annotated[
        bool, typer.Option(help="Back up each changed file and print the path.")
    ] = True,
    thinking: Thinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    trust: TrustFlag = False,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
    pr: PullRequest = None,
) -> None:
    """Change only the named files, without running tests.

    The result is unverified. Exit codes: 0 changed, 1 failed or no changes, 2 wrong input, 3 limit
    reached, 4 waiting for an answer, 130 interrupted.
    """
    settle_trust(folder, yes=trust, output=output, tests=False)
    with without_collector():
        from ...nodes.options import Options
        from ..execution.run import run_in_terminal
        from ..rendering.listings.threads import open_index

    open_index()  # reports a damaged index
    texts = {"model": model, "base_url": base_url, "mode": "edits" if apply else ""}
    texts |= {"thinking": thinking.value if thinking else "", "pr": pr.value if pr else ""}
    limits = {"max_turns": max_turns, "max_cost": max_cost}
    task_options = {name: value for name, value in (texts | limits).items() if value}
    options = cast(Options, {**task_options, "backup": backup})
    raise typer.Exit(
        run_in_terminal(
            lambda runner: runner.edit(instruction, files=files, folder=folder, options=options),
            output,
            seconds=timeout or 0.0,
        )
    )
