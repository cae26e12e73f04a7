"""Thread picker: type to filter, arrows to move, Enter to select, Esc to leave.

It appears below the existing output and disappears afterwards; like the questions it writes to
stderr.
"""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...memory.threads.record import ThreadRow
from ..i18n.catalogs import t
from ..rendering.humanize import format_age
from ..rendering.output import echo
from ..rendering.table import GAP, NARROW, align_columns, measure_width
from ..rendering.thread_listing import SHORT_ID, format_title
from .choice import ask_number
from .sync_bridge import run_sync

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

# Threads visible at once
SHOWN = 10
# From 0 to 100: share of the typed text that must occur, in this order, in a thread's text
MIN_SIMILARITY = 75.0


def pick_thread(rows: Sequence[ThreadRow]) -> ThreadRow | None:
    """Return the thread that the user selects; None if they leave. Needs a terminal."""
    if os.environ.get("TERM") in ("dumb", "unknown"):
        return _pick_by_number(rows)
    return run_sync(build_picker(rows).run_async())


def rank_threads(rows: Sequence[ThreadRow], typed: str) -> list[ThreadRow]:
    """Return the threads that match: first those that contain every word, then similar ones."""
    from rapidfuzz.fuzz import partial_ratio

    words, wanted = typed.casefold().split(), " ".join(typed.casefold().split())
    if not words:
        return list(rows)

    def score_row(row: ThreadRow) -> float:
        text = f"{row.thread_id[:SHORT_ID]} {row.name} {row.title} {row.request}".casefold()
        if all(word in text for word in words):
            return 101.0
        return partial_ratio(
            wanted, f"{row.name} {row.title}".casefold(), score_cutoff=MIN_SIMILARITY
        )

    scored = [(score_row(row), row) for row in rows]
    fitting = [one for one in scored if one[0]]
    return [row for _, row in sorted(fitting, key=lambda one: -one[0])]


class PickerState:
    """The matching threads, and which of them is selected."""

    def __init__(self, rows: Sequence[ThreadRow]) -> None:
        self._rows = rows
        self.fitting = list(rows)
        self._at = 0

    @property
    def selected_row(self) -> ThreadRow | None:
        """The selected thread."""
        return self.fitting[self._at] if self.fitting else None

    def filter(self, typed: str) -> None:
        """Keep only the threads that match; select the best."""
        self.fitting, self._at = rank_threads(self._rows, typed), 0

    def move(self, by: int) -> None:
        """Move the selection; it stops at both ends."""
        self._at = max(0, min(self._at + by, len(self.fitting) - 1))

    def render_lines(self, columns: int) -> list[tuple[bool, str]]:
        """Return the visible lines, cut to the width, and whether each is the selected one."""
        first = max(0, min(self._at - SHOWN // 2, len(self.fitting) - SHOWN))
        seen = self.fitting[first : first + SHOWN]
        texts = _format_rows(seen, columns - 2) if seen else []
        return [(first + at == self._at, text) for at, text in enumerate(texts)]


def _format_rows(rows: Sequence[ThreadRow], columns: int) -> list[str]:
    """Return one line for each thread; on a narrow screen only age and title."""
    cells = [[format_age(row.updated_at), format_title(row)] for row in rows]
    if columns >= NARROW:
        status = [t(f"threads.status.{row.status}") for row in rows]
        cells = [
            [row.thread_id[:SHORT_ID], word, *cell]
            for row, word, cell in zip(rows, status, cells, strict=True)
        ]
    return [_truncate_line(line, columns) for line in align_columns(cells)]


def _truncate_line(text: str, columns: int) -> str:
    if measure_width(text) <= columns:
        return text
    while measure_width(text) > columns - 1:
        text = text[:-1]
    return f"{text}…"


def build_picker(rows: Sequence[ThreadRow]) -> "Application[ThreadRow | None]":
    """Build the picker; the caller runs it."""
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window
    from prompt_toolkit.layout.processors import BeforeInput
    from prompt_toolkit.output import create_output

    choice = PickerState(rows)
    typed = Buffer(multiline=False, on_text_changed=lambda buffer: choice.filter(buffer.text))
    output = create_output(stdout=sys.stderr)

    def render_rows() -> "StyleAndTextTuples":
        lines = choice.render_lines(output.get_size().columns)
        return [
            ("reverse" if is_chosen else "", f"{'›' if is_chosen else ' '} {text}\n")
            for is_chosen, text in lines
        ] or [("", t("picker.nothing"))]

    body = HSplit(
        [
            Window(BufferControl(typed, [BeforeInput(f"{t('picker.search')} ")]), height=1),
            Window(FormattedTextControl(render_rows), height=min(SHOWN, len(rows)) or 1),
            Window(FormattedTextControl(t("picker.keys")), height=1),
        ]
    )
    application: Application[ThreadRow | None] = Application(
        Layout(body), key_bindings=_build_bindings(choice), erase_when_done=True, output=output
    )
    application.ttimeoutlen = 0.05  # a lone Esc takes effect soon
    return application


def _build_bindings(choice: PickerState) -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    moves = {"up": -1, "c-p": -1, "down": 1, "c-n": 1, "pageup": -SHOWN, "pagedown": SHOWN}
    for name, by in moves.items():
        keys.add(name)(_build_mover(choice, by))

    @keys.add("enter")
    def _accept_selection(event: "KeyPressEvent") -> None:
        if choice.selected_row:
            event.app.exit(result=choice.selected_row)

    @keys.add("escape", eager=True)
    @keys.add("c-c")
    @keys.add("c-d")
    def _cancel_picker(event: "KeyPressEvent") -> None:
        event.app.exit(result=None)

    return keys


def _build_mover(choice: PickerState, by: int) -> "Callable[[KeyPressEvent], None]":
    return lambda event: choice.move(by)


def _pick_by_number(rows: Sequence[ThreadRow]) -> ThreadRow | None:
    """Ask for a number, on a terminal that cannot be redrawn."""
    for place, line in enumerate(_format_rows(rows[:SHOWN], NARROW), 1):
        echo(f"{place:>2}{GAP}{line}", err=True)
    number = ask_number(t("picker.number"))
    return rows[number - 1] if 0 < number <= min(SHOWN, len(rows)) else None
