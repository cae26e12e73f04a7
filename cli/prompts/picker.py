"""Picker of one item: type to filter, arrows to move, Enter to select, Esc to leave.

It appears below the existing output and disappears afterwards; like the questions it writes to
stderr.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from ..i18n.catalogs import t
from ..rendering.console import MARGIN
from ..rendering.output import echo
from ..rendering.sanitize import sanitize_text
from ..rendering.table import GAP, NARROW, align_columns
from ..rendering.text_width import measure_width
from .choice import ask_number
from .choice_list import PALE, POINTER, SELECTED
from .sync_bridge import run_sync
from .text_input import holds_key

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.layout import Window

# Rows about the selected item
PREVIEW_ROWS = 2
# Items visible at once
SHOWN = 10
# From 0 to 100: share of the typed text that must occur, in this order, in an item's title
MIN_SIMILARITY = 75.0

_GAPS = re.compile(r"(\s{2,})")
_ID = re.compile(r"[0-9a-f]{8}")
Item = TypeVar("Item")
# The items that match the typed text, best first
Rank = Callable[[Sequence[Item], str], list[Item]]
# One row of cells for each item, for a screen of that many columns
BuildCells = Callable[[Sequence[Item], int], list[list[str]]]
# The heads of so many columns
BuildHeads = Callable[[int], list[str]]


def can_draw_picker() -> bool:
    """Return whether the terminal can be redrawn."""
    return os.environ.get("TERM") not in ("dumb", "unknown")


def pick_item(
    items: Sequence[Item],
    rank: "Rank[Item]",
    build_cells: "BuildCells[Item]",
    describe: Callable[[Item], Sequence[str]] | None = None,
    *,
    heading: str,
    build_heads: "BuildHeads | None" = None,
) -> Item | None:
    """Return the item that the user selects; None if they leave. Needs a terminal.

    `describe` returns the `PREVIEW_ROWS` lines that are shown below the list for the selected item.
    """
    if not can_draw_picker():
        return _pick_by_number(items, build_cells)
    state = PickerState(items, rank, build_cells, build_heads)
    return run_sync(build_picker(state, describe, heading=heading).run_async())


def rank_by_text(
    items: Sequence[Item],
    typed: str,
    get_text: Callable[[Item], str],
    get_title: Callable[[Item], str],
) -> list[Item]:
    """Return the items that match: first those whose text has every word, then similar titles."""
    from rapidfuzz.fuzz import partial_ratio

    words, query = typed.casefold().split(), " ".join(typed.casefold().split())
    if not words:
        return list(items)

    def score_item(item: Item) -> float:
        text = get_text(item).casefold()
        if all(word in text for word in words):
            return 101.0
        return partial_ratio(query, get_title(item).casefold(), score_cutoff=MIN_SIMILARITY)

    scored = [(score_item(item), item) for item in items]
    fitting = [pair for pair in scored if pair[0]]
    return [item for _, item in sorted(fitting, key=lambda pair: -pair[0])]


class PickerState(Generic[Item]):
    """The matching items, and which of them is selected."""

    def __init__(
        self,
        items: Sequence[Item],
        rank: "Rank[Item]",
        build_cells: "BuildCells[Item]",
        build_heads: "BuildHeads | None" = None,
    ) -> None:
        self.build_heads = build_heads
        """None: the columns have no heads."""
        self._items = items
        self._rank = rank
        self._build_cells = build_cells
        self.fitting = list(items)
        self._typed, self._at = "", 0
        self.notice = ""
        """What stands in place of the keys below the list."""

    @property
    def count(self) -> int:
        """How many items there are without a filter."""
        return len(self._items)

    @property
    def selected_item(self) -> Item | None:
        """The selected item."""
        return self.fitting[self._at] if self.fitting else None

    def filter(self, typed: str) -> None:
        """Keep only the items that match; select the best."""
        self._typed = typed
        self.fitting, self._at = self._rank(self._items, typed), 0

    def replace_items(self, items: Sequence[Item], get_key: Callable[[Item], str]) -> None:
        """Take newer items; what is typed stays, and the selected item, if it still matches."""
        selected = self.selected_item
        self._items = items
        self.fitting = self._rank(items, self._typed)
        keys = [get_key(item) for item in self.fitting]
        key = get_key(selected) if selected else ""
        self._at = keys.index(key) if key in keys else max(0, min(self._at, len(keys) - 1))

    def move(self, by: int) -> None:
        """Move the selection; it stops at both ends."""
        self._at = max(0, min(self._at + by, len(self.fitting) - 1))

    def render_lines(self, columns: int) -> list[tuple[bool, str]]:
        """Return the visible lines, cut to the width, and whether each is the selected one."""
        first, _, texts = self._format_texts(columns)
        return [(first + at == self._at, text) for at, text in enumerate(texts)]

    def render_head(self, columns: int) -> str:
        """Return the heads above the visible lines."""
        return self._format_texts(columns)[1]

    def _format_texts(self, columns: int) -> tuple[int, str, list[str]]:
        """Return the number of the first visible item, the heads, and the lines."""
        first = max(0, min(self._at - SHOWN // 2, len(self.fitting) - SHOWN))
        seen = self.fitting[first : first + SHOWN]
        room = columns - len(MARGIN) - len(POINTER) - 1
        cells = self._build_cells(seen, room) if seen else []
        if not (cells and self.build_heads):
            return first, "", _format_rows(cells, room) if cells else []
        head, *texts = _format_rows([self.build_heads(len(cells[0])), *cells], room)
        return first, head, texts


def _format_rows(cells: Sequence[Sequence[str]], columns: int) -> list[str]:
    safe_cells = [[sanitize_text(cell) for cell in row] for row in cells]
    return [_truncate_line(line, columns) for line in align_columns(safe_cells)]


def _truncate_line(text: str, columns: int) -> str:
    if measure_width(text) <= columns:
        return text
    while measure_width(text) > columns - 1:
        text = text[:-1]
    return f"{text}…"


def cut_column(cells: Sequence[str], columns: int) -> list[str]:
    """Return the cells of a column, none wider than that."""
    return [_truncate_line(cell, max(columns, 1)) for cell in cells]


def build_picker(
    choice: PickerState[Item],
    describe: Callable[[Item], Sequence[str]] | None = None,
    *,
    heading: str,
) -> "Application[Item | None]":
    """Build the picker; the caller runs it."""
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
    from prompt_toolkit.output import create_output

    # prompt_toolkit would warn about a terminal that does not report its cursor position
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    typed = Buffer(multiline=False, on_text_changed=lambda buffer: choice.filter(buffer.text))
    output = create_output(stdout=sys.stderr)

    def render_rows() -> "StyleAndTextTuples":
        return _style_lines(choice.render_lines(output.get_size().columns))

    def render_preview() -> str:
        item, columns = choice.selected_item, output.get_size().columns
        lines = map(sanitize_text, describe(item)) if describe and item else ()
        return "\n".join(_truncate_line(f"{MARGIN}{line}", columns) for line in lines)

    preview = Window(FormattedTextControl(render_preview), height=PREVIEW_ROWS, style=PALE)
    rows = Window(FormattedTextControl(render_rows), height=lambda: min(SHOWN, choice.count) or 1)
    body = [
        _build_line(),
        Window(char="─", height=1, style=PALE),
        _build_line(heading, "bold"),
        _build_search(typed),
        _build_line(),
        *_build_heads(choice, lambda: output.get_size().columns),
        rows,
        *([_build_line(), preview] if describe else []),
        _build_line(),
        _build_line(lambda: choice.notice or t("picker.keys"), PALE),
    ]
    application: Application[Item | None] = Application(
        Layout(HSplit(body)),
        key_bindings=_build_bindings(choice),
        erase_when_done=True,
        output=output,
    )
    application.ttimeoutlen = 0.05  # a lone Esc takes effect soon
    return application


def _build_heads(choice: PickerState[Item], count_columns: Callable[[], int]) -> "list[Window]":
    if choice.build_heads is None:
        return []
    indent = " " * (len(POINTER) + 1)
    return [_build_line(lambda: f"{indent}{choice.render_head(count_columns())}", PALE)]


def _build_search(typed: "Buffer") -> "Window":
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.layout import BufferControl, Window
    from prompt_toolkit.layout.processors import (
        AfterInput,
        BeforeInput,
        ConditionalProcessor,
        PasswordProcessor,
    )

    mask = ConditionalProcessor(PasswordProcessor(), Condition(lambda: holds_key(typed.text)))
    prompt = BeforeInput(f"{MARGIN}{t('picker.search')} ")
    is_empty = Condition(lambda: not typed.text)
    placeholder = ConditionalProcessor(AfterInput(t("picker.type"), PALE), is_empty)
    control = BufferControl(typed, [mask, prompt, placeholder])
    return Window(control, height=1, always_hide_cursor=is_empty)


def _build_line(label: str | Callable[[], str] = "", style: str = "") -> "Window":
    from prompt_toolkit.layout import FormattedTextControl, Window

    read = label if callable(label) else lambda: label
    return Window(FormattedTextControl(lambda: f"{MARGIN}{read()}"), height=1, style=style)


def _style_lines(lines: Sequence[tuple[bool, str]]) -> "StyleAndTextTuples":
    fragments: StyleAndTextTuples = []
    for is_selected, text in lines:
        head = f"{MARGIN}{POINTER if is_selected else ' '} "
        fragments += [("", "\n")] if fragments else []
        fragments += [(SELECTED, head + text)] if is_selected else [("", head), *_style_cells(text)]
    return fragments or [("", f"{MARGIN}{t('picker.nothing')}")]


def _style_cells(line: str) -> "StyleAndTextTuples":
    """Return the cells of a line: what waits for the user stands out, an ID is pale."""
    waiting = t("picker.waiting")
    return [
        ("fg:ansiyellow" if cell == waiting else PALE if _ID.fullmatch(cell) else "", cell)
        for cell in _GAPS.split(line)
    ]


def _build_bindings(choice: PickerState[Item]) -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    moves = {"up": -1, "c-p": -1, "down": 1, "c-n": 1, "pageup": -SHOWN, "pagedown": SHOWN}
    for name, by in moves.items():
        keys.add(name)(_build_mover(choice, by))

    @keys.add("enter")
    def _accept_selection(event: "KeyPressEvent") -> None:
        if choice.selected_item:
            event.app.exit(result=choice.selected_item)

    @keys.add("escape", eager=True)
    @keys.add("c-c")
    @keys.add("c-d")
    def _cancel_picker(event: "KeyPressEvent") -> None:
        event.app.exit(result=None)

    return keys


def _build_mover(choice: PickerState[Item], by: int) -> "Callable[[KeyPressEvent], None]":
    return lambda event: choice.move(by)


def _pick_by_number(items: Sequence[Item], build_cells: "BuildCells[Item]") -> Item | None:
    """Ask for a number, on a terminal that cannot be redrawn."""
    for place, line in enumerate(_format_rows(build_cells(items[:SHOWN], NARROW), NARROW), 1):
        echo(f"{place:>2}{GAP}{line}", err=True)
    number = ask_number(t("picker.number"))
    return items[number - 1] if 0 < number <= min(SHOWN, len(items)) else None
