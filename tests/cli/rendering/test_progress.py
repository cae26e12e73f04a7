import asyncio
from io import StringIO

import pytest
from rich.console import Console

from maxagent.cli.rendering import progress
from maxagent.cli.rendering.progress import ProgressRenderer
from maxagent.cli.rendering.text_renderer import TextRenderer
from maxagent.sdk import events as ev

CALL = ev.ToolCall("c", "run_command", {"command": "make"}, "coder")
USAGE = ev.TokenUsage(1, 90, 9, 0, None, 9, 100, dict(input=90, output=10, cost=None))


class Screen(StringIO):
    """A terminal that tells when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = asyncio.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


def progress_on(screen: Screen) -> ProgressRenderer:
    console = Console(file=screen, width=60, force_terminal=True, color_system=None)
    return ProgressRenderer(TextRenderer(console=console, answer=None), console)


def row_after(*events: ev.Event) -> str:
    renderer = progress_on(Screen())
    for event in events:
        renderer.show_event(event)
    return renderer.format_row()


def test_the_row_names_what_is_waited_for() -> None:
    assert row_after(ev.RoleStarted("coder")) == "  ⋯ coder · 0 s"
    assert row_after(ev.RoleStarted("coder"), USAGE) == "  ⋯ coder · 0 s · 100 tokens"
    assert row_after(CALL) == "  ⋯ run_command make · 0 s"
    assert row_after(CALL, ev.ToolResult("c", "run_command", True, "", "", {})).startswith(
        "  ⋯ waiting for the model"
    )


async def test_busy_children_do_not_hide_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.001)
    screen = Screen()
    renderer = progress_on(screen)
    renderer.show_event(ev.SubagentStarted("explore-1", "explore", "find it", "c"))
    screen.written.clear()
    for _ in range(1000):
        renderer.show_event(ev.Thinking("hm", agent="explore-1"))
        await asyncio.sleep(0)
        if screen.written.is_set():
            break
    await asyncio.wait_for(screen.written.wait(), 10)
    assert "⋯ explore-1 · step 1 · begins" in screen.getvalue()
    assert "hm" not in screen.getvalue()


async def test_silence_shows_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.001)
    screen = Screen()
    renderer = progress_on(screen)
    renderer.show_event(ev.RoleStarted("coder"))
    screen.written.clear()
    await asyncio.wait_for(screen.written.wait(), 10)
    assert "⋯ coder" in screen.getvalue()
    renderer.show_event(ev.Notice("careful"))
    renderer.show_end(ev.Interrupted("t"))
    assert "\x1b[2K" in screen.getvalue()  # the row is erased before the notice
