"""Near-duplicates beside the true block, and requests that tell them apart."""

import re
from collections.abc import Sequence
from random import Random

from honest_depth import common_depth
from request import Request, honest, new_of, old_of, pair
from true_edit import Edit, renumbered, reworded, unit_of

GROUP = "near-duplicate beside the true block"


@honest(GROUP)
def twin_exact(edit: Edit, dice: Random) -> Request | None:
    twins = with_twin(edit, dice)
    return pair(twins, dice, old_of(edit), new_of(edit), loose=False) if twins else None


@honest(GROUP)
def twin_and_blanks_at_ends(edit: Edit, dice: Random) -> Request | None:
    twins = with_twin(edit, dice)
    tails = [dice.choice(["", " ", "  "]) for _ in edit.old]

    def spelled(line: str, index: int) -> str:
        return line + tails[index]

    return pair(twins, dice, old_of(edit, spelled), new_of(edit, spelled)) if twins else None


@honest(GROUP)
def twin_and_depth_lost(edit: Edit, dice: Random) -> Request | None:
    twins, cut = with_twin(edit, dice), common_depth(edit)
    if not twins or not cut:
        return None
    old = [line.removeprefix(cut) for line in edit.old]
    return pair(twins, dice, old, [line.text.removeprefix(cut) for line in edit.new])


@honest(GROUP)
def twin_and_no_break_spaces(edit: Edit, dice: Random) -> Request | None:
    twins = with_twin(edit, dice)

    def spelled(line: str, index: int) -> str:
        return line.replace(" ", "\u00a0")

    return pair(twins, dice, old_of(edit, spelled), new_of(edit, spelled)) if twins else None


@honest(GROUP)
def twin_at_another_depth(edit: Edit, dice: Random) -> Request | None:
    """The very same lines stand deeper elsewhere; the request is exact."""
    unit = unit_of(edit.lines)
    deeper = [unit + line if line else line for line in edit.old]
    return pair(beside(edit, dice, deeper), dice, old_of(edit), new_of(edit), loose=False)


@honest(GROUP)
def twin_of_another_shape(edit: Edit, dice: Random) -> Request | None:
    """The same lines with another depth of some against the others; the request lacks its depth."""
    unit, cut = unit_of(edit.lines), common_depth(edit)
    if not cut:
        return None
    at = dice.randrange(1, len(edit.old))
    other = [unit + line if index >= at and line else line for index, line in enumerate(edit.old)]
    if not edit.old[at].strip():
        return None
    twins = beside(edit, dice, other)
    old = [line.removeprefix(cut) for line in edit.old]
    return pair(twins, dice, old, [line.text.removeprefix(cut) for line in edit.new])


@honest(GROUP)
def twin_within(edit: Edit, dice: Random) -> Request | None:
    """All but the first or the last line stands elsewhere too."""
    part = dice.choice([edit.old[1:], edit.old[:-1]])
    twins = beside(edit, dice, part)
    return pair(twins, dice, old_of(edit), new_of(edit), loose=False)


def beside(edit: Edit, dice: Random, lines: Sequence[str]) -> Edit:
    """The same edit in a file that has these lines too, near the block but not next to it."""
    spots = [*range(edit.start), *range(edit.end + 1, len(edit.lines) + 1)]
    near = [at for at in spots if abs(at - edit.start) < 40] or [0]
    return edit.with_others(dice.choice(near), lines)


def with_twin(edit: Edit, dice: Random, lines: int = 1) -> Edit | None:
    """The same edit in a file with a copy of the block in which so many lines are others."""
    if not (twin := twin_of(edit.old, dice, lines)):
        return None
    return beside(edit, dice, twin)


def twin_of(old: Sequence[str], dice: Random, lines: int = 1) -> list[str] | None:
    """The block with a number, or a word, replaced in so many of its lines."""
    fit = [index for index, line in enumerate(old) if re.search(r"[A-Za-z_]{4}", line)]
    if len(fit) < lines:
        return None
    twin = list(old)
    for index in dice.sample(fit, lines):
        twin[index] = _another(twin[index], dice)
    return twin


def _another(line: str, dice: Random) -> str:
    other = renumbered(line, dice)
    return reworded(line, dice) if other == line else other
