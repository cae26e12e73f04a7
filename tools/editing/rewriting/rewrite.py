"""Edits of what a request changes; the lines that it keeps stay as they are in the file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...result import ToolError
from ..matching.alignment import align_lines
from ..matching.common_lines import Pairs, find_gaps, find_shared_lines
from ..matching.document import TextDocument
from ..matching.edit_errors import show_blanks, with_lines
from ..matching.edit_request import LineMatch
from ..matching.line_edits import LineEdit
from ..matching.line_similarity import is_made_of_real, measure_similarity
from ..matching.normalization import indent_of, measure_indent, normalize_line, simplify_in_place
from .first_line import complete_first_line
from .indentation import Depths, IndentPair, infer_depths
from .line_merge import merge_line
from .typography import Spelling, infer_spelling

# lines around a match from which the file's unit of indentation is learned
NEARBY = 5_000


@dataclass(frozen=True)
class InferredStyle:
    """A match, and how its request's indentation and spelling map to the file's."""

    source: TextDocument
    match: LineMatch
    depths: Depths
    spelling: Spelling
    exact: bool
    """Whether the file has all old lines as they are, so that new ones are written as they are."""

    def get_line(self, place: int) -> str:
        """Get the file's line of an old line of the request."""
        file_line = self.match.pairs[place]
        return "" if file_line is None else self.source.lines[file_line]


# pairs of lines of which one may stand for the other
MAX_COMPARED = 10_000
# how alike a line and the new one in its place are, where the new one is made of it
MIN_SIMILARITY = 0.5


def rewrite_match(source: TextDocument, match: LineMatch) -> list[LineEdit]:
    """Build edits of whole lines, ascending; raise ToolError if it is not clear what is meant."""
    try:
        return _build_edits(source, match)
    except ToolError as refusal:
        raise with_lines(refusal, source, match) from refusal


def _build_edits(source: TextDocument, match: LineMatch) -> list[LineEdit]:
    match = complete_first_line(source, match)
    shared = match.shared
    shared = find_shared_lines(match.old, match.new) if shared is None else list(shared)
    learned = infer_style(source, match, shared)
    edits = list[LineEdit]()
    for old, new in shared:
        edits += _edit_kept_line(learned, old, new)
    for removed, added in find_gaps(shared, len(match.old), len(match.new)):
        edits += _edit_gap(learned, removed, added)
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def _edit_kept_line(learned: InferredStyle, old: int, new: int) -> list[LineEdit]:
    """Keep a line of both texts; change its indentation if the request does."""
    match, file_line = learned.match, learned.match.pairs[old]
    asked, new_indent = indent_of(match.old[old]), indent_of(match.new[new])
    if file_line is None or asked == new_indent or not match.old[old].strip():
        return []
    line = learned.source.lines[file_line]
    if normalize_line(line) != normalize_line(match.old[old]):
        raise _make_mismatch_error(learned, old)
    if learned.depths.kept and measure_indent(new_indent) == measure_indent(indent_of(line)):
        return []
    depth = learned.depths.find_indent(new_indent, old - 1, old + 1)
    return [LineEdit(file_line, file_line + 1, [depth + line.lstrip()])]


def _edit_gap(learned: InferredStyle, removed: range, added: range) -> list[LineEdit]:
    """Replace the old lines between shared ones by the new lines there."""
    match = learned.match
    file_lines = [line for line in match.pairs[removed.start : removed.stop] if line is not None]
    _check_made_up(match, removed, added, bool(file_lines))
    if not file_lines and not added:
        return []
    above, below = (
        _find_neighbour(match, removed.start - 1, -1),
        _find_neighbour(match, removed.stop, 1),
    )
    first = match.start if above is None else above + 1
    last = match.end if below is None else below
    stands_for = find_replaced_lines(match, removed, added)
    _check_left_out(
        learned, range(first, last), file_lines, _find_pinned_ends(removed, added, stands_for)
    )
    if match.loose:
        _check_known(learned, removed, {old: new for new, old in stands_for.items()})
    if not removed and _is_between_empty(match, removed.start):
        raise ToolError(
            "`old_string` has more empty lines than the file where lines are to be added; give the "
            "lines there as they are"
        )
    start, end = (file_lines[0], file_lines[-1] + 1) if file_lines else (first, first)
    return [LineEdit(start, end, build_new_lines(learned, removed, added, stands_for))]


