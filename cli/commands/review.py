"""`mcode review`: a read-only agent reviews a diff, and reports findings with file and line."""

from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ...config import exit_codes, paths
from ...config.errors import MaxAgentError
from ..execution.review_report import ReportRenderer, show_report, to_review_code
from ..lazy_imports import without_collector
from ..options import AnswerStyle, BaseUrl, Folder, Model, Output, OutputFormat, Timeout
from ..prompts.trust import TrustFlag, settle_trust

if TYPE_CHECKING:
    from ...nodes.options import Options
    from ...sdk.events import Event
    from ...sdk.reviews.scope import ReviewScope
    from ..execution.interactive_run import InteractiveRun


def review(
    target: Annotated[
        str,
        typer.Argument(
            metavar="[BASE..HEAD|PR]",
            help="Commits, or the number or URL of a pull request; default: your changes since "
            "the default branch.",
        ),
    ] = "",
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    timeout: Timeout = None,
    trust: TrustFlag = False,
    output: Output = OutputFormat.text,
) -> None:
    """Review changes and report findings. Changes nothing and runs nothing.

    Exit codes: 0 no findings, 1 findings, 2 wrong input, 3 no result, 4 waiting for an answer, 130
    interrupted.
    """
    settle_trust(folder, yes=trust, output=output, tests=False)
    import asyncio

    with without_collector():
        from ...sdk.reviews.review import build_report
        from ...sdk.reviews.scope import find_scope
    with _separate_failures():
        scope = asyncio.run(find_scope(target.strip(), folder.resolve(), paths.locate_home()))
    if not scope.diff.strip():
        show_report(build_report('{"findings": []}', scope, ""), output)
        raise typer.Exit(exit_codes.DONE)
    chosen = {"model": model, "base_url": base_url}
    options = cast("Options", {name: value for name, value in chosen.items() if value})
    raise typer.Exit(_run_review(scope, folder.resolve(), options, output, timeout or 0.0))


def _run_review(
    scope: "ReviewScope", folder: Path, options: "Options", output: OutputFormat, seconds: float
) -> int:
    """Run it and show the report; return the exit code."""
    from ...sdk.reviews.review import review_changes
    from ..execution.run import open_renderer, run_interactive
    from ..rendering.listings.threads import open_index

    open_index()  # reports a damaged index
    renderer = ReportRenderer(open_renderer(output, AnswerStyle.plain), output)

    def start_review(interactive_run: "InteractiveRun") -> "Awaitable[Event | None]":
        return interactive_run.consume(
            review_changes(interactive_run.runner, scope, folder, options)
        )

    with _separate_failures():
        code = run_interactive(start_review, renderer, output, seconds)
    if renderer.findings:
        return exit_codes.FAILED
    return to_review_code(code)


@contextmanager
def _separate_failures() -> Generator[None]:
    """Give errors that end with 1 elsewhere another exit code."""
    try:
        yield
    except MaxAgentError as error:
        error.exit_code = to_review_code(error.exit_code)
        raise
