"""Errors of edits for the model: what went wrong, and what to try."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...filesystem.line_numbers import format_lines
from ...result import ToolError
from .document import TextDocument, find_places
from .edit_request import EditRequest, LineMatch
from .line_similarity import MAX_COMPARED_LENGTH
from .normalization import collapse_blanks, normalize_line

# most lines, and line numbers, in an error
MAX_SHOWN = 20
MAX_DIFFERENCES = 3
MAX_COUNTED = 100
MAX_LINE_LENGTH = 200
# of a new text that is worth looking for
MIN_LETTERS = 3

_SPECIAL_BLANK = re.compile(
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

FREQUENT_LINE = 200
# a word in more places than this does not show where a text belongs
FREQUENT_WORD = 30
WORD_WEIGHT = 0.2
# lines by which votes for one place may be apart
SPREAD = 3
NEARLY = 0.9
# most places in an error, and how near to the best their votes must be
MAX_PLACES = 5
MAX_ASKED = 200
MIN_SIMILARITY = 60

_WORD = re.compile(r"\w{3,}")

Votes = defaultdict[int, float]


def make_unchanged_error(line: int) -> ToolError:
    """Build the error for a file that is already as the request wants it."""
    return ToolError(
        f"the file is already so, at line {line}: `new_string` would change nothing there"
    )


def make_indentation_error() -> ToolError:
    """Build the error for a change of indentation alone that does not fit the file's."""
    return ToolError(
        "only the indentation differs between `old_string` and `new_string`, and `old_string` is "
        "not indented as the file is; copy the file's blanks"
    )


def make_depth_error(line: int) -> ToolError:
    """Build the error for an old text without its indentation, and new lines with another one."""
    return ToolError(
        f"`old_string` begins after the indentation of line {line}, and lines of `new_string` are "
        "not indented as that line is: give whole lines with the file's indentation in both"
    )


def make_elision_error(line: str, where: str) -> ToolError:
    """Build the error for a placeholder of omitted code."""
    return ToolError(
        f"`{where}` has a line that stands for omitted code: `{line.strip()}`; "
        "write all lines, or edit only the lines that change"
    )


def make_old_elision_error(source: TextDocument, request: EditRequest, line: str) -> ToolError:
    """Build the error for a placeholder in the old text, with the lines that it may replace."""
    return ToolError(
        f"{make_elision_error(line, 'old_string')}\n{make_not_found_error(source, request)}"
    )


def with_lines(refusal: ToolError, source: TextDocument, match: LineMatch) -> ToolError:
    """Add the lines that were found to a refusal."""
    lines = source.lines[match.start : match.end][:MAX_SHOWN]
    excerpt = format_lines(list(map(show_blanks, lines)), match.start + 1)
    return ToolError(f"{refusal}\nthe lines of the file {LEGEND}:\n{excerpt}")


def make_ambiguous_error(
    lines: Sequence[int], columns: Sequence[int], exactly: bool, changed: bool
) -> ToolError:
    """Build the error for a text in several places instead of one; lines count from 1."""
    how = "" if exactly else ", but for blanks and the like,"
    advice = ", or set `replace_all`" if not changed else f"; {CHANGED}"
    return ToolError(
        f"`old_string` is in the file{how} {_format_count(lines)}, "
        f"{_describe_places(lines, columns)}; "
        f"add the lines around the one you mean{advice}"
    )


def _describe_places(lines: Sequence[int], columns: Sequence[int]) -> str:
    """Describe where places begin; by columns if several are in one line."""
    if len(set(lines)) == len(lines):
        return f"at lines {format_line_numbers(lines)}"
    if len(set(lines)) == 1:
        return f"at line {lines[0]}, columns {format_line_numbers(columns)}"
    pairs = [f"{line}:{column}" for line, column in zip(lines, columns, strict=True)]
    more = f" and {len(pairs) - MAX_SHOWN} more" if len(pairs) > MAX_SHOWN else ""
    return f"at lines and columns {', '.join(pairs[:MAX_SHOWN])}{more}"