def _is_between_empty(match: LineMatch, place: int) -> bool:
    """Return whether new lines go between an empty line of the file and an invented one."""
    around = [
        (match.old[at], match.pairs[at]) for at in (place - 1, place) if 0 <= at < len(match.old)
    ]
    return len({pair is None for line, pair in around if not line.strip()}) == 2


def _find_neighbour(match: LineMatch, place: int, step: int) -> int | None:
    """Find the file's line of the next old line that has one."""
    while 0 <= place < len(match.pairs):
        if (file_line := match.pairs[place]) is not None:
            return file_line
        place += step
    return None


def _find_pinned_ends(
    removed: range, added: range, stands_for: Mapping[int, int]
) -> tuple[bool, bool]:
    """Return whether the first new line replaces the first old one, and the last the last."""
    if not removed or not added:
        return False, False
    return stands_for.get(added[0]) == removed[0], stands_for.get(added[-1]) == removed[-1]


def _check_made_up(match: LineMatch, removed: range, added: range, has_file_lines: bool) -> None:
    made_up = [
        place for place in removed if match.pairs[place] is None and match.old[place].strip()
    ]
    if made_up and (has_file_lines or any(match.new[place].strip() for place in added)):
        raise ToolError(
            "`old_string` changes a line that is not in the file: "
            f"`{match.old[made_up[0]].strip()}`"
        )


def _check_left_out(
    learned: InferredStyle, around: range, file_lines: Sequence[int], pinned: tuple[bool, bool]
) -> None:
    """Raise ToolError for a line of the file that the request leaves out beside its change."""
    # an empty line may be left out if it is clear on which side of it the new lines go
    for number in sorted(set(around).difference(file_lines)):
        clear = file_lines and (
            (number < file_lines[0] and pinned[0])
            or (number > file_lines[-1] and pinned[1])
            or file_lines[0] < number < file_lines[-1]
        )
        if learned.source.lines[number].strip() or not clear:
            raise ToolError(
                f"`old_string` leaves out line {number + 1} of the file beside a line that it "
                "changes; give the lines there as they are"
            )


def _check_known(learned: InferredStyle, removed: range, becomes: Mapping[int, int]) -> None:
    """Raise ToolError for a change of a misremembered line; not if the new one has its words."""
    match = learned.match
    for place in removed:
        asked, real = normalize_line(match.old[place]), normalize_line(learned.get_line(place))
        if asked == real or match.pairs[place] is None:
            continue
        new = normalize_line(match.new[becomes[place]]) if place in becomes else ""
        if not is_made_of_real(asked, real, new):
            raise _make_mismatch_error(learned, place)


def _make_mismatch_error(learned: InferredStyle, place: int) -> ToolError:
    number = (learned.match.pairs[place] or 0) + 1
    return ToolError(
        f"`old_string` changes line {number} of the file, but has it otherwise; the file has:\n"
        f"{show_blanks(learned.get_line(place))}\n"
        f"`old_string` has:\n{show_blanks(learned.match.old[place])}"
    )


def find_replaced_lines(
    match: LineMatch, removed: Sequence[int], added: Sequence[int]
) -> dict[int, int]:
    """Map new lines to the old ones that they replace: in order, or the most similar."""
    removed = [place for place in removed if match.old[place].strip()]
    added = [place for place in added if match.new[place].strip()]
    if len(removed) == len(added):
        return dict(zip(added, removed, strict=True))
    if len(removed) * len(added) > MAX_COMPARED:
        return {}
    old, new = [match.old[at].strip() for at in removed], [match.new[at].strip() for at in added]
    steps = align_lines(old, new, measure_similarity)
    return {added[b]: removed[a] for a, b, _ in steps if a is not None and b is not None}


