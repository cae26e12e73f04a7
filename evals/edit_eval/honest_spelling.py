"""Requests that spell the text otherwise: escapes, quotes, entities, line numbers, fences."""

import html
import json
import unicodedata
from random import Random

from honest_depth import common_depth, in_unit
from request import Request, honest, new_of, old_of, pair
from true_edit import Edit, joined

GROUP, MARKUP = "escapes, quotes, entities", "line numbers, fences"
CURLY = {"'": "\u2019", '"': "\u201c", "-": "\u2013"}
LANGUAGES = {"library": "python", "pip": "python", "header": "c", "script": "js", "perl": "perl"}


@honest(GROUP)
def escaped(edit: Edit, dice: Random) -> Request | None:
    """Old and new written as in JSON, once too often."""
    return pair(edit, dice, _escaped(joined(edit.old)), _escaped(joined(new_of(edit))))


@honest(GROUP)
def escaped_old_only(edit: Edit, dice: Random) -> Request | None:
    return pair(edit, dice, _escaped(joined(old_of(edit))), joined(new_of(edit)))


@honest(GROUP)
def escaped_without_depth(edit: Edit, dice: Random) -> Request | None:
    if not (cut := common_depth(edit)):
        return None
    old = [line.removeprefix(cut) for line in edit.old]
    new = [line.text.removeprefix(cut) for line in edit.new]
    return pair(edit, dice, _escaped("\n".join(old)), _escaped("\n".join(new)))


@honest(GROUP)
def escaped_quotes(edit: Edit, dice: Random) -> Request | None:
    """Only the quotes of one kind have a backslash."""
    old, new, quote = joined(old_of(edit)), joined(new_of(edit)), dice.choice(["'", '"'])
    if "\\" in old + new or quote not in old:
        return None
    return pair(edit, dice, old.replace(quote, f"\\{quote}"), new.replace(quote, f"\\{quote}"))


@honest(GROUP)
def escaped_tabs(edit: Edit, dice: Random) -> Request | None:
    """Lines end rightly, but every tab is a backslash and a `t`."""
    if not (tabbed := in_unit(edit, "\t")):
        return None
    old, new = joined(tabbed.old), joined(new_of(tabbed))
    if "\\" in old + new:
        return None
    return pair(tabbed, dice, old.replace("\t", "\\t"), new.replace("\t", "\\t"))


@honest(GROUP)
def curly_in_request(edit: Edit, dice: Random) -> Request | None:
    """Curly quotes and long dashes for straight ones, in lines that are not written."""

    def curly(line: str, index: int) -> str:
        return "".join(CURLY.get(letter, letter) for letter in line)

    if not any(letter in "".join(edit.old) for letter in CURLY):
        return None
    return pair(edit, dice, old_of(edit, curly), new_of(edit, curly))


@honest(GROUP)
def straight_for_curly(edit: Edit, dice: Random) -> Request | None:
    """The file has curly quotes, long dashes and an ellipsis in lines that stay."""
    plain, index = edit, dice.choice(edit.kept)
    said = dice.choice(["\u201cso\u201d", "it\u2019s", "one \u2014 two", "wait\u2026"])
    straight = said.translate({0x201C: '"', 0x201D: '"', 0x2019: "'", 0x2014: "-", 0x2026: "..."})
    line = edit.old[index]
    if not line.strip():
        return None
    edit = edit.with_line(index, f"{line} {said}")
    plain = plain.with_line(index, f"{line} {straight}")
    return pair(edit, dice, old_of(plain), new_of(plain))


@honest(GROUP)
def entities(edit: Edit, dice: Random) -> Request | None:
    """`<`, `>` and `&` as HTML entities, the quotes too or not."""
    old, new, quotes = joined(old_of(edit)), joined(new_of(edit)), dice.random() < 0.5
    if not any(letter in old for letter in "<>&"):
        return None
    return pair(edit, dice, html.escape(old, quotes), html.escape(new, quotes))


@honest(GROUP)
def composed_otherwise(edit: Edit, dice: Random) -> Request | None:
    """A letter and its accent are one in the file and two in the request, or the reverse."""
    index = dice.choice(edit.kept)
    if not edit.old[index].strip():
        return None
    forms = dice.sample(["NFC", "NFD"], 2)
    there, asked = (unicodedata.normalize(form, "éàñ") for form in forms)
    real = edit.with_line(index, f"{edit.old[index]} {there}")
    other = edit.with_line(index, f"{edit.old[index]} {asked}")
    return pair(real, dice, old_of(other), new_of(other))


@honest(MARKUP)
def line_numbers(edit: Edit, dice: Random) -> Request | None:
    """As a listing shows them, before every line of old and new."""
    shape = _shape(dice)
    old, new = old_of(edit), new_of(edit)
    return pair(edit, dice, _numbered(old, edit.start, shape), _numbered(new, edit.start, shape))


@honest(MARKUP)
def line_numbers_in_old_only(edit: Edit, dice: Random) -> Request | None:
    return pair(edit, dice, _numbered(old_of(edit), edit.start, _shape(dice)), new_of(edit))


@honest(MARKUP)
def line_numbers_and_depth_lost(edit: Edit, dice: Random) -> Request | None:
    if not (cut := common_depth(edit)):
        return None
    shape = _shape(dice)
    old = [line.removeprefix(cut) for line in edit.old]
    new = [line.text.removeprefix(cut) for line in edit.new]
    return pair(edit, dice, _numbered(old, edit.start, shape), _numbered(new, edit.start, shape))


@honest(MARKUP)
def fence(edit: Edit, dice: Random) -> Request | None:
    """Around old and new, or around old only."""
    open_ = "```" + dice.choice(["", LANGUAGES[edit.style]])
    old = [open_, *old_of(edit), "```"]
    new = [open_, *new_of(edit), "```"] if dice.random() < 0.7 else new_of(edit)
    return pair(edit, dice, old, new)


@honest(MARKUP)
def fence_and_depth_lost(edit: Edit, dice: Random) -> Request | None:
    if not (cut := common_depth(edit)):
        return None
    old = ["```", *(line.removeprefix(cut) for line in edit.old), "```"]
    new = ["```", *(line.text.removeprefix(cut) for line in edit.new), "```"]
    return pair(edit, dice, old, new)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _shape(dice: Random) -> str:
    return dice.choice(["{:6}→", "{:6}\t", "{}: ", "{:4} | ", "{}\t"])


def _numbered(lines: list[str], start: int, shape: str) -> list[str]:
    return [shape.format(number) + line for number, line in enumerate(lines, start + 1)]