def describe_ambiguous_hunk(lines: Sequence[int]) -> str:
    """Describe the places of a hunk that fits several."""
    return (
        f"the lines of the hunk are in the file {_format_count(lines)}, "
        f"at lines {format_line_numbers(lines)}; add "
        "lines of the context, or the line above after `@@`, or the right line number"
    )


def make_hunk_error(
    source: TextDocument, old: Sequence[str], new: Sequence[str], context: Sequence[str]
) -> ToolError:
    """Build the error for a hunk whose lines are not in the file."""
    request = EditRequest(
        "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    )
    below = f" below `{context[-1]}`" if context else ""
    return make_not_found_error(source, request, label="the hunk", where=f"in the file{below}")


def make_too_many_error() -> ToolError:
    """Build the error for a request that is similar to too many blocks."""
    return ToolError(
        "`old_string` is not in the file, and too many places are similar; copy the lines from "
        "the file exactly, with a line that is only there"
    )


def make_not_found_error(
    source: TextDocument,
    request: EditRequest,
    *,
    changed: bool = False,
    everywhere: bool = False,
    label: str = OLD,
    where: str = "in the file",
) -> ToolError:
    """Build the error for a missing text: closest lines, differences, whether it is done."""
    cut = source.text.find(request.old)
    if cut >= 0 and request.old.strip() and label == OLD:
        return _make_cut_error(source, cut, label, f"; {CHANGED}" if changed else "")
    old = request.old_lines
    places = find_nearest(source, old)
    start = places[0] if places else 0
    close = source.lines[start : start + min(len(old), MAX_SHOWN)] if places else []
    blanks = list(map(collapse_blanks, close)) == list(map(collapse_blanks, old))
    text = f"{label} is not {where}" + (", only with other blanks" if blanks else "")
    text += _note_already_done(source, request.new)
    if changed:
        text += f"; {CHANGED}"
    elif everywhere:
        text += "; with `replace_all` it must match the file exactly"
    if not places:
        return ToolError(f"{text}; nothing similar is there, read the file again")
    excerpt = format_lines([show_blanks(line) for line in close], start + 1)
    differs = "" if blanks else _describe_differences(source, old, start, label)
    others = [place + 1 for place in places[1:]]
    alternatives = f"\nas close: line {format_line_numbers(others)}" if others else ""
    return ToolError(f"{text}; the closest lines {LEGEND}:\n{excerpt}{differs}{alternatives}")


def _make_cut_error(source: TextDocument, place: int, label: str, more: str) -> ToolError:
    """Build the error for a text that is only a part of a word or an indentation."""
    line = source.text.count("\n", 0, place) + 1
    excerpt = format_lines([show_blanks(source.lines[line - 1][:MAX_LINE_LENGTH])], line)
    return ToolError(
        f"{label} is not in the file, only as a part of something longer, at line {line}: it "
        "begins or ends there within a word, a number or an indentation; give whole words, or "
        f"whole lines{more}\nthe line {LEGEND}:\n{excerpt}"
    )


def _note_already_done(source: TextDocument, new: str) -> str:
    places = find_places(source.text, new)[:1] if len(new.strip()) >= MIN_LETTERS else []
    if not places:
        return ""
    line = source.text.count("\n", 0, places[0]) + 1
    return f", but `new_string` is, at line {line}: the change may have been made already"


def format_line_numbers(lines: Sequence[int]) -> str:
    """List line numbers; of many the first."""
    more = len(lines) - MAX_SHOWN
    return ", ".join(map(str, lines[:MAX_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _format_count(lines: Sequence[int]) -> str:
    """Format a count; beyond `MAX_COUNTED` not all are counted."""
    return f"{'at least ' if len(lines) >= MAX_COUNTED else ''}{len(lines)} times"


def show_blanks(line: str) -> str:
    """Make blanks at the ends, and special blanks anywhere, visible."""
    text = line.strip(" \t")
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    trail = line[len(lead) + len(text) :]
    visible_line = f"{lead.replace(' ', '·')}{text}{trail.replace(' ', '·')}".replace("\t", "⇥")
    return _SPECIAL_BLANK.sub(lambda blank: ascii(blank[0])[1:-1], visible_line)


def _describe_differences(source: TextDocument, old: Sequence[str], start: int, label: str) -> str:
    """Show the first lines of the request that the closest lines do not have."""
    window = source.lines[start : start + len(old) + MAX_DIFFERENCES]
    near = {normalize_line(line) for line in window}
    missing = [line for line in old if line.strip() and normalize_line(line) not in near]
    excerpt = "\n".join(show_blanks(line)[:MAX_LINE_LENGTH] for line in missing[:MAX_DIFFERENCES])
    return f"\nnot there is from {label}:\n{excerpt}" if missing else ""


def find_nearest(source: TextDocument, old_lines: Sequence[str]) -> list[int]:
    """Find the lines, from 0, at which `old_lines` most likely begin, the likeliest first."""
    # every old line and word that is in the file votes, rare ones with more weight; without
    # votes the line most similar to the longest old one decides
    old_lines = old_lines[:MAX_ASKED]
    votes: Votes = defaultdict(float)
    lines = (
        (offset, [normalize_line(line)] if line.strip() else [])
        for offset, line in enumerate(old_lines)
    )
    keys = ((number, [key]) for number, key in enumerate(source.normalize_lines(normalize_line)))
    _add_votes(votes, lines, keys, FREQUENT_LINE, 1.0)
    words = ((offset, _WORD.findall(line)) for offset, line in enumerate(old_lines))
    real = ((number, _WORD.findall(line)) for number, line in enumerate(source.lines))
    _add_votes(votes, words, real, FREQUENT_WORD, WORD_WEIGHT)
    return _rank_places(votes) if votes else _find_most_similar(source, old_lines)


def _add_votes(
    votes: Votes,
    asked: Iterable[tuple[int, Sequence[str]]],
    real: Iterable[tuple[int, Sequence[str]]],
    frequent: int,
    weight: float,
) -> None:
    """Let each line or word vote for the place where the request would then begin."""
    offsets, places = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for offset, keys in asked:
        for key in keys:
            offsets[key].append(offset)
    for number, keys in real:
        for key in keys:
            if key in offsets:
                places[key].append(number)
    for key, numbers in places.items():
        if len(numbers) * len(offsets[key]) <= frequent:
            for number in numbers:
                for offset in offsets[key]:
                    votes[max(number - offset, 0)] += weight / len(numbers) / len(offsets[key])


def _rank_places(votes: Votes) -> list[int]:
    """Rank places by their votes; of places near each other keep the best."""
    around = {
        start: sum(votes.get(start + step, 0) for step in range(-SPREAD, SPREAD + 1))
        for start in votes
    }
    max_votes, chosen = max(around.values()), list[int]()
    for start in sorted(votes, key=lambda start: (-around[start], -votes[start], start)):
        if around[start] < NEARLY * max_votes or len(chosen) == MAX_PLACES:
            break
        if all(abs(start - other) > SPREAD for other in chosen):
            near = [place for place in votes if abs(place - start) <= SPREAD]
            chosen.append(max(near, key=lambda place: (votes[place], -place)))
    return chosen


def _find_most_similar(source: TextDocument, old_lines: Sequence[str]) -> list[int]:
    from rapidfuzz import fuzz, process  # dozens of modules that only a refusal needs

    offset, longest = max(
        enumerate(old_lines), key=lambda pair: len(pair[1].strip()), default=(0, "")
    )
    if not longest.strip() or len(longest) > MAX_COMPARED_LENGTH:
        return []
    keys = source.normalize_lines(normalize_line)
    lines = [line.casefold() if len(line) <= MAX_COMPARED_LENGTH else "" for line in keys]
    asked = normalize_line(longest).casefold()
    best_match = process.extractOne(asked, lines, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY)
    return [max(best_match[2] - offset, 0)] if best_match else []
