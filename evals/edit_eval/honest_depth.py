"""Requests whose lines stand at another depth than the file's, or in another unit."""

import re
from collections.abc import Callable
from random import Random

from request import Request, honest, new_of, old_of, pair
from true_edit import Edit, indent_of, joined, unit_of

DEPTH, UNITS = "depth", "tabs, units"


@honest(DEPTH)
def depth_lost(edit: Edit, dice: Random) -> Request | None:
    if not (cut := _common(edit)):
        return None
    return _shifted(edit, dice, lambda line: line.removeprefix(cut))


@honest(DEPTH)
def depth_partly_lost(edit: Edit, dice: Random) -> Request | None:
    """One unit too little, or two."""
    cut = _common(edit)[: len(unit_of(edit.lines)) * dice.choice([1, 2])]
    return _shifted(edit, dice, lambda line: line.removeprefix(cut)) if cut else None


@honest(DEPTH)
def depth_too_deep(edit: Edit, dice: Random) -> Request | None:
    more = unit_of(edit.lines) * dice.choice([1, 2])
    return _shifted(edit, dice, lambda line: more + line)


@honest(DEPTH)
def depth_of_first_line_lost(edit: Edit, dice: Random) -> Request | None:
    """As when a model begins with the first letter."""
    if edit.new[0].kept != 0 or not indent_of(edit.old[0]):
        return None
    rest = [line for line in edit.new[1:] if line.kept is None]
    if any(indent_of(line.text) == indent_of(edit.old[0]) for line in rest):
        return None  # what stands beside the first line might be meant at either depth
    old, new = old_of(edit), new_of(edit)
    old[0], new[0] = old[0].lstrip(), new[0].lstrip()
    return pair(edit, dice, old, new, loose=False)


@honest(DEPTH)
def depth_of_first_line_lost_new_dedented(edit: Edit, dice: Random) -> Request | None:
    """The same, and the new text has no depth: the file's in one text, none in the other."""
    return _first_line_cut(edit, dice, _common(edit))


@honest(DEPTH)
def depth_cut_within_first_line(edit: Edit, dice: Random) -> Request | None:
    """The old text begins inside the indentation, and so does the new one, as a whole."""
    cut = indent_of(edit.old[0])
    if len(cut) < 2:
        return None
    return _first_line_cut(edit, dice, cut[: dice.randrange(1, len(cut))])


def _first_line_cut(edit: Edit, dice: Random, cut: str) -> Request | None:
    """Cut blanks from the first old line, and from every new one."""
    texts = [line.text for line in edit.new if line.text.strip()]
    if not cut or not edit.old[0].startswith(cut):
        return None
    if not all(text.startswith(cut) for text in texts):
        return None
    new = [line.text.removeprefix(cut) for line in edit.new]
    is_exact = edit.text.count("\n".join([edit.old[0].removeprefix(cut), *edit.old[1:]])) == 1
    spelled = [edit.old[0].removeprefix(cut), *edit.old[1:]]
    if dice.random() < 0.5:
        return pair(edit, dice, spelled, new, loose=False) if is_exact else None
    tails = [dice.choice([" ", "  "]) for _ in edit.old]
    return pair(edit, dice, [line + tail for line, tail in zip(spelled, tails, strict=True)], new)


@honest(DEPTH)
def depth_of_old_only_lost(edit: Edit, dice: Random) -> Request | None:
    """New stands at the file's depth already."""
    if not (cut := _common(edit)):
        return None
    return pair(edit, dice, [line.removeprefix(cut) for line in edit.old], new_of(edit))


@honest(DEPTH)
def depth_lost_and_blanks_at_ends(edit: Edit, dice: Random) -> Request | None:
    if not (cut := _common(edit)):
        return None
    tails = [dice.choice(["", " ", "  "]) for _ in edit.old]

    def spelled(line: str, index: int) -> str:
        return line.removeprefix(cut) + tails[index]

    new = [
        line.text.removeprefix(cut) if line.kept is None else spelled(line.text, line.kept)
        for line in edit.new
    ]
    return pair(edit, dice, old_of(edit, spelled), new)


@honest(DEPTH)
def depth_lost_in_crlf_file(edit: Edit, dice: Random) -> Request | None:
    if not (cut := _common(edit)):
        return None
    before, after = (
        joined(lines).replace("\n", "\r\n").encode() for lines in (edit.lines, edit.after)
    )
    old = [line.removeprefix(cut) for line in edit.old]
    new = [line.text.removeprefix(cut) for line in edit.new]
    return pair(edit, dice, old, new, before=before, truths=[after])


