"""Requests that differ in blanks: at line ends, within lines, empty lines."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from request import Request, honest, new_of, old_of, pair
from true_edit import Edit, Line

GROUP = "blanks, empty lines"


@honest(GROUP)
def blanks_at_ends_of_request(edit: Edit, dice: Random) -> Request | None:
    tails = [dice.choice(["", " ", "  ", "\t"]) for _ in edit.old]
    return pair(
        edit,
        dice,
        old_of(edit, lambda line, index: line + tails[index]),
        new_of(edit, lambda line, index: line + tails[index]),
    )


@honest(GROUP)
def blanks_at_ends_of_file(edit: Edit, dice: Random) -> Request | None:
    """The file's lines have them, all over the file; they are kept where nothing changes."""
    if any(line != line.rstrip() for line in edit.lines):
        return None
    tails = {line: dice.choice(["", "  ", " ", "\t"]) for line in sorted(set(edit.lines))}
    old, new = old_of(edit), new_of(edit)
    untidy = edit.mapped(lambda line: line + tails.get(line, ""))
    return pair(untidy, dice, old, new)


@honest(GROUP)
def blanks_within(edit: Edit, dice: Random) -> Request | None:
    """More blanks within a line than the file has."""
    spots = [dice.random() for _ in edit.old]

    def wider(line: str, index: int) -> str:
        return _body(line, lambda body: body.replace(" ", "  ", 1) if spots[index] < 0.6 else body)

    return pair(edit, dice, old_of(edit, wider), new_of(edit, wider))


@honest(GROUP)
def columns_collapsed(edit: Edit, dice: Random) -> Request | None:
    """The file's lines are aligned with more blanks than the request has."""
    spots = {line: dice.random() < 0.6 for line in edit.old}
    tidy = edit
    for index in edit.kept:
        line = edit.old[index]
        if spots[line]:
            wide = _body(line, lambda body: body.replace(" ", "    ", 1))
            edit = edit.with_line(index, wide)
    return pair(edit, dice, old_of(tidy), new_of(tidy))


@honest(GROUP)
def no_break_spaces_in_request(edit: Edit, dice: Random) -> Request | None:
    def odd(line: str, index: int) -> str:
        return line.replace(" ", "\u00a0")

    return pair(edit, dice, old_of(edit, odd), new_of(edit, odd))


@honest(GROUP)
def no_break_spaces_in_file(edit: Edit, dice: Random) -> Request | None:
    plain = edit
    for index in edit.kept:
        edit = edit.with_line(index, _body(edit.old[index], lambda body: _one_odd(body, dice)))
    return pair(edit, dice, old_of(plain), new_of(plain))


@honest(GROUP)
def empty_lines_around(edit: Edit, dice: Random) -> Request | None:
    above, below = dice.choice([(1, 1), (2, 1), (2, 2), (3, 0)])
    old = [""] * above + old_of(edit) + [""] * below
    new = [""] * above + new_of(edit) + [""] * below
    return pair(edit, dice, "\n".join(old) + "\n", "\n".join(new) + "\n")


@honest(GROUP)
def empty_line_has_blanks(edit: Edit, dice: Random) -> Request | None:
    """An empty line in the block has blanks in the request."""
    if not any(not edit.old[index] for index in edit.kept):
        return None

    def filled(line: str, index: int) -> str:
        return line or "    "

    return pair(edit, dice, old_of(edit, filled), new_of(edit, filled))


@honest(GROUP)
def empty_line_left_out(edit: Edit, dice: Random) -> Request | None:
    """An empty line of the file is not in the request; nothing changes beside it."""
    spots = edit.untouched
    if len(edit.old) < 7 or not spots:
        return None
    at = dice.choice(spots)
    real = _with_empty_line(edit, at)
    return pair(real, dice, old_of(edit), new_of(edit)) if real else None


@honest(GROUP)
def empty_line_made_up(edit: Edit, dice: Random) -> Request | None:
    """The request has an empty line that the file does not; nothing changes beside it."""
    spots = edit.untouched
    if len(edit.old) < 7 or not spots:
        return None
    at = dice.choice(spots)
    if not edit.old[at] or not edit.old[at - 1]:
        return None
    old, new = old_of(edit), new_of(edit)
    old.insert(at, "")
    new.insert([line.kept for line in edit.new].index(at), "")
    return pair(edit, dice, old, new)


def _body(line: str, change: Callable[[str], str]) -> str:
    """The line with its part after the depth changed."""
    depth = re.match(r"[ \t]*", line)
    assert depth
    return depth[0] + change(line[depth.end() :])


def _one_odd(body: str, dice: Random) -> str:
    spots = [at for at, letter in enumerate(body) if letter == " "]
    if not spots:
        return body
    at = dice.choice(spots)
    return f"{body[:at]}\u00a0{body[at + 1 :]}"


def _with_empty_line(edit: Edit, at: int) -> Edit | None:
    """The same edit of a file that has an empty line before the block's line `at`."""
    if not edit.old[at] or not edit.old[at - 1]:
        return None
    place = edit.start + at
    new = list[Line]()
    for line in edit.new:
        if line.kept == at:
            new.append(Line("", at))
        moved = line.kept is not None and line.kept >= at
        new.append(Line(line.text, line.kept + 1) if moved and line.kept is not None else line)
    return replace(
        edit,
        lines=(*edit.lines[:place], "", *edit.lines[place:]),
        old=(*edit.old[:at], "", *edit.old[at:]),
        new=tuple(new),
    )
