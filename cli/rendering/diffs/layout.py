"""A diff as rows of a terminal: line number, sign, code; the changed words are lit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from rich.text import Text

from ...i18n.catalogs import t
from ..console import style_text
from ..line_breaks import TAB, cut_text, find_breaks
from ..markdown.syntax import highlight_code
from ..sanitize import sanitize_line
from ..text_width import measure_width
from ..theme import get_theme
from .parser import DiffLine, FileDiff

# Part of the text that must be equal: else the whole line is another one
MIN_RATIO = 0.45
# Characters of a line that is compared; a longer one is shown without lit words
MAX_LENGTH = 500
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

Span = tuple[int, int]

SIGNS = {"context": " ", "removed": "−", "added": "+"}
SIGN_STYLES = {"context": "dim", "removed": "red", "added": "green"}
NOTE_STYLE = "dim"
# Rows that are shown unless all are wanted
FOLDED_ROWS = 20
# Least cells for code that hangs under its indent
MIN_CODE = 24
# Lines of a hunk that are highlighted
MAX_HIGHLIGHTED = 2_000


def render_file_head(file: FileDiff) -> Text:
    """Return the name of a file and the counts of its changed lines."""
    return render_totals(sanitize_line(file.path), [file])


def render_totals(name: str, files: Sequence[FileDiff]) -> Text:
    """Return the counts of the changed lines of all these files behind a name."""
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    head = style_text(name, "bold")
    return Text.assemble(head, "  ", (f"+{added}", "green"), " ", (f"−{removed}", "red"))


def render_hunks(file: FileDiff, width: int) -> Iterator[Text]:
    """Yield the rows of a file's changes, at most `width` wide."""
    for note in file.notes:
        yield style_text(sanitize_line(note), NOTE_STYLE)
    largest = max((line.number for hunk in file.hunks for line in hunk), default=0)
    digits = max(len(str(largest)), 3)
    for number, hunk in enumerate(file.hunks):
        if number:
            yield Text(f"{'⋮':>{digits}}", NOTE_STYLE)
        yield from _render_hunk(_strip_hunk(hunk), file.path, digits, width)


def _strip_hunk(hunk: Sequence[DiffLine]) -> Sequence[DiffLine]:
    """Return the lines without empty ones around a change at both ends: they say nothing."""
    rows = [n for n, line in enumerate(hunk) if line.kind != "context" or line.text.strip()]
    return hunk[rows[0] : rows[-1] + 1] if rows else hunk


def fold_rows(rows: Sequence[Text], limit: int | None) -> list[Text]:
    """Return at most this many rows, and a row that tells of the others; None: all."""
    if limit is None or len(rows) <= limit + 1:
        return list(rows)
    return [*rows[:limit], Text(f"… {t('tool.left_out', count=len(rows) - limit)}", NOTE_STYLE)]


def _render_hunk(hunk: Sequence[DiffLine], path: str, digits: int, width: int) -> Iterator[Text]:
    theme = get_theme()
    row_styles = {"added": theme.added, "removed": theme.removed}
    word_styles = {"added": theme.added_word, "removed": theme.removed_word}
    codes = _color_lines(hunk, path, row_styles)
    lit = _find_lit_words(hunk, codes)
    rows: list[tuple[DiffLine, Text]] = []
    for line, code, spans in zip(hunk, codes, lit, strict=True):
        for begin, end in spans:
            code.stylize(word_styles[line.kind], begin, end)
        gutter = Text(" " * (digits + 3))
        if line.kind != "note":
            number = f"{line.number:>{digits}} {SIGNS[line.kind]} "
            gutter = Text(number, SIGN_STYLES[line.kind])
        blank = Text(" " * len(gutter))
        for row in _break_code(code, max(width - len(gutter), 1)):
            rows.append((line, Text.assemble(gutter, row)))
            gutter = blank
    for line, row in rows:
        if theme.has_syntax and (style := row_styles.get(line.kind)):
            row.append(" " * (width - measure_width(row.plain)))
            row.stylize_before(style)
        yield row


def _break_code(code: Text, width: int) -> Iterator[Text]:
    """Yield rows that break between words and hang under the code.

    No character is lost but spaces at a break that the row has no room for.
    """
    code.expand_tabs(TAB)
    plain = code.plain
    indent = len(plain) - len(plain.lstrip(" "))
    if measure_width(plain) <= width or width - indent < MIN_CODE:
        yield from cut_text(code, width)
        return
    parts = code.divide(find_breaks(plain, width - indent))
    for part in parts:
        part.rstrip_end(width - indent)
    rows = [row for part in parts for row in cut_text(part, width - indent)]
    for at, row in enumerate(rows):
        yield Text.assemble(" " * indent, row) if at else row


def _color_lines(hunk: Sequence[DiffLine], path: str, row_styles: Mapping[str, str]) -> list[Text]:
    """Return the code of each line with the colours of its language, or with one colour."""
    codes = [style_text(line.text, "") for line in hunk]
    if len(hunk) <= MAX_HIGHLIGHTED:
        for hidden in ("removed", "added"):  # each side is a text by itself
            positions = [at for at, line in enumerate(hunk) if line.kind not in (hidden, "note")]
            colored = highlight_code("\n".join(codes[at].plain for at in positions), path=path)
            for at, code in zip(positions, colored, strict=False):
                codes[at] = code
    for at, line in enumerate(hunk):
        if line.kind == "note":
            codes[at].style = NOTE_STYLE
        elif not get_theme().has_syntax and line.kind in row_styles:
            codes[at] = Text(codes[at].plain, row_styles[line.kind])
    return codes


def _find_lit_words(hunk: Sequence[DiffLine], codes: Sequence[Text]) -> list[list[Span]]:
    """Return the changed words of each line: of removed lines that as many added ones follow."""
    lit: list[list[Span]] = [[] for _ in hunk]
    begin = 0
    while begin < len(hunk):
        removed = _count_kind(hunk, begin, "removed")
        added = _count_kind(hunk, begin + removed, "added")
        if removed and removed == added:
            for at in range(begin, begin + removed):
                old, new = codes[at].plain, codes[at + removed].plain
                lit[at], lit[at + removed] = find_changed_words(old, new)
        begin += removed + added or 1
    return lit


def _count_kind(hunk: Sequence[DiffLine], begin: int, kind: str) -> int:
    count = 0
    while begin + count < len(hunk) and hunk[begin + count].kind == kind:
        count += 1
    return count


def find_changed_words(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the spans that differ, in the old line and in the new one; none if nearly all do."""
    if max(len(old), len(new)) > MAX_LENGTH:
        return [], []
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    equal = sum(
        len("".join(old_words[block.a : block.a + block.size]).strip())
        for block in matcher.get_matching_blocks()
    )
    if 2 * equal < MIN_RATIO * (len(old.strip()) + len(new.strip())):
        return [], []
    return (
        _to_spans(old_words, [(begin, end) for _, begin, end, _, _ in codes]),
        _to_spans(new_words, [(begin, end) for _, _, _, begin, end in codes]),
    )


def _to_spans(words: Sequence[str], ranges: Sequence[Span]) -> list[Span]:
    """Return ranges of words as spans of characters."""
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return [(offsets[begin], offsets[end]) for begin, end in ranges if begin < end]
