import asyncio
import io

import pytest
from pyte import Stream
from rich.console import Console
from screen import Glass

from maxagent.cli.rendering.markdown.blocks import Block
from maxagent.cli.rendering.markdown.layout import rows as markdown_rows
from maxagent.cli.rendering.markdown.live import EVERY, TAIL_ROWS, AnswerView, view_for
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
def test_a_long_answer_in_small_pieces_stands_once_in_the_scrollback(at, columns, rows):
    window, console = at(columns, rows)
    view = view_for(console)
    for piece in in_pieces_of(3, ANSWER):
        view.add(piece)
    view.end()
    whole = [row.plain for row in markdown_rows(Block(ANSWER), columns)]
    assert window.lines == whole
    assert ANSWER.count("\n") > 300 and window.glass.wraps == 0
    for number in range(0, 100, 4):
        assert window.lines.count(f"Part {number}") == 1
        assert "\n".join(window.lines).count(f"item {number + 1}a") == 1
        assert window.lines.count(f"def f{number + 2}():") == 1


def test_the_tail_is_seen_while_it_grows_and_goes_away(at):
    window, console = at(40)
    view = view_for(console)
    view.add("first\n\n- one\n- tw")
    assert window.lines == ["first", "", "- one", "- tw"]
    view.forget()
    assert window.lines == ["first"]
    view.add("again **bo")
    view.add("ld**")
    view.end()
    assert window.lines == ["first", "again bold"]


def test_what_has_come_is_seen_though_nothing_follows_and_not_after_the_end(at):
    async def pictures(ends):
        seen, is_whole = [], asyncio.Event()

        def show(rows):
            seen.append([row.plain for row in rows])
            if seen[-1] == ["one two three"]:
                is_whole.set()

        view = AnswerView(at(40)[1], show)
        for piece in ("one", " two", " three"):
            view.add(piece)
        if ends:
            view.end()
            shown = len(seen)
            await asyncio.sleep(2 * EVERY)
            assert len(seen) == shown, "by now it would wipe out what others show there"
        else:
            await asyncio.wait_for(is_whole.wait(), 60)
        return seen

    assert asyncio.run(pictures(ends=False))[-1] == ["one two three"]
    assert asyncio.run(pictures(ends=True))[-1] == []


def test_of_a_long_tail_the_last_rows_are_seen(at):
    window, console = at(40)
    view_for(console).add("".join(f"- item {number}\n" for number in range(50)))
    assert window.lines == [f"- item {number}" for number in range(50 - TAIL_ROWS, 50)]


def test_what_comes_after_an_answer_stands_below_it(at):
    window, console = at(80)
    renderer = TextRenderer(console=console)
    events = [ev.Thinking("let me see"), ev.Output("# Title\nhal"), ev.Notice("careful")]
    for event in [*events, ev.Output("and on"), ev.Notice("again")]:
        renderer.show(event)
    assert window.lines == [
        "let me see",
        "Title",
        "",
        "hal",
        "note: careful",
        "and on",
        "note: again",
    ]


def test_a_repeated_request_leaves_what_was_finished_and_says_so(at):
    window, console = at(80)
    renderer = TextRenderer(console=console)
    for event in [ev.Output("kept\n\nhalf a"), ev.Retrying("busy", 1, 1), ev.Output("new")]:
        renderer.show(event)
    assert window.lines == ["kept", "busy; retrying in 1.0 s", "new"]


def test_without_colour_there_is_none(at, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    window, console = at(80)
    view = view_for(console)
    view.add(ANSWER)
    view.end()
    colours = [cell.fg for row in window.glass.buffer.values() for cell in row.values()]
    assert set(colours) == {"default"}


def test_a_dumb_terminal_and_a_pipe_get_the_text_as_it_comes(monkeypatch, at, capsys):
    text = "# Title\n\n**bold** `code` " + "long " * 40 + "\n"
    renderer = TextRenderer()
    for event in (ev.Output(text), ev.Notice("end")):
        renderer.show(event)
    assert capsys.readouterr().err.startswith(text)
    monkeypatch.setenv("TERM", "dumb")
    window, console = at(80)
    TextRenderer(console=console).show(ev.Output(text))
    assert window.getvalue() == text
