"""`mcode threads compact`: send the model less of a conversation; the thread keeps all of it."""

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from ...lazy_imports import without_collector
from ...options import Output, OutputFormat
from ..undo import Thread

if TYPE_CHECKING:
    from ...rendering.renderer import Renderer


def compact(
    thread: Thread = None,
    focus: Annotated[
        str, typer.Option("--focus", metavar="TEXT", help="What the summary should keep.")
    ] = "",
    output: Output = OutputFormat.text,
) -> None:
    """Compact a thread now: the model is sent a summary in place of older messages."""
    from ...execution.thread_argument import resolve_thread

    thread_id = resolve_thread(thread).thread_id
    with without_collector():
        from ...execution.run import open_renderer
        from ...execution.stop_signal import run_stoppable

    # no event of a compaction is the last one of a run, which `json` prints
    renderer = open_renderer(OutputFormat.stream_json if output is OutputFormat.json else output)
    code = run_stoppable(lambda _: _compact(thread_id, focus, renderer, output))
    raise typer.Exit(code)


async def _compact(thread: str, focus: str, renderer: "Renderer", output: OutputFormat) -> int:
    from ....sdk.events import CompactionFinished
    from ....sdk.runner import Runner

    async with Runner() as runner, aclosing(runner.compact(thread, focus)) as events:
        async for event in events:
            if output is not OutputFormat.json or isinstance(event, CompactionFinished):
                renderer.show_event(event)
    return 0
