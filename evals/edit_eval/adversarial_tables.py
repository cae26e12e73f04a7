"""Requests for rows, functions and words like others: most are not there, or only in part."""

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from request import Request, adversarial, new_of, old_of, pair, refused
from true_edit import WORDS, Edit, Line, joined, renumbered

TABLES, PARTS = "tables, siblings", "parts of words"


@adversarial(TABLES)
def row_of_a_table(edit: Edit, dice: Random) -> Request | None:
    """A row that is not there, or is there with another number, between two that are."""
    rows = _table(dice)
    at = dice.randrange(1, len(rows) - 1)
    there = edit.with_others(0, [f"    {row}" for row in rows])
    wrong = renumbered(rows[at], dice) if dice.random() < 0.5 else _row(dice)
    old = [f"    {row}" for row in (rows[at - 1], wrong, rows[at + 1])]
    new = [old[0], f"    {renumbered(wrong, dice)}", old[2]]
    return refused(there, "\n".join(old), "\n".join(new), frozenset({at + 1}))


@adversarial(TABLES)
def handler_of_many(edit: Edit, dice: Random) -> Request | None:
    """A handler that is not there among those that are made alike."""
    names = dice.sample(WORDS, 5)
    missing = names.pop()
    there = edit.with_others(0, [line for name in names for line in _handler(name)])
    old = _handler(missing)
    new = [line.replace("page = request.page", "page = request.page or 1") for line in old]
    return refused(there, joined(old), joined(new))


@adversarial(TABLES)
def handler_of_many_and_a_slip(edit: Edit, dice: Random) -> Request | None:
    """One of those that are there, with a slip in a line that is the same in all."""
    names = dice.sample(WORDS, 4)
    lines = [line for name in names for line in _handler(name)]
    at = dice.randrange(4) * len(_handler("x"))
    old = tuple(lines[at : at + 5])
    new = [Line(line, index) for index, line in enumerate(old)]
    new[3] = Line(old[3].replace("(page)", "(page, 20)"))
    there = edit.with_others(0, lines)
    meant = replace(there, start=at, old=old, new=tuple(new))

    def spelled(line: str, index: int) -> str:
        return line.replace("request.page", "request.pages") if index == 2 else line

    return pair(meant, dice, old_of(meant, spelled), new_of(meant, spelled))


@adversarial(PARTS)
def part_of_a_word(edit: Edit, dice: Random) -> Request | None:
    """The line's begin up to a place within a word or a number; exactly so in the file, once."""
    index = dice.randrange(len(edit.old))
    line = edit.old[index].strip()
    ends = [at for at in range(4, len(line)) if re.fullmatch(r"\w\w", line[at - 1 : at + 1])]
    old = line[: dice.choice(ends)] if ends else ""
    if not old.isascii() or len(re.findall(r"\w", old)) < 4 or edit.text.count(old) != 1:
        return None
    new = old + dice.choice(WORDS) if dice.random() < 0.5 else dice.choice(WORDS)
    return refused(edit, old, new, frozenset({edit.start + index + 1}))


@adversarial(PARTS)
def end_of_a_word(edit: Edit, dice: Random) -> Request | None:
    """The same from within a word to the line's end."""
    index = dice.randrange(len(edit.old))
    line = edit.old[index].strip()
    starts = [
        at for at in range(1, len(line) - 4) if re.fullmatch(r"[a-z0-9_]{3}", line[at - 1 : at + 2])
    ]
    old = line[dice.choice(starts) :] if starts else ""
    if not old.isascii() or len(re.findall(r"\w", old)) < 4 or edit.text.count(old) != 1:
        return None
    return refused(edit, old, f"{dice.choice(WORDS)} {old}", frozenset({edit.start + index + 1}))


def _row(dice: Random) -> str:
    first, second = dice.sample(WORDS, 2)
    return f'("{first[:2].upper()}", "{first} {second}", {dice.randint(200, 999)}),'


def _table(dice: Random) -> list[str]:
    return [_row(dice) for _ in range(dice.randint(5, 9))]


def _handler(name: str) -> Sequence[str]:
    return [
        f'@route("/{name}")',
        f"def list_{name}(request):",
        "    page = request.page",
        f"    rows = store.{name}(page)",
        f'    return render("{name}.html", rows)',
        "",
        "",
    ]