def build_new_lines(
    learned: InferredStyle, removed: range, added: range, stands_for: Mapping[int, int]
) -> list[str]:
    """Build the new lines `added` that replace the old lines `removed`."""
    if learned.exact:
        return list(learned.match.new[added.start : added.stop])
    lines, before = list[str](), removed.start - 1
    following = _find_following(removed, added, stands_for)
    for place, after in zip(added, following, strict=True):
        line, old = learned.match.new[place], stands_for.get(place)
        before = before if old is None else old
        if not line.strip():
            lines.append("")
        elif old is not None and learned.match.pairs[old] is not None:
            lines.append(_replace_line(learned, old, line))
        else:
            depth = learned.depths.find_indent(indent_of(line), before, after)
            lines.append(depth + learned.spelling.as_in_file(line.lstrip()))
    return lines


def _find_following(removed: range, added: range, stands_for: Mapping[int, int]) -> list[int]:
    """Find for each new line the next old line that is kept or replaced."""
    following, after = list[int](), removed.stop
    for place in reversed(added):
        following.append(after)
        after = stands_for.get(place, after)
    return following[::-1]


def _replace_line(learned: InferredStyle, old: int, line: str) -> str:
    """Build a new line that replaces one old line."""
    asked, real, body = learned.match.old[old], learned.get_line(old), line.lstrip()
    if (
        not learned.match.loose
        and measure_similarity(asked.strip(), body.strip()) >= MIN_SIMILARITY
    ):
        end = body[len(body.rstrip()) :]
        body = (merge_line(asked.strip(), body.rstrip(), real.strip()) or body.rstrip()) + end
    body = learned.spelling.as_in_file(body)
    if indent_of(asked) == indent_of(line) and not learned.depths.kept:
        return indent_of(real) + body
    return learned.depths.find_indent(indent_of(line), old - 1, old + 1) + body


def infer_style(source: TextDocument, match: LineMatch, shared: Pairs) -> InferredStyle:
    """Learn from every old line that is paired with one of the file."""
    numbered_places = [
        (place, number) for place, number in enumerate(match.pairs) if number is not None
    ]
    pairs = [
        _build_pair(place, indent_of(match.old[place]), indent_of(source.lines[number]))
        for place, number in numbered_places
        if match.old[place].strip()
    ]
    is_kept = _is_indented_as_file(pairs, match, shared) or _has_steps_of_file(pairs, match, shared)
    near = source.lines[max(match.start - NEARBY, 0) : match.end + NEARBY]
    depths = infer_depths(pairs, match.old, match.new, near, is_kept)
    spelling = infer_spelling(
        (match.old[place], source.lines[number]) for place, number in numbered_places
    )
    exact = [source.lines[number] for _, number in numbered_places] == list(match.old)
    return InferredStyle(source, match, depths, spelling, exact)


def _build_pair(place: int, asked: str, real: str) -> IndentPair:
    return IndentPair(place, simplify_in_place(asked) if real.isascii() else asked, real)


def _is_indented_as_file(pairs: Sequence[IndentPair], match: LineMatch, shared: Pairs) -> bool:
    """Return whether the new lines are indented as the file is, although the old ones are not."""
    asked = dict(shared)
    moved = [pair for pair in pairs if pair.asked != pair.real]
    new_indents = [
        (pair, indent_of(match.new[asked[pair.place]])) for pair in moved if pair.place in asked
    ]
    as_asked = sum(new == pair.asked for pair, new in new_indents)
    as_real = sum(new == pair.real for pair, new in new_indents)
    first = next((indent_of(line) for line in match.new if line.strip()), "")
    if as_asked or not pairs:
        return False
    top_moved = pairs[0].asked != pairs[0].real
    if top_moved and first == pairs[0].asked:
        return False
    return as_real > 0 or (top_moved and first == pairs[0].real)


def _has_steps_of_file(pairs: Sequence[IndentPair], match: LineMatch, shared: Pairs) -> bool:
    """Return whether the new lines have depths that only the file has, and none of the request's.

    Old lines that were remembered in another step say nothing about new lines in the file's.
    """
    asked = dict(shared)
    if any(
        indent_of(match.new[asked[pair.place]]) == pair.asked != pair.real
        for pair in pairs
        if pair.place in asked
    ):
        return False
    of_request = {measure_indent(pair.asked) for pair in pairs}
    of_file = {measure_indent(pair.real) for pair in pairs}
    new = {measure_indent(indent_of(line)) for line in match.new if line.strip()}
    return bool(new & of_file - of_request) and not new & of_request - of_file
