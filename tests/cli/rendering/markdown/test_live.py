import asyncio
import io

import pytest
from pyte import Stream
from rich.console import Console
from screen import Glass

from maxagent.cli.rendering.markdown.blocks import MarkdownBlock
from maxagent.cli.rendering.markdown.layout import render_block as markdown_rows
from maxagent.cli.rendering.markdown.live import EVERY, TAIL_ROWS, AnswerView, create_answer_view
from maxagent.cli.rendering.renderer import create_text_renderer
from maxagent.cli.rendering.text_renderer import TextRenderer
from maxagent.sdk import events as ev

PARTS = [
    "## Part {n}\n\nSome **words** of part {n}, 中文也有，长得要在四十列的终端里换行才行。\n",
    "- item {n}a\n- item {n}b with `code` and enough words to be wrapped at forty columns\n",
    "```python\ndef f{n}():\n    return '''{n}\n    中文'''\n```\n",
    "| a{n} | 说明 |\n|---|---|\n| one | 一二三四五六七八九十一二三四五六七八九十 |\n",
]
ANSWER = "\n".join(PARTS[n % 4].format(n=n) for n in range(100))


class Window(io.StringIO):
    """A terminal's file: what is written to it is seen on the glass."""

    def __init__(self, columns, rows=24):
        super().__init__()
        self.glass = Glass(columns, rows, lambda answer: None)
        self._stream = Stream(self.glass)

    def isatty(self):
        return True

    def write(self, text):
        self._stream.feed(text.replace("\n", "\r\n"))
        return super().write(text)

    @property
    def lines(self):
        rows = [*self.glass.gone, *self.glass.rows()]
        return "\n".join(rows).rstrip("\n").split("\n")


@pytest.fixture
def at(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def console(columns, rows=24):
        window = Window(columns, rows)
        return window, Console(file=window, width=columns, height=rows, soft_wrap=True)

    return console


def in_pieces_of(size, text):
    return [text[begin : begin + size] for begin in range(0, len(text), size)]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 24), (40, 5)])
def test_long_streamed_answer_appears_once_in_scrollback(at, columns, rows):
    window, console = at(columns, rows)
    view = create_answer_view(console)
    for piece in in_pieces_of(3, ANSWER):
        view.add_text(piece)
    view.finish_answer()
    first, *others = (row.plain for row in markdown_rows(MarkdownBlock(ANSWER), columns - 2))
    assert window.lines == ["", f"◆ {first}", *(f"  {row}".rstrip() for row in others)]
    assert ANSWER.count("\n") > 300 and window.glass.wraps == 0
    for number in range(0, 100, 4):
        assert window.lines.count(f"{'  ' if number else '◆ '}Part {number}") == 1
        assert "\n".join(window.lines).count(f"item {number + 1}a") == 1
        assert window.lines.count(f"  def f{number + 2}():") == 1


def test_tail_is_shown_while_it_grows_then_removed(at):
    window, console = at(40)
    view = create_answer_view(console)
    view.add_text("first\n\n- one\n- tw")
    assert window.lines == ["", "◆ first", "", "  • one", "  • tw"]
    view.discard_tail()
    assert window.lines == ["", "◆ first"]
    view.add_text("again **bo")
    view.add_text("ld**")
    view.finish_answer()
    assert window.lines == ["", "◆ first", "", "◆ again bold"]


def test_tail_is_painted_without_further_text_until_end(at):
    async def pictures(ends):
        seen, is_whole = [], asyncio.Event()

        def show(rows):
            seen.append([row.plain for row in rows])
            if seen[-1] == ["", "◆ one two three"]:
                is_whole.set()

        view = AnswerView(at(40)[1], show)
        for piece in ("one", " two", " three"):
            view.add_text(piece)
        if ends:
            view.finish_answer()
            count = len(seen)
            await asyncio.sleep(2 * EVERY)
            assert len(seen) == count, "by now it would wipe out what others show there"
        else:
            await asyncio.wait_for(is_whole.wait(), 60)
        return seen

    assert asyncio.run(pictures(ends=False))[-1] == ["", "◆ one two three"]
    assert asyncio.run(pictures(ends=True))[-1] == []


def test_long_tail_shows_its_last_rows(at):
    window, console = at(40)
    create_answer_view(console).add_text("".join(f"- item {number}\n" for number in range(50)))
    rows = [f"  • item {number}" for number in range(50 - TAIL_ROWS, 50)]
    assert window.lines == ["", *rows]


def test_what_comes_after_an_answer_stands_below_it(at):
    window, console = at(80)
    renderer = create_text_renderer(console=console)
    events = [ev.Thinking("let me see"), ev.Output("# Title\nhal"), ev.Notice("careful")]
    for event in [*events, ev.Output("and on"), ev.Notice("again")]:
        renderer.show_event(event)
    shown_lines = "● Thought for 1 s||◆ Title||  hal||· careful||◆ and on||· again"
    assert window.lines == ["", *shown_lines.split("|")]


def test_repeated_request_keeps_finished_blocks_and_is_announced(at):
    window, console = at(80)
    renderer = create_text_renderer(console=console)
    for event in [ev.Output("kept\n\nhalf a"), ev.Retrying("busy", 1, 1), ev.Output("new")]:
        renderer.show_event(event)
    assert window.lines == ["", "◆ kept", "", "· busy", "", "◆ new"]


def test_without_colour_there_is_none(at, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    window, console = at(80)
    view = create_answer_view(console)
    view.add_text(ANSWER)
    view.finish_answer()
    colours = [cell.fg for row in window.glass.buffer.values() for cell in row.values()]
    assert set(colours) == {"default"}


def test_dumb_terminal_and_pipe_get_raw_text(monkeypatch, at, capsys):
    text = "# Title\n\n**bold** `code` " + "long " * 40 + "\n"
    renderer = TextRenderer()
    for event in (ev.Output(text), ev.Notice("end")):
        renderer.show_event(event)
    assert capsys.readouterr().err.startswith(text)
    monkeypatch.setenv("TERM", "dumb")
    window, console = at(80)
    TextRenderer(console=console).show_event(ev.Output(text))
    assert window.getvalue() == text
