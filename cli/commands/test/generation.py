"""`mcode test generate`: a thread whose tester writes tests for one file."""

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

File = Annotated[
    str, typer.Argument(metavar="FILE", help="File to test, relative to the project folder.")
]
Message = Annotated[str, typer.Option("--message", "-m", help="What the tests should cover.")]
# without `-m`, which is the message here
Model = Annotated[str, typer.Option("--model", help="PROVIDER/MODEL, such as openai/gpt-4o.")]
ApprovalMode = Annotated[
    Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
]
Apply = Annotated[bool, typer.Option("--apply", "-a", help="Keep the result without asking.")]


def generate(
    file: File,
    message: Message = "",
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    mode: ApprovalMode = None,
    apply: Apply = False,
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
    from .project import require_tests

    require_tests(folder)
    settle_trust(folder, yes=trust, output=output, tests=True)
    chosen: dict[str, object] = {"model": model, "base_url": base_url, "apply": apply}
    chosen |= {"max_turns": max_turns, "max_cost": max_cost}
    chosen |= {"mode": mode and mode.value, "thinking": thinking and thinking.value}
    with without_collector():
        from ....nodes.options import Options
        from ...execution.run import run_in_terminal
        from ...rendering.listings.threads import open_index

    open_index()  # reports a damaged index
    options = cast(Options, {name: value for name, value in chosen.items() if value})
    raise typer.Exit(
        run_in_terminal(
            lambda runner: runner.generate_tests(file, message, folder=folder, options=options),
            output,
            seconds=timeout or 0.0,
        )
    )
