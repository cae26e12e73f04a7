"""What a refused request is answered: why, and what the next try needs."""

import re
from collections.abc import Sequence

from ...filesystem.line_numbers import numbered
from ...result import ToolRefusal
from .document import Source, places_of
from .edit_request import Match, Request
from .nearest_match import closest
from .normalization import collapsed, folded

MOST_SHOWN = 20
"""Lines, and line numbers, that a refusal shows."""
MOST_DIFFERENCES = 3
MANY = 100
LONGEST_SHOWN = 200
FEWEST_LETTERS = 3
"""Of a new text that is worth looking for."""

_EDGES = re.compile(r"^[ \t]+|[ \t]+$")
_ODD_BLANK = re.compile(
    "[\u00a0\u00ad\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\r\f\v]"
)

OLD = "`old_string`"
SAME = "`old_string` and `new_string` are the same; nothing was changed"
EMPTY = "`old_string` is empty; it must be the text to replace"
CHANGED = (
    "the file has changed since you read it, so only a text that is in it exactly once, as given, "
    "can be replaced: read it again, then edit it"
)
NOT_AT_END = (
    "the hunk has `\\ No newline at end of file`, but its lines end at line {line}, which is not "
    "the file's last"
)
NO_PLACE = (
    "the hunk only adds lines and shows none around them, so their place is not clear; begin it "
    "or end it with a line that is in the file"
)
NO_CONTEXT = "the line `{text}` after `@@` is not in the file; copy it from the file"
HUNK_DEPTH = (
    "the lines that stay have another indentation than the file has from line {line}, and the new "
    "ones have that of the file, so their depth is not clear; copy the file's indentation"
)
LEGEND = "(`·` is a blank at an end, `⇥` a tab)"


def no_change(line: int) -> ToolRefusal:
    """The file is already as the request wants it."""
    return ToolRefusal(
        f"the file is already so, at line {line}: `new_string` would change nothing there"
    )


def only_blanks() -> ToolRefusal:
    """Nothing but indentation would change, and the request's is not the file's."""
    return ToolRefusal(
        "only the indentation differs between `old_string` and `new_string`, and `old_string` is "
        "not indented as the file is; copy the file's blanks"
    )


def depth_unclear(line: int) -> ToolRefusal:
    """The old text lacks the indentation of its line, and new lines are not indented as it is."""
    return ToolRefusal(
        f"`old_string` begins behind the indentation of line {line}, and lines of `new_string` are "
        "not indented as that line is: give whole lines with the file's indentation in both"
    )


def placeholder(line: str, where: str) -> ToolRefusal:
    """A line stands for code that was left out."""
    return ToolRefusal(
        f"`{where}` has a line that stands for code that was left out: `{line.strip()}`; "
        "write all lines out, or edit only the lines that change"
    )


def left_out_of_old(source: Source, request: Request, line: str) -> ToolRefusal:
    """The same in the text to find, with the lines that it may stand for."""
    return ToolRefusal(f"{placeholder(line, 'old_string')}\n{not_found(source, request)}")


def with_lines(refusal: ToolRefusal, source: Source, match: Match) -> ToolRefusal:
    """A refusal to change lines that were found, with these lines."""
    lines = source.lines[match.start : match.end][:MOST_SHOWN]
    shown = numbered(list(map(visible, lines)), match.start + 1)
    return ToolRefusal(f"{refusal}\nthe lines of the file {LEGEND}:\n{shown}")


def ambiguous(
    lines: Sequence[int], columns: Sequence[int], exactly: bool, changed: bool
) -> ToolRefusal:
    """The text is meant to be in one place, and is in several; lines count from 1."""
    how = "" if exactly else ", but for blanks and the like,"
    advice = ", or set `replace_all`" if not changed else f"; {CHANGED}"
    return ToolRefusal(
        f"`old_string` is in the file{how} {_times(lines)}, {_at(lines, columns)}; "
        f"add the lines around the one you mean{advice}"
    )


def _at(lines: Sequence[int], columns: Sequence[int]) -> str:
    """Where places begin: of several in one line, the columns."""
    if len(set(lines)) == len(lines):
        return f"at lines {listed(lines)}"
    if len(set(lines)) == 1:
        return f"at line {lines[0]}, columns {listed(columns)}"
    pairs = [f"{line}:{column}" for line, column in zip(lines, columns, strict=True)]
    more = f" and {len(pairs) - MOST_SHOWN} more" if len(pairs) > MOST_SHOWN else ""
    return f"at lines and columns {', '.join(pairs[:MOST_SHOWN])}{more}"


