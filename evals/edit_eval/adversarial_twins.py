"""Requests for a block that has near-duplicates, stands twice, or is not there any more."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from random import Random

from honest_depth import common_depth
from honest_memory import slip, slipped_request
from honest_twins import beside, twin_of, with_twin
from request import Request, adversarial, new_of, old_of, pair, place_of, refused
from true_edit import WORDS, Edit, indent_of, joined, renumbered, unit_of, words_in

NEAR, TWICE, ABSENT = "near-duplicate and a slip", "there twice", "absent"
SIZES = range(6, 12)


@adversarial(TWICE)
def twice_exact(edit: Edit, dice: Random) -> Request | None:
    twins = beside(edit, dice, edit.old)
    end = dice.choice(["", "\n"])
    return refused(
        twins, "\n".join(edit.old) + end, "\n".join(new_of(edit)) + end, *_places(twins, edit.old)
    )


@adversarial(TWICE)
def twice_and_blanks_at_ends(edit: Edit, dice: Random) -> Request | None:
    twins, tail = beside(edit, dice, edit.old), dice.choice([" ", "  ", "\t"])
    old = [line + tail for line in edit.old]
    new = new_of(edit, lambda line, index: line + tail)
    return refused(twins, "\n".join(old), "\n".join(new), *_places(twins, edit.old))


@adversarial(TWICE)
def twice_and_escaped(edit: Edit, dice: Random) -> Request | None:
    twins = beside(edit, dice, edit.old)
    old, new = (json.dumps(joined(lines))[1:-1] for lines in (edit.old, new_of(edit)))
    return refused(twins, old, new, *_places(twins, edit.old))


@adversarial(TWICE)
def twice_at_two_depths(edit: Edit, dice: Random) -> Request | None:
    """The request has the depth of neither."""
    if not (cut := common_depth(edit)):
        return None
    unit = unit_of(edit.lines)
    twins = beside(edit, dice, [unit + line if line else line for line in edit.old])
    old = [line.removeprefix(cut) for line in edit.old]
    new = [line.text.removeprefix(cut) for line in edit.new]
    if "\n".join(old) in twins.text:
        return None
    return refused(twins, "\n".join(old), "\n".join(new), *_places(twins, edit.old))


@adversarial(TWICE)
def twice_and_a_slip(edit: Edit, dice: Random) -> Request | None:
    """Both are equally like the request."""
    fit = [at for at in range(1, len(edit.old) - 1) if at in edit.kept and words_in(edit.old[at])]
    wrong = slip(edit.old[at := dice.choice(fit)], dice) if fit else ""
    if not wrong:
        return None
    twins = beside(edit, dice, edit.old)

    def spelled(line: str, index: int) -> str:
        return wrong if index == at else line

    old, new = old_of(edit, spelled), new_of(edit, spelled)
    return refused(twins, "\n".join(old), "\n".join(new), *_places(twins, edit.old))


@adversarial(NEAR, sizes=SIZES)
def twin_and_a_slip(edit: Edit, dice: Random) -> Request | None:
    """A near-duplicate stands beside the block; the request has a slip in a line of both."""
    twins = with_twin(edit, dice, dice.choice([1, 1, 2]))
    fit = [index for index in edit.untouched if len(edit.old[index].strip()) > 15]
    return slipped_request(twins, dice, dice.choice(fit)) if twins and fit else None


@adversarial(NEAR, sizes=SIZES)
def twin_and_the_telling_line_wrong(edit: Edit, dice: Random) -> Request | None:
    """The request's slip is in the very line that tells the two apart."""
    fit = [index for index in edit.untouched if len(edit.old[index].strip()) > 15]
    if not fit or not (wrong := slip(edit.old[at := dice.choice(fit)], dice)):
        return None
    other = slip(edit.old[at], dice)
    if not other or other == wrong:
        return None
    twin = [other if index == at else line for index, line in enumerate(edit.old)]
    twins = beside(edit, dice, twin)

    def spelled(line: str, index: int) -> str:
        return wrong if index == at else line

    return pair(twins, dice, old_of(edit, spelled), new_of(edit, spelled))


@adversarial(ABSENT)
def absent_beside_a_number(edit: Edit, dice: Random) -> Request | None:
    """The block is gone; where it stood there is one with another number."""
    fit = [at for at, line in enumerate(edit.old) if re.search(r"\d", line)]
    if not fit:
        return None
    at = dice.choice(fit)
    return _instead(edit, {at: renumbered(edit.old[at], dice)}, dice)


