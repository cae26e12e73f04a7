"""New lines of a request whose first old line lacks indentation that its other lines have.

Models begin with the first letter of a block. The new lines then have the file's indentation, or
lack what the first old line lacks; only lines that both texts have, or new lines that fit nothing
else, show which. What neither shows is refused.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...result import ToolError
from ..matching.common_lines import Pairs, find_shared_lines
from ..matching.document import TextDocument
from ..matching.edit_request import LineMatch
from ..matching.normalization import indent_of, measure_indent
from .indentation import infer_unit

UNCLEAR = (
    "the first old line lacks indentation that the lines below it have, and it is not clear "
    "whether new lines lack it too; give whole lines with the file's indentation in both texts"
)


def complete_first_line(source: TextDocument, match: LineMatch) -> LineMatch:
    """Return the match with the first line's indentation in both texts; raises ToolError.

    Any other match is returned as it is.
    """
    cut = _find_cut(source, match)
    if not cut:
        return match
    shared = find_shared_lines(match.old, match.new) if match.shared is None else match.shared
    unit = measure_indent(infer_unit(source.lines))
    new = complete_new_lines(cut, match.old, match.new, list(shared), unit)
    return replace(match, old=[cut + match.old[0], *match.old[1:]], new=new)


def complete_new_lines(
    cut: str, old: Sequence[str], new: Sequence[str], shared: Pairs, unit: int
) -> list[str]:
    """Add the indentation `cut`, which the first old line lacks, to the new lines that lack it.

    `unit` is the file's step of indentation, in columns. Raises ToolError if it is not clear which
    lines lack it.
    """
    filled = [line for line in new if line.strip()]
    if not filled:
        return list(new)
    base = cut + indent_of(old[0])
    if _lack_all(cut, old, new, shared, unit):
        return _with_blank_lines(
            old, [cut + line if line.strip() else line for line in new], shared
        )
    if indent_of(new[0]) == indent_of(old[0]) and new[0].strip():
        return [cut + new[0], *new[1:]]
    if indent_of(filled[0]).startswith(base):
        return list(new)
    raise ToolError(UNCLEAR)


def _find_cut(source: TextDocument, match: LineMatch) -> str:
    """Return what the first old line lacks of its indentation, unless other lines lack it, too."""
    old, first = match.old, match.pairs[0] if match.pairs else None
    if first is None or not old[0].strip():
        return ""
    asked, real = indent_of(old[0]), indent_of(source.lines[first])
    cut = real.removesuffix(asked)
    if cut == real and asked:
        return ""
    below = [
        (indent_of(line), indent_of(source.lines[number]))
        for line, number in zip(old[1:], match.pairs[1:], strict=True)
        if number is not None and line.strip()
    ]
    telling = [indents for indents in below if indents[1].startswith(cut)]
    if telling:
        return cut if all(asked == real for asked, real in below) else ""
    # a single line: its depth is no step of the file
    is_within_step = measure_indent(cut) % measure_indent(infer_unit(source.lines)) != 0
    return cut if is_within_step and not below else ""


def _lack_all(cut: str, old: Sequence[str], new: Sequence[str], shared: Pairs, unit: int) -> bool:
    """Return whether all new lines lack it, not only the first; raises ToolError."""
    known = [
        (indent_of(old[place]), indent_of(new[other]))
        for place, other in shared
        if place > 0 and old[place].strip() and indent_of(old[place]).startswith(cut)
    ]
    as_file = any(indent == other for indent, other in known)
    lacking = any(indent == cut + other for indent, other in known)
    if as_file != lacking:
        return lacking
    base, asked = cut + indent_of(old[0]), indent_of(old[0])
    below = [indent_of(line) for line in new[1:] if line.strip()]
    if not below:
        return False
    if as_file or not all(indent.startswith(asked) for indent in below):
        raise ToolError(UNCLEAR)
    in_steps_of_file = _is_in_steps(below, base, unit)
    if not in_steps_of_file and _is_in_steps(below, asked, unit):
        return True
    if in_steps_of_file and all(len(i) > len(base) and i.startswith(base) for i in below):
        return False
    raise ToolError(UNCLEAR)


def _with_blank_lines(old: Sequence[str], new: Sequence[str], shared: Pairs) -> list[str]:
    """Return the new lines, where a blank line beside a shared one is the old text's."""
    lines, beside = (
        list(new),
        {(old_at + step, at + step) for old_at, at in shared for step in (-1, 1)},
    )
    for old_at, at in beside:
        if 0 <= old_at < len(old) and 0 <= at < len(new) and not (old[old_at] + new[at]).strip():
            lines[at] = old[old_at]
    return lines


def _is_in_steps(indents: Sequence[str], base: str, unit: int) -> bool:
    width = measure_indent(base)
    return all((measure_indent(indent) - width) % unit == 0 for indent in indents)
