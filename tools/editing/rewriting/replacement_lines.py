"""New lines of a request, with the file's indentation and spelling."""

from collections.abc import Mapping, Sequence

from ..matching.alignment import align_lines
from ..matching.edit_request import LineMatch
from ..matching.line_similarity import measure_similarity
from ..matching.normalization import indent_of
from .line_merge import merge_line
from .style_inference import InferredStyle

# pairs of lines of which one may stand for the other
MAX_COMPARED = 10_000
# how alike a line and the new one in its place are, where the new one is made of it
MIN_SIMILARITY = 0.5


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
