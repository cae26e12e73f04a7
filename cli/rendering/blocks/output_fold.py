"""The output of a running program: its first rows, and a ring of the last ones."""

import re
from collections import deque
from collections.abc import Sequence

from rich.text import Text

from ...i18n.stored_messages import translate_stored
from ..block_printer import EDGE, light_failures
from ..console import style_text
from ..line_breaks import TAB, wrap_text
from ..text_width import measure_width
from .folds import MAX_LINES

# Left of the first row of an output
GUTTER = "└ "
# Rows that one line of an output takes at most; the first ones take one where others are left out
LINE_ROWS = 3
# How grep and ripgrep end without a hit
_NO_LINE = 1
# First rows that are shown, and last ones: a program prints its errors at the end
FIRST_ROWS = 3
LAST_ROWS = 8
# Last rows of a red test run, each cut at the width: the answer must not drown in them
LAST_ROWS_OF_TESTS = 5
# Last rows of a program that has succeeded
LAST_ROWS_OF_SUCCESS = 3
# Rows that are shown while it runs
LIVE_ROWS = 4
# Characters of one line that are kept
MAX_LINE = 2_000
# A row of one mark, such as a program draws between its parts
_RULE = re.compile(r"([=_*#~─═-])\1{9,}")
_EQUALS = re.compile("={3,} .* ={3,}$|={10,}$")
# What the last lines of a test run say of it
SUMMARY_LINES = 4
# A last program that ends with 1 when it has found nothing
_FILTER = re.compile(r"(?:^|[|;&\n])\s*(?:[efz]?grep|rg)\b[^|;&\n]*$")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_SUMMARY = re.compile(r"\b\d+ (?:passed|failed|failures?|errors?)\b")


def shorten_rules(line: str, width: int) -> str:
    """Return the line with its rules shortened, so that it fits the width if they are the cause."""
    rules = list(_RULE.finditer(line))
    if not rules or len(line) <= width:
        return line
    size = max(width - len(line) + sum(len(rule[0]) for rule in rules), 0) // len(rules)
    return _RULE.sub(lambda rule: rule[1] * max(size, 1), line)


class OutputFold:
    """Takes pieces of output; shows no empty lines."""

    def __init__(self, *, keeps_all: bool = False) -> None:
        self.lines = deque[str](maxlen=MAX_LINES if keeps_all else 0)
        """The lines that can be opened."""
        self._tail = ""
        """The incomplete line."""
        self._first: list[str] = []
        self._last = deque[str](maxlen=LAST_ROWS)
        self._count = 0

    def add_text(self, piece: str) -> None:
        """Add a piece."""
        *lines, self._tail = (self._tail + piece).split("\n")
        for line in lines:
            self._add_line(line)
        self._tail = self._tail[:MAX_LINE]

    def _add_line(self, line: str) -> None:
        shown_line = line.rstrip("\r").rpartition("\r")[2][:MAX_LINE]
        self.lines.append(shown_line)
        if not shown_line.strip():
            return
        self._count += 1
        if len(self._first) < FIRST_ROWS:
            self._first.append(shown_line)
        else:
            self._last.append(shown_line)

    def list_live_rows(self) -> list[str]:
        """Return the last rows so far."""
        lines = [*self._first, *self._last, *([self._tail] if self._tail else [])]
        return [line for line in lines if line.strip()][-LIVE_ROWS:]

    @property
    def summary(self) -> str:
        """How many tests have passed and failed, as its last lines say; empty without tests."""
        for line in [*self._first, *self._last, self._tail][: -SUMMARY_LINES - 2 : -1]:
            if counts := _SUMMARY.findall(line):
                return translate_stored(", ".join(counts))
        return ""

    def has_passed(self, command: str, exit_code: object) -> bool:
        """Return whether all tests have passed, and a `grep` at the end has found nothing."""
        lines = [*self._first, *self._last, self._tail][: -SUMMARY_LINES - 2 : -1]
        counts = [count for line in lines for count in _SUMMARY.findall(line)]
        is_green = bool(counts) and all(count.endswith(" passed") for count in counts)
        return is_green and exit_code == _NO_LINE and bool(_FILTER.search(_QUOTED.sub("", command)))

    def finish(self, *, ok: bool) -> tuple[list[str], int, list[str]]:
        """Return the first rows, how many are left out after them, and the last ones.

        Of a test run that has failed only the end counts.
        """
        if self._tail:
            self._add_line(self._tail)
            self._tail = ""
        if not ok and self.summary:
            return self._finish_red_tests()
        last, first = list(self._last)[-(LAST_ROWS_OF_SUCCESS if ok else LAST_ROWS) :], self._first
        hidden = self._count - len(first) - len(last)
        if hidden == 1 and first:  # a row that tells of one row takes the place of it
            last, hidden = list(self._last)[-len(last) - 1 :], 0
        return first, hidden, last

    def _finish_red_tests(self) -> tuple[list[str], int, list[str]]:
        """Return the end of a red test run without its rules and totals, which the head has."""
        lines = [*self._first, *self._last]
        end = len(lines) - SUMMARY_LINES
        totals = {at for at, line in enumerate(lines) if at >= end and _SUMMARY.search(line)}
        remaining = [
            " ".join(_RULE.sub("", line).split()) if _RULE.search(line) else line
            for at, line in enumerate(lines)
            if at not in totals and not _EQUALS.search(line)
        ]
        last = list(filter(None, remaining))[-LAST_ROWS_OF_TESTS:]
        hidden = self._count - len(lines) + len(remaining) - len(last)
        return [], hidden, last


def layout_output(
    first: Sequence[str], note: str, last: Sequence[str], width: int, *, line_rows: int = LINE_ROWS
) -> tuple[list[Text], bool]:
    """Return the rows of an output below its call, and whether a line is cut.

    `note` says how many lines are left out between the first and the last ones; empty: none. A line
    takes at most `line_rows`.
    """
    rows, cuts = list[Text](), list[bool]()
    for line in (*first, None, *last):
        if line is None:
            rows += [Text(note, "dim")] if note else []
            continue
        limit = 1 if note and len(rows) < len(first) else line_rows
        shown_rows, is_cut = _layout_line(line, max(width - len(GUTTER), 1), limit)
        rows += shown_rows
        cuts.append(is_cut)
    heads = [Text(EDGE if number else GUTTER, "dim") for number in range(len(rows))]
    return list(map(Text.append_text, heads, rows)), any(cuts)


def _layout_line(line: str, width: int, limit: int) -> tuple[list[Text], bool]:
    """Return a line in so many rows, and whether it is cut."""
    fitting = light_failures(style_text(shorten_rules(line.expandtabs(TAB), width), "dim"))
    if limit == 1:  # a name without blanks is cut, too, and not left out
        is_cut = measure_width(fitting.plain) > width
        fitting.truncate(width, overflow="ellipsis")
        return [fitting], is_cut
    rows = list(wrap_text(fitting, width, keeps_addresses=True))
    if is_cut := len(rows) > limit:
        rows[limit - 1] = Text.assemble(rows[limit - 1], "…")
        rows[limit - 1].truncate(width, overflow="ellipsis")
    return rows[:limit], is_cut
