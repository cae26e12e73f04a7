"""Layout of the prompt's part of the screen, from an answer's tail to the status line."""

from collections.abc import Callable
from dataclasses import dataclass

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, vi_insert_mode, vi_mode, vi_replace_mode
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, StyleAndTextTuples
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import AfterInput, ConditionalProcessor
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar
from wcwidth import wcswidth

from ...i18n.catalogs import t
from ...rendering.sanitize import sanitize_text
from ...rendering.text_width import shorten_text
from .input_line import find_shell_kind, parse_line
from .protocol import SIGN
from .status_bar import SEPARATOR

MENU_ROWS = 8
# Rows of a terminal from which on the input stands between rules
MIN_ROWS = 12
STYLE = Style.from_dict(
    {
        "sign": "bold",
        "waiting": "fg:ansibrightblack",
        "busy": "fg:ansicyan",
        "rule": "fg:ansibrightblack",
        "rule.plan": "fg:ansicyan",
        "rule.shell": "fg:ansiyellow",
        "placeholder": "fg:ansibrightblack",
        "status": "fg:ansibrightblack",
        "status.plan": "fg:ansicyan bold",
        "status.shell": "fg:ansiyellow",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion.current": "bg:default fg:ansicyan bold noreverse",
        "completion-menu.meta.completion": "bg:default fg:ansibrightblack",
        "completion-menu.meta.completion.current": "bg:default fg:ansicyan",
        "scrollbar.background": "bg:default",
        "scrollbar.button": "bg:ansibrightblack",
    }
)


@dataclass
class PromptState:
    """Content around the input line."""

    waiting: Callable[[], tuple[str, ...]]
    """Lines that were sent and wait."""
    busy: Callable[[], str]
    """The work in progress; empty: none."""
    status: Callable[[int], str]
    """Returns the status line for a width in columns."""
    is_plan: Callable[[], bool]
    is_new: Callable[[], bool] = lambda: False
    """Whether nothing was said yet: an example says what can be."""
    todos: Callable[[int], str] = lambda columns: ""
    """How far the list of tasks is, for a width, with the list while it is open; empty: none."""
    tail: str = ""


def build_layout(
    line: Buffer, state: PromptState, find_stashed: Callable[[], str] = lambda: ""
) -> Layout:
    """Build it from top to bottom: tail, waiting lines, work, input line, menu, status line."""
    search = SearchToolbar(ignore_case=True)
    typed = Window(
        BufferControl(
            line,
            input_processors=[_build_placeholder(line, state)],
            search_buffer_control=search.control,
            preview_search=True,
        ),
        height=lambda: Dimension(min=1, max=max(1, get_app().output.get_size().rows // 2)),
        get_line_prefix=_render_sign,
        wrap_lines=True,
        dont_extend_height=True,
    )
    rows = HSplit(
        [
            _build_text_window(lambda: ANSI(state.tail), lambda: bool(state.tail)),
            _build_text_window(lambda: "", _has_room),
            _build_text_window(
                lambda: _render_waiting_lines(state.waiting()), lambda: bool(state.waiting())
            ),
            _build_text_window(lambda: [("class:busy", state.busy())], lambda: bool(state.busy())),
            _build_text_window(
                lambda: [("class:waiting", state.todos(_count_columns()))],
                lambda: bool(state.todos(_count_columns())),
            ),
            _build_text_window(
                lambda: _render_stashed(find_stashed()), lambda: bool(find_stashed())
            ),
            _build_rule(line, state),
            typed,
            _build_rule(line, state),
            CompletionsMenu(max_height=MENU_ROWS),
            _build_text_window(lambda: _render_more(line), lambda: _count_hidden(line) > 0),
            search,
            _build_text_window(lambda: _render_status(state, line.text), lambda: True),
        ]
    )
    return Layout(rows, focused_element=typed)


def _has_room() -> bool:
    return get_app().output.get_size().rows >= MIN_ROWS


def _build_rule(line: Buffer, state: PromptState) -> ConditionalContainer:
    """Return a row that sets the input apart, in the colour of what it does."""

    def find_style() -> str:
        if find_shell_kind(line.text):
            return "class:rule.shell"
        return "class:rule.plan" if state.is_plan() else "class:rule"

    rule = Window(height=1, char="─", style=find_style)
    return ConditionalContainer(rule, Condition(_has_room))


def _build_placeholder(line: Buffer, state: PromptState) -> ConditionalProcessor:
    """Return what stands in an empty line: what it takes now."""

    def render() -> StyleAndTextTuples:
        key = "repl.placeholder.first" if state.is_new() else "repl.placeholder"
        key = "repl.placeholder.busy" if state.busy() else key
        return [("class:placeholder", shorten_text(t(key), _count_columns() - len(SIGN) - 1))]

    return ConditionalProcessor(AfterInput(render), Condition(lambda: not line.text))


def _build_text_window(
    fragments: Callable[[], AnyFormattedText], is_shown: Callable[[], bool]
) -> ConditionalContainer:
    window = Window(FormattedTextControl(fragments), dont_extend_height=True)
    return ConditionalContainer(window, Condition(is_shown))


def _render_sign(number: int, wrapped: int) -> StyleAndTextTuples:
    return [("class:sign", SIGN if number == wrapped == 0 else " " * len(SIGN))]


def _render_waiting_lines(lines: tuple[str, ...]) -> StyleAndTextTuples:
    return [("class:waiting", "\n".join(map(_format_waiting_line, lines)))]


def _format_waiting_line(line: str) -> str:
    """Return the row of a line; a command says that it waits for the end of the turn."""
    is_message = parse_line(line).kind == "message"
    label = t("repl.waiting" if is_message else "repl.waiting.command")
    return f"{label} {sanitize_text(' '.join(line.split()))}"


def _render_stashed(line: str) -> StyleAndTextTuples:
    return [("class:waiting", t("repl.stashed", line=sanitize_text(" ".join(line.split()))))]


def _count_hidden(line: Buffer) -> int:
    """Count the completions for which the menu has no row."""
    state = line.complete_state
    return len(state.completions) - MENU_ROWS if state else 0


def _render_more(line: Buffer) -> StyleAndTextTuples:
    return [("class:waiting", f"  {t('menu.more', count=_count_hidden(line))}")]


def _render_status(state: PromptState, typed: str) -> StyleAndTextTuples:
    prefix = _describe_vi_mode()
    if kind := find_shell_kind(typed):
        return [("class:status.shell", f"{prefix}{t(f'status.line.{kind}')}")]
    style = "class:status.plan" if state.is_plan() else "class:status"
    return [(style, f"{prefix}{state.status(_count_columns() - wcswidth(prefix))}")]


def _describe_vi_mode() -> str:
    """Return vi's mode and a separator; empty with the keys of Emacs."""
    if not vi_mode():
        return ""
    is_insert = vi_insert_mode() or vi_replace_mode()
    return f"{t('status.vi.insert' if is_insert else 'status.vi.normal')}{SEPARATOR}"


def _count_columns() -> int:
    return get_app().output.get_size().columns