@adversarial(ABSENT)
def absent_beside_a_sibling(edit: Edit, dice: Random) -> Request | None:
    """The block is gone; where it stood there is one for another thing, named in three lines."""
    names = {name for line in edit.old for name in words_in(line)}
    fit = [name for name in sorted(names) if sum(_has(line, name) for line in edit.old) >= 3]
    if not fit:
        return None
    name, other = dice.choice(fit), dice.choice(WORDS)
    renamed = {
        at: re.sub(rf"(?<!\w){name}(?!\w)", other, line)
        for at, line in enumerate(edit.old)
        if _has(line, name)
    }
    gone = (*edit.lines[: edit.start], *edit.lines[edit.end :])
    return None if _is_nearly_there(gone, edit.old) else _instead(edit, renamed, dice)


@adversarial(ABSENT)
def absent_altogether(edit: Edit, dice: Random) -> Request | None:
    """The block was deleted."""
    gone = replace(edit, lines=(*edit.lines[: edit.start], *edit.lines[edit.end :]))
    old, new = joined(edit.old), joined(new_of(edit))
    return None if _is_nearly_there(gone.lines, edit.old) else refused(gone, old, new)


@adversarial(ABSENT)
def absent_one_line(edit: Edit, dice: Random) -> Request | None:
    """A single line that has another number or word in the file."""
    fit = [at for at in range(len(edit.old)) if len(edit.old[at].strip()) > 15]
    if not fit:
        return None
    at = dice.choice(fit)
    line, (other,) = edit.old[at], twin_of([edit.old[at]], dice) or [""]
    real = replace(edit, lines=tuple(other if one == line else one for one in edit.lines))
    alike = SequenceMatcher(None, line.strip(), other.strip()).ratio() >= 0.8
    alone = alike and edit.lines.count(line) == 1
    if line.strip() in real.text or not other:
        return None
    places = [frozenset({edit.start + at + 1})] if alone else []
    return refused(real, line, line + "  # looked at", *places)


@adversarial(ABSENT, sizes=SIZES)
def absent_half(edit: Edit, dice: Random) -> Request | None:
    """First and last line are right, most between them was never there."""
    inner = [indent_of(line) + f"{dice.choice(WORDS)}({dice.randint(1, 99)})" for line in edit.old]
    old = [edit.old[0], *inner[1:-1], edit.old[-1]]
    new = [edit.old[0], *inner[1:-1], inner[0], edit.old[-1]]
    return refused(edit, "\n".join(old), "\n".join(new))


@adversarial(ABSENT, sizes=SIZES)
def mixed_up(edit: Edit, dice: Random) -> Request | None:
    """The first half of one block and the second half of another."""
    at = dice.randrange(len(edit.lines) - len(edit.old))
    other = edit.lines[at : at + len(edit.old)]
    if abs(at - edit.start) < 2 * len(edit.old):
        return None
    half = len(edit.old) // 2
    old = [*edit.old[:half], *other[half:]]
    shared = sum(a.strip() == b.strip() for a, b in zip(edit.old[half:], other[half:], strict=True))
    if len([line for line in other[half:] if words_in(line)]) < 2 or shared:
        return None
    if _is_nearly_there(edit.lines, old):
        return None
    new = [*old[:1], indent_of(old[0]) + f"{dice.choice(WORDS)}()", *old[1:]]
    return refused(edit, "\n".join(old), "\n".join(new))


def _is_nearly_there(lines: Sequence[str], old: Sequence[str]) -> bool:
    """Whether all but one of the old lines stand together somewhere after all: a mere slip."""
    keys, wanted = [line.strip() for line in lines], {line.strip() for line in old}
    size = len(old) + 3
    return any(
        len(wanted & set(keys[at : at + size])) >= len(wanted) - 1 for at in range(len(keys))
    )


def _instead(edit: Edit, others: dict[int, str], dice: Random) -> Request | None:
    """A request for the block in a file that has other lines in it."""
    real = edit
    for at, line in others.items():
        real = replace(
            real,
            lines=(*real.lines[: edit.start + at], line, *real.lines[edit.start + at + 1 :]),
        )
    end = dice.choice(["", "\n"])
    old, new = "\n".join(edit.old) + end, "\n".join(new_of(edit)) + end
    return None if old in real.text else refused(real, old, new, place_of(edit))


def _places(edit: Edit, block: Sequence[str]) -> list[frozenset[int]]:
    """Where a block's lines stand, whatever their depth."""
    keys, wanted = ([line.strip() for line in lines] for lines in (edit.lines, block))
    size = len(wanted)
    starts = [at for at in range(len(keys)) if keys[at : at + size] == wanted]
    return [frozenset(range(at + 1, at + 1 + size)) for at in starts]


def _has(line: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){name}(?!\w)", line))
