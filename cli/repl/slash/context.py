"""`/context`, `/compact`, `/uncompact`: what the model is sent of the conversation."""

from dataclasses import replace

from rich.text import Text

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.block_printer import EDGE
from ...rendering.console import open_console
from ...rendering.definition_list import get_terminal_width
from ...rendering.window.window_table import format_context
from ..session.session import Session
from .files import require_thread_id


async def show_context(session: Session, _: str) -> None:
    """Show what fills the model's window: a bar and a table by kind."""
    if not session.thread:
        session.show(t("slash.not_asked"))
        return
    runner = await session.wait_for_runner()
    from ....sdk.threads.context_usage import measure_context

    usage = await measure_context(runner, session.thread)
    if session.usage:  # the status line shows the same share
        session.usage = replace(session.usage, window=usage.used)
    console = open_console(stderr=False)
    has_colors = bool(console.color_system) and not console.no_color
    table = format_context(usage, get_terminal_width() - len(EDGE), has_colors=has_colors)
    rows = (Text.assemble(EDGE, row) for row in table.split("\n", allow_blank=True))
    session.show(Text("\n").join(rows))


async def compact(session: Session, focus: str) -> None:
    """Compact the conversation now; `focus` is what the summary should keep above all."""
    thread = require_thread_id(session)
    runner = await session.wait_for_runner()
    from ..session.background_startup import refresh_status
    from ..session.turn_renderer import TurnView

    await TurnView(session).show_events(runner.compact(thread, focus))
    await refresh_status(session, runner)


async def uncompact(session: Session, _: str) -> None:
    """Let the model read the whole conversation again."""
    thread = require_thread_id(session)
    runner = await session.wait_for_runner()
    if not await runner.uncompact(thread):
        raise UsageError(t("slash.uncompact.nothing"), hint=t("slash.uncompact.hint"))
    session.show(t("slash.uncompact.done"))