def hunk_ambiguous(lines: Sequence[int]) -> str:
    """The lines of a hunk stand in several places."""
    return (
        f"the lines of the hunk are in the file {_times(lines)}, at lines {listed(lines)}; add "
        "lines of the context, or the line above after `@@`, or the right line number"
    )


def hunk_not_found(
    source: Source, old: Sequence[str], new: Sequence[str], context: Sequence[str]
) -> ToolRefusal:
    """The lines of a hunk are nowhere."""
    request = Request("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))
    below = f" below `{context[-1]}`" if context else ""
    return not_found(source, request, what="the hunk", where=f"in the file{below}")


def too_many_alike() -> ToolRefusal:
    """More blocks are like the request than can be told apart."""
    return ToolRefusal(
        "`old_string` is not in the file, and too many places are like it; copy the lines from "
        "the file as they are, with a line that stands only there"
    )


def not_found(
    source: Source,
    request: Request,
    *,
    changed: bool = False,
    everywhere: bool = False,
    what: str = OLD,
    where: str = "in the file",
) -> ToolRefusal:
    """The text is nowhere: the closest lines, how they differ, and whether it was done already."""
    cut = source.text.find(request.old)
    if cut >= 0 and request.old.strip() and what == OLD:
        return _cut(source, cut, what, f"; {CHANGED}" if changed else "")
    old = request.old_lines
    places = closest(source, old)
    start = places[0] if places else 0
    close = source.lines[start : start + min(len(old), MOST_SHOWN)] if places else []
    blanks = list(map(collapsed, close)) == list(map(collapsed, old))
    text = f"{what} is not {where}" + (", only with other blanks" if blanks else "")
    text += _done_already(source, request.new)
    if changed:
        text += f"; {CHANGED}"
    elif everywhere:
        text += "; with `replace_all` it must be as it is in the file"
    if not places:
        return ToolRefusal(f"{text}; nothing like it is there, read the file again")
    shown = numbered([visible(line) for line in close], start + 1)
    differs = "" if blanks else _differences(source, old, start, what)
    others = [place + 1 for place in places[1:]]
    also = f"\nas close: line {listed(others)}" if others else ""
    return ToolRefusal(f"{text}; the closest lines {LEGEND}:\n{shown}{differs}{also}")


def _cut(source: Source, place: int, what: str, more: str) -> ToolRefusal:
    """The text is in the file, but not as whole words, or not from a line's begin."""
    line = source.text.count("\n", 0, place) + 1
    shown = numbered([visible(source.lines[line - 1][:LONGEST_SHOWN])], line)
    return ToolRefusal(
        f"{what} is not in the file, only as a part of something longer, at line {line}: it begins "
        "or ends there within a word, a number or an indentation; give whole words, or whole lines"
        f"{more}\nthe line {LEGEND}:\n{shown}"
    )


def _done_already(source: Source, new: str) -> str:
    found = places_of(source.text, new)[:1] if len(new.strip()) >= FEWEST_LETTERS else []
    if not found:
        return ""
    line = source.text.count("\n", 0, found[0]) + 1
    return f", but `new_string` is, at line {line}: the change may have been made already"


def listed(lines: Sequence[int]) -> str:
    """Line numbers in words; of many the first."""
    more = len(lines) - MOST_SHOWN
    return ", ".join(map(str, lines[:MOST_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _times(lines: Sequence[int]) -> str:
    """How often; of many not all are counted."""
    return f"{'at least ' if len(lines) >= MANY else ''}{len(lines)} times"


def visible(line: str) -> str:
    """The line with blanks at its ends and odd ones anywhere made visible."""
    shown = _EDGES.sub(lambda blanks: blanks[0].replace(" ", "·"), line).replace("\t", "⇥")
    return _ODD_BLANK.sub(lambda blank: ascii(blank[0])[1:-1], shown)


def _differences(source: Source, old: Sequence[str], start: int, what: str) -> str:
    """The first lines of the request that the closest lines have otherwise, side by side."""
    window = source.lines[start : start + len(old) + MOST_DIFFERENCES]
    near = {folded(line) for line in window}
    missing = [line for line in old if line.strip() and folded(line) not in near]
    shown = "\n".join(visible(line)[:200] for line in missing[:MOST_DIFFERENCES])
    return f"\nnot there is from {what}:\n{shown}" if missing else ""
