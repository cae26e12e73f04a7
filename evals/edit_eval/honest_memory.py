"""Requests from a memory that slipped: one line is a little wrong, missing or made up."""

import re
from difflib import SequenceMatcher
from random import Random

from request import Request, honest, new_of, old_of, pair
from true_edit import WORDS, Edit, indent_of, invented, words_in

GROUP = "memory"
SIZES = range(7, 15)
MEANING = re.compile(
    r"\b(not|no|none|null|never|without|true|false|and|or|if|un\w+|in|is)\b", re.IGNORECASE
)
"""Words whose change is no slip but another meaning."""


@honest(GROUP, sizes=SIZES)
def kept_line_misremembered(edit: Edit, dice: Random) -> Request | None:
    """It stays as the file has it."""
    fit = [index for index in edit.untouched if len(edit.old[index].strip()) > 15]
    if not fit:
        return None
    return slipped_request(edit, dice, dice.choice(fit))


@honest(GROUP, sizes=SIZES)
def line_beside_the_change_misremembered(edit: Edit, dice: Random) -> Request | None:
    """The same, next to a line that is replaced."""
    beside = {at + step for at in edit.replaced for step in (-1, 1)} & set(edit.kept)
    fit = sorted(at for at in beside - {0, len(edit.old) - 1} if len(edit.old[at].strip()) > 15)
    return slipped_request(edit, dice, dice.choice(fit)) if fit else None


@honest(GROUP, sizes=SIZES)
def replaced_line_misremembered(edit: Edit, dice: Random) -> Request | None:
    """The line that goes is remembered a little wrongly; numbers and negations are right."""
    fit = [index for index in edit.replaced if len(edit.old[index].strip()) > 20]
    if not fit:
        return None
    at = dice.choice(fit)
    if not (wrong := slip(edit.old[at], dice, least=0.85)):
        return None
    old = old_of(edit)
    old[at] = wrong
    return pair(edit, dice, old, new_of(edit))


@honest(GROUP, sizes=SIZES)
def line_left_out(edit: Edit, dice: Random) -> Request | None:
    """A line away from the change is not in the request; it stays."""
    fit = [index for index in edit.untouched if words_in(edit.old[index])]
    if not fit:
        return None
    at = dice.choice(fit)
    old = [line for index, line in enumerate(edit.old) if index != at]
    new = [line.text for line in edit.new if line.kept != at]
    return pair(edit, dice, old, new)


@honest(GROUP, sizes=SIZES)
def line_made_up(edit: Edit, dice: Random) -> Request | None:
    """A line away from the change is in the request only; it is not written."""
    if not (fit := edit.untouched):
        return None
    at = dice.choice(fit)
    made_up = indent_of(edit.old[at]) + invented(dice, edit.style)
    old, new = old_of(edit), new_of(edit)
    old.insert(at, made_up)
    new.insert([line.kept for line in edit.new].index(at), made_up)
    return pair(edit, dice, old, new)


@honest(GROUP, sizes=SIZES)
def comment_forgotten(edit: Edit, dice: Random) -> Request | None:
    """A line that stays has a short comment at its end which the request lacks."""
    fit = [index for index in edit.untouched if len(edit.old[index].strip()) > 25]
    if not fit:
        return None
    at = dice.choice(fit)
    sign = "//" if edit.style in ("header", "script") else "#"
    real = edit.with_line(at, f"{edit.old[at]}  {sign} {dice.choice(WORDS)[:5]}")
    return pair(real, dice, old_of(edit), new_of(edit))


@honest(GROUP, sizes=SIZES)
def memory_and_depth(edit: Edit, dice: Random) -> Request | None:
    """A line that stays is misremembered and all of the depth is lost."""
    request = kept_line_misremembered(edit, dice)
    depths = [indent_of(line) for line in (*edit.old, *new_of(edit)) if line.strip()]
    cut = min(depths, key=len)
    if not request or not cut or len(set("".join(depths))) != 1:
        return None
    old, new = (
        [line.removeprefix(cut) for line in str(request.args[name]).split("\n")]
        for name in ("old_string", "new_string")
    )
    return pair(edit, Random(0), "\n".join(old), "\n".join(new))


def slipped_request(edit: Edit, dice: Random, at: int) -> Request | None:
    """The request has a slip in one kept line, the same in old and new."""
    if not (wrong := slip(edit.old[at], dice)):
        return None

    def spelled(line: str, index: int) -> str:
        return wrong if index == at else line

    return pair(edit, dice, old_of(edit, spelled), new_of(edit, spelled))


def slip(line: str, dice: Random, least: float = 0.78) -> str:
    """The line with one word a little wrong, alike by at least `least`; empty: it has no such."""
    for _ in range(20):
        words = [word for word in words_in(line) if not MEANING.search(word.replace("_", " "))]
        if not words:
            return ""
        word = dice.choice(words)
        other = _other(word, dice)
        wrong = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, line, count=1)
        likeness = SequenceMatcher(None, line.strip(), wrong.strip()).ratio()
        if likeness >= least and "".join(wrong.split()) != "".join(line.split()):
            return wrong
    return ""


def _other(word: str, dice: Random) -> str:
    """A word that one may mistake for this one."""
    return dice.choice(
        [
            word.removesuffix("s") if word.endswith("s") else f"{word}s",
            f"{word}_data",
            f"the_{word}",
            word[:-1],
            word[:2] + word[3:],
        ]
    )
