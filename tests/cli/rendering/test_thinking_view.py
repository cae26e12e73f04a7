"""Thinking as a terminal, a pipe and a Chinese reader see it."""

from collections.abc import Iterator
from io import StringIO

import pyte
import pytest
from rich.cells import cell_len
from rich.console import Console

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.renderer import create_text_renderer
from maxagent.cli.rendering.text_renderer import TextRenderer
from maxagent.cli.rendering.thinking_view import GUTTER, ThinkingView, build_thinking_block
from maxagent.sdk import events as ev

LONG = (
    "First I read the file, then I look at the 函数和它的调用者，看看哪里不对。\n\nThen I am sure."
)


class Terminal:
    """A terminal without colours: what a view writes, as it is seen."""

    def __init__(self, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        self._screen = pyte.Screen(columns, 24)
        self._stream = pyte.Stream(self._screen)
        self._file = StringIO()
        monkeypatch.setattr(self._file, "isatty", lambda: True)
        self.console = Console(
            file=self._file, width=columns, color_system=None, highlight=False, soft_wrap=True
        )

    @property
    def rows(self) -> list[str]:
        self._stream.feed(self._file.getvalue().replace("\n", "\r\n"))
        self._file.seek(0)
        self._file.truncate()
        return [row.rstrip() for row in self._screen.display if row.strip()]


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("")


@pytest.fixture(params=[80, 40])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(request.param, monkeypatch)


def test_thinking_folds_when_the_answer_begins(terminal: Terminal) -> None:
    renderer = create_text_renderer(console=terminal.console)
    for piece in (LONG[:20], LONG[20:]):
        renderer.show_event(ev.Thinking(piece))
    label, *_ = terminal.rows
    assert label == "Thinking…"
    renderer.show_event(ev.Output("It **is** wrong."))
    renderer.pause()
    assert terminal.rows == ["● Thought for 1 s", "◆ It is wrong."]


def test_live_rows_are_the_last_behind_gutter(terminal: Terminal) -> None:
    output: list[list[str]] = []
    view = ThinkingView(
        terminal.console, lambda rows: output.append([row.plain for row in rows]), print
    )
    view.add_text("\n".join(f"step {number}" for number in range(9)))
    assert output == [["Thinking…", *(f"┆ step {number}" for number in range(4, 9))]]


def test_folded_thought_is_kept_with_its_seconds(terminal: Terminal) -> None:
    saved, times = list[str](), iter([10.0, 22.4])
    view = ThinkingView(terminal.console, lambda rows: None, saved.append, lambda: next(times))
    view.add_text("\n " + LONG)
    view.finish()
    view.finish()
    assert saved == [LONG]
    assert terminal.rows == ["┆ Thought for 12 s (Ctrl-O shows it)"]


@pytest.mark.parametrize("width", [80, 40])
def test_opened_thought_has_label_and_fits(width: int) -> None:
    label, *rows = build_thinking_block(LONG, width).plain.split("\n")
    assert label == "Thinking" and len(rows) > 2
    assert all(row.startswith(GUTTER) and cell_len(row) < width for row in rows)


def test_pipe_gets_labelled_block(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = TextRenderer()
    for piece in ("one ", "two\n\nth", "ree"):
        renderer.show_event(ev.Thinking(piece))
    renderer.show_event(ev.Output("Done."))
    renderer.show_event(ev.Thinking("again\n"))
    renderer.pause()
    assert capsys.readouterr().err == (
        "Thinking…\n┆ one two\n\n┆ three\nDone.\nThinking…\n┆ again\n"
    )


def test_folded_line_is_chinese_in_chinese(terminal: Terminal) -> None:
    use_language("zh")
    view = ThinkingView(terminal.console, lambda rows: None, print, clock=lambda: 1.0)
    view.add_text("想")
    view.finish()
    assert [row.replace(" ", "") for row in terminal.rows] == ["┆思考了1秒（Ctrl-O展开）"]


def test_nothing_but_blanks_is_not_shown(terminal: Terminal) -> None:
    view = ThinkingView(terminal.console, None)
    view.add_text(" \n")
    view.finish()
    assert terminal.rows == []


def test_control_characters_in_thinking_are_visible() -> None:
    assert "\\x1b[2J" in build_thinking_block("a\x1b[2Jb", 80).plain
