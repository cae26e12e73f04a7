"""`mcode task`: architect, coder and tester on a thread of its own, until the tests are green."""

from pathlib import Path
from typing import Annotated, cast

import typer

from ..enums import Mode, OutputFormat
from ..lazy_imports import without_collector
from ..options import BaseUrl, Folder, Model, Output
from ..prompts.trust import TrustFlag, settle_trust


def task(
    description: Annotated[str, typer.Argument(help="What should be done.")],
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", "-a", help="Keep the result without asking.")
    ] = False,
    skip_tests: Annotated[
        bool, typer.Option("--skip-tests", help="End as unverified, without running tests.")
    ] = False,
    trust: TrustFlag = False,
    output: Output = OutputFormat.text,
) -> None:
    """Plan, edit and prove a change. It may run the project's own test command to prove it.

    Ends as verified only with green tests for the files as they are. Exit codes: 0 ended,
    1 failed, 2 wrong input, 3 a limit was reached, 4 waiting for an answer, 130 interrupted.
    """
    settle_trust(folder, yes=trust, output=output, tests=not skip_tests)
    with without_collector():
        from ...nodes.state import Options
        from ..execution.run import drive
        from .threads.listing import open_index

    open_index()  # tells of a damaged one
    options = {
        "model": model,
        "base_url": base_url,
        "mode": mode.value if mode else "",
        "apply": apply,
        "skip_tests": skip_tests,
    }
    chosen = cast(Options, {name: value for name, value in options.items() if value})
    raise typer.Exit(
        drive(lambda runner: runner.task(description, folder=folder, options=chosen), output)
    )
