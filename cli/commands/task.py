"""`mcode task`: architect, coder and tester on a new thread, until the tests pass."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ...config.errors import UsageError
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
from ..rendering.listings.threads import open_index
from .team.queue import IntoQueue, Workspace, queue_task

if TYPE_CHECKING:
    from ...sdk.events import Event
    from ...sdk.runner import Runner

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
TaskMode = Annotated[
    Mode | None, typer.Option("--mode", help="Approval mode; default: edits.", show_default=False)
]
Apply = Annotated[bool, typer.Option("--apply", "-a", help="Keep the result without asking.")]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=PullRequestCommand)
def task(
    description: Annotated[str, typer.Argument(help="Description of the task.")],
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    mode: TaskMode = None,
    apply: Apply = False,
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
    queue: IntoQueue = False,
    workspace: Workspace = "",
) -> None:
    """Plan a change, make it, and verify it with tests.

    May run the project's own test command. The result is verified only if the tests pass for the
    final files. Exit codes: 0 ended, 1 failed, 2 wrong input, 3 limit reached, 4 waiting for an
    answer, 130 interrupted.
    """
    _check_workspace(workspace, queue=queue)
    if not workspace:
        settle_trust(folder, yes=trust, output=output, tests=not skip_tests)
        settle_memory(folder, output=output)
    with without_collector():
        from ...nodes.options import Options
        from ..execution.run import run_in_terminal

    open_index()  # reports a damaged index
    options: dict[str, object] = {"model": model, "base_url": base_url, "apply": apply}
    options |= {"skip_tests": skip_tests, "max_turns": max_turns, "max_cost": max_cost}
    options |= {"best_of": best_of, "models": [name for name in models.split(",") if name]}
    choices = {"pr": pr, "mode": mode, "thinking": thinking}
    options |= {name: choice.value for name, choice in choices.items() if choice}
    chosen = cast(Options, {name: value for name, value in options.items() if value})
    if queue:
        return queue_task(description, folder, chosen, workspace, output)

    def start(runner: "Runner") -> "AsyncGenerator[Event]":
        return runner.task(description, folder=folder, options=chosen)

    raise typer.Exit(run_in_terminal(start, output, seconds=timeout or 0.0))


def _check_workspace(workspace: str, *, queue: bool) -> None:
    if workspace and not queue:
        raise UsageError("`--workspace` is for `--queue`", hint="add `--queue`, or use `--folder`")