@honest(DEPTH)
def depth_everywhere(edit: Edit, dice: Random) -> Request | None:
    """The block stands twice, at two depths; both are meant, the request has neither depth."""
    unit, cut = unit_of(edit.lines), _common(edit)
    if not cut or not unit:
        return None
    copy = [unit + line if line else line for line in edit.old]
    at = dice.choice([0, len(edit.lines)])
    doubled = edit.with_others(at, copy)
    old = [line.removeprefix(cut) for line in edit.old]
    new = [line.text.removeprefix(cut) for line in edit.new]
    deeper = [unit + line.text if line.text else "" for line in edit.new]
    after = list(edit.after)
    after = deeper + after if at == 0 else after + deeper
    if joined(old)[:-1] in doubled.text:
        return None
    return pair(doubled, dice, old, new, truths=[joined(after).encode()], replace_all=True)


@honest(DEPTH)
def depth_of_no_break_spaces(edit: Edit, dice: Random) -> Request | None:
    def odd(line: str) -> str:
        depth = indent_of(line)
        return depth.replace(" ", "\u00a0") + line[len(depth) :]

    return _shifted(edit, dice, odd) if " " in indent_of("".join(edit.old[:1])) else None


@honest(UNITS)
def tabs_as_blanks(edit: Edit, dice: Random) -> Request | None:
    """The file has tabs, the request two, four or eight blanks for each."""
    tabbed = in_unit(edit, "\t")
    wide = " " * dice.choice([2, 4, 8])
    return _respelled(tabbed, dice, "\t", wide) if tabbed else None


@honest(UNITS)
def blanks_as_tabs(edit: Edit, dice: Random) -> Request | None:
    """The file has four blanks, or two, the request a tab for each."""
    unit = dice.choice(["    ", "  "])
    spaced = in_unit(edit, unit)
    return _respelled(spaced, dice, unit, "\t") if spaced else None


@honest(UNITS)
def half_the_unit(edit: Edit, dice: Random) -> Request | None:
    spaced = in_unit(edit, "    ")
    return _respelled(spaced, dice, "    ", "  ") if spaced else None


@honest(UNITS)
def half_the_unit_in_old_only(edit: Edit, dice: Random) -> Request | None:
    """The old text is remembered in steps of two or three, the new one is right in the file's."""
    spaced, other = in_unit(edit, "    "), dice.choice(["  ", "   "])
    if not spaced:
        return None
    old = [
        other * (len(indent_of(line)) // 4) + line.lstrip(" ") if line.strip() else line
        for line in spaced.old
    ]
    return pair(spaced, dice, old, new_of(spaced))


@honest(UNITS)
def double_the_unit(edit: Edit, dice: Random) -> Request | None:
    spaced = in_unit(edit, "  ")
    return _respelled(spaced, dice, "  ", "    ") if spaced else None


@honest(UNITS)
def other_unit_and_depth_lost(edit: Edit, dice: Random) -> Request | None:
    spaced = in_unit(edit, dice.choice(["    ", "\t"]))
    if not spaced or not (cut := _common(spaced)):
        return None
    unit = "\t" if "\t" in cut else "    "
    other = dice.choice(["  ", "   "])

    def spelled(line: str) -> str:
        line = line.removeprefix(cut)
        return other * (len(indent_of(line)) // len(unit)) + line.lstrip(" \t")

    return _shifted(spaced, dice, spelled)


def common_depth(edit: Edit) -> str:
    """What all lines of the block begin with, of one kind of blank; empty: nothing or a mixture."""
    return _common(edit)


def _common(edit: Edit) -> str:
    depths = [indent_of(line) for line in (*edit.old, *_texts(edit)) if line.strip()]
    if not depths or len(set("".join(depths))) != 1:
        return ""
    return min(depths, key=len)


def _texts(edit: Edit) -> list[str]:
    return [line.text for line in edit.new]


def _shifted(edit: Edit, dice: Random, spelled: Callable[[str], str]) -> Request | None:
    """The same change of depth for every line of old and new but the empty ones."""
    depths = {indent_of(line) for line in (*edit.old, *_texts(edit)) if line.strip()}
    if len(set("".join(depths))) > 1:
        return None

    def line_of(line: str) -> str:
        return spelled(line) if line.strip() else line

    return pair(edit, dice, list(map(line_of, edit.old)), list(map(line_of, _texts(edit))))


def in_unit(edit: Edit, unit: str) -> Edit | None:
    """The same edit of a file whose depth is made of this unit; None: it cannot be."""
    own = unit_of(edit.lines)
    depths = [indent_of(line) for line in (*edit.old, *_texts(edit)) if line.strip()]
    if any(depth.replace(own, "") for depth in depths) or not any(depths):
        return None

    def rewritten(line: str) -> str:
        steps = re.match(rf"(?:{own})*", line)
        assert steps
        return unit * (steps.end() // len(own)) + line[steps.end() :]

    return edit.mapped(rewritten)


def _respelled(edit: Edit, dice: Random, unit: str, other: str) -> Request | None:
    """The request writes `other` for each unit of depth."""

    def spelled(line: str) -> str:
        depth = indent_of(line)
        return other * (len(depth) // len(unit)) + line[len(depth) :]

    return _shifted(edit, dice, spelled)
