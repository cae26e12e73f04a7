"""`mcode task`: architect, coder and tester on a new thread, until the tests pass."""

from pathlib import Path
from typing import Annotated, cast

import typer

from ..lazy_imports import without_collector
from ..options import (
    BaseUrl,
    Folder,
    MaxCost,
    MaxTurns,
    Mode,
    Model,
    Output,
    OutputFormat,
    PullRequest,
    PullRequestCommand,
    Thinking,
    Timeout,
    Verbose,
)
from ..prompts.memory_claim import settle_memory
from ..prompts.trust import TrustFlag, settle_trust

SkipTests = Annotated[
    bool, typer.Option("--skip-tests", help="Skip the tests; the result is unverified.")
]
BestOf = Annotated[
    int | None,
    typer.Option(
        "--best-of",
        metavar="N",
        min=2,
        max=8,
        help="Run N attempts in parallel, and keep the smallest change that passes its tests.",
    ),
]
Models = Annotated[
    str,
    typer.Option(
        "--models", metavar="A,B,…", help="With --best-of: models of the attempts, in turn."
    ),
]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=PullRequestCommand)
def task(
    description: Annotated[str, typer.Argument(help="Description of the task.")],
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", "-a", help="Keep the result without asking.")
    ] = False,
    skip_tests: SkipTests = False,
    best_of: BestOf = None,
    models: Models = "",
    thinking: Thinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    trust: TrustFlag = False,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
    pr: PullRequest = None,
) -> None:
    """Plan a change, make it, and verify it with tests.

    May run the project's own test command. The result is verified only if the tests pass for the
    final files. Exit codes: 0 ended, 1 failed, 2 wrong input, 3 limit reached, 4 waiting for an
    answer, 130 interrupted.
    """
    settle_trust(folder, yes=trust, output=output, tests=not skip_tests)
    settle_memory(folder, output=output)
    with without_collector():
        from ...nodes.options import Options
        from ..execution.run import run_in_terminal
        from ..rendering.listings.threads import open_index

    open_index()  # reports a damaged index
    options: dict[str, object] = {"model": model, "base_url": base_url, "apply": apply}
    options |= {"skip_tests": skip_tests, "max_turns": max_turns, "max_cost": max_cost}
    options |= {"best_of": best_of, "models": [name for name in models.split(",") if name]}
    choices = {"pr": pr, "mode": mode, "thinking": thinking}
    options |= {name: choice.value for name, choice in choices.items() if choice}
    chosen = cast(Options, {name: value for name, value in options.items() if value})
    raise typer.Exit(
        run_in_terminal(
            lambda runner: runner.task(description, folder=folder, options=chosen),
            output,
            seconds=timeout or 0.0,
        )
    )
