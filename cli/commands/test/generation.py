"""`mcode test generate`: a thread whose tester writes tests for one file."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, cast

import typer

from ...lazy_imports import without_collector
from ...options import (
    BaseUrl,
    Folder,
    MaxCost,
    MaxTurns,
    Mode,
    Output,
    OutputFormat,
    Thinking,
    Timeout,
    Verbose,
)
from ...prompts.trust import TrustFlag, settle_trust


def generate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File to test, relative to the project folder.")
    ],
    message: Annotated[
        str, typer.Option("--message", "-m", help="Description of what to look at.")
    ] = "",
    folder: Folder = Path("."),
    model: Annotated[
        str, typer.Option("--model", help="PROVIDER/MODEL, such as openai/gpt-4o.")
    ] = "",
    base_url: BaseUrl = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", "-a", help="Keep the result without asking.")
    ] = False,
    thinking: Thinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    trust: TrustFlag = False,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
) -> None:
    """Write tests for a file, and verify them; nothing but test files is changed.

    The result is verified only if tests were added or changed and all tests pass. Exit codes:
    0 ended, 1 failed, 2 wrong input or no test framework, 3 limit reached, 4 waiting for an answer,
    130 interrupted.
    """
    settle_trust(folder, yes=trust, output=output, tests=True)
    with without_collector():
        from ....nodes.options import Options
        from ...execution.run import run_in_terminal
        from ...rendering.thread_listing import open_index

    open_index()  # reports a damaged index
    options: dict[str, object] = {
        "model": model,
        "base_url": base_url,
        "apply": apply,
        "mode": mode,
    }
    options |= {"max_turns": max_turns, "max_cost": max_cost, "thinking": thinking}
    chosen = cast(Options, _select_given(options))
    raise typer.Exit(
        run_in_terminal(
            lambda runner: runner.generate_tests(file, message, folder=folder, options=chosen),
            output,
            seconds=timeout or 0.0,
        )
    )


def _select_given(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options that were given, as plain values."""
    given = {name: value for name, value in options.items() if value}
    return {name: str(one) if isinstance(one, StrEnum) else one for name, one in given.items()}
