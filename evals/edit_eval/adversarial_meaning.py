"""Requests that are nearly the file's text and mean something else, or nothing that can be done."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from honest_exact import changed_elsewhere_meanwhile
from honest_memory import slip
from request import Request, adversarial, new_of, old_of, pair, place_of, refused
from true_edit import WORDS, Edit, Line, indent_of, invented, joined, renumbered, reworded, words_in

STALE, MEANING = "stale", "another meaning"
SPELLING, LEFT_OUT, MEMORY = "another spelling", "left out", "too many slips"
SIZES = range(6, 14)
PYTHON_LIKE = ("library", "pip")


@adversarial(STALE)
def stale_number(edit: Edit, dice: Random) -> Request | None:
    """The line that goes has another number in the file."""
    fit = [at for at in edit.replaced if re.search(r"\d", edit.old[at])]
    at = dice.choice(fit) if fit else -1
    return _other_in_file(edit, dice, at, renumbered(edit.old[at], dice)) if fit else None


@adversarial(STALE)
def stale_line(edit: Edit, dice: Random) -> Request | None:
    """The line that goes is quite another in the file."""
    if not edit.replaced:
        return None
    at = dice.choice(edit.replaced)
    return _other_in_file(edit, dice, at, indent_of(edit.old[at]) + invented(dice, edit.style))


@adversarial(STALE)
def made_already(edit: Edit, dice: Random) -> Request | None:
    """The file has the new lines already."""
    done = replace(edit, lines=edit.after)
    old, new = joined(edit.old), joined(new_of(edit))
    return None if old in done.text else refused(done, old, new, place_of(edit))


@adversarial(STALE)
def changed_here_meanwhile(edit: Edit, dice: Random) -> Request | None:
    """Others changed the very line after the file was read."""
    if not edit.replaced:
        return None
    at = edit.start + edit.replaced[0]
    now = joined([*edit.lines[:at], reworded(edit.lines[at], dice), *edit.lines[at + 1 :]])
    request = pair(edit, dice, old_of(edit), new_of(edit), loose=False)
    return replace(request, truths=(), meanwhile={edit.path: now.encode()}) if request else None


@adversarial(STALE)
def changed_elsewhere_and_blanks(edit: Edit, dice: Random) -> Request | None:
    """Others changed the file somewhere; the request differs in blanks from it."""
    request = changed_elsewhere_meanwhile(edit, dice)
    if not request:
        return None
    old, new = (
        "\n".join(line + " " if line else line for line in lines)
        for lines in (edit.old, new_of(edit))
    )
    args = {**request.args, "old_string": old, "new_string": new}
    return replace(request, args=args, truths=()) if old not in edit.text else None


@adversarial(MEANING)
def negation_lost_or_made_up(edit: Edit, dice: Random) -> Request | None:
    """The condition that is replaced has a `not` more, or less, in the file."""

    def negated(line: str) -> str:
        if edit.style in PYTHON_LIKE:
            if " not " in line:
                return line.replace(" not ", " ", 1)
            return re.sub(r"\b(if|while|elif|and|or|return) (?!not)", r"\1 not ", line, count=1)
        if "!" in line:
            return re.sub(r"!(?!=)", "", line, count=1)
        return re.sub(r"\bif \((?!!)", "if (!", line, count=1)

    return _meant_otherwise(edit, dice, negated)


@adversarial(MEANING)
def whole_line_inside_a_longer_one(edit: Edit, dice: Random) -> Request | None:
    """The old text is a whole line with its end; the file has it only as a part of a longer one."""
    numbers = [at for at in range(len(edit.old)) if len(words_in(edit.old[at])) > 1]
    if not numbers:
        return None
    line = edit.old[dice.choice(numbers)]
    ends = [found.end() for found in re.finditer(r"\w+", line) if found.end() < len(line.rstrip())]
    begins = [found.start() for found in re.finditer(r"\w+", line) if line[: found.start()].strip()]
    if not ends or not begins:
        return None
    part = dice.choice([line[: dice.choice(ends)], line[dice.choice(begins) :].rstrip()])
    part = dice.choice([part, part.lstrip(), indent_of(line) + part.lstrip()])
    if f"{part}\n" in edit.text or len(part.strip()) < 4:
        return None
    if any(part.strip() == other.strip() for other in edit.lines):
        return None
    return refused(edit, f"{part}\n", f"{part} {invented(dice, edit.style)}\n", place_of(edit))


@adversarial(MEANING)
def comparison_turned(edit: Edit, dice: Random) -> Request | None:
    turned = {"==": "!=", "!=": "==", "<=": ">=", ">=": "<=", " < ": " > ", " > ": " < "}

    def other(line: str) -> str:
        return re.sub("==|!=|<=|>=| < | > ", lambda found: turned[found[0]], line, count=1)

    return _meant_otherwise(edit, dice, other)


@adversarial(MEANING)
def equal_passes_or_not(edit: Edit, dice: Random) -> Request | None:
    def other(line: str) -> str:
        return re.sub(r" ([<>])(=?) ", lambda f: f" {f[1]}{'' if f[2] else '='} ", line, count=1)

    return _meant_otherwise(edit, dice, other)


@adversarial(MEANING)
def flag_turned(edit: Edit, dice: Random) -> Request | None:
    """True and False, and and or, none and not none."""
    turned = {
        "True": "False",
        "False": "True",
        "true": "false",
        "false": "true",
        " and ": " or ",
        " or ": " and ",
        "&&": "||",
        "||": "&&",
        "is None": "is not None",
    }
    pattern = "|".join(map(re.escape, turned))

    def other(line: str) -> str:
        return re.sub(pattern, lambda found: turned[found[0]], line, count=1)

    return _meant_otherwise(edit, dice, other)


@adversarial(MEANING)
def sign_turned(edit: Edit, dice: Random) -> Request | None:
    """Plus and minus."""

    def other(line: str) -> str:
        swap = {"+": "-", "-": "+"}
        return re.sub(r"(?<= )([+-])(?= )", lambda found: swap[found[0]], line, count=1)

    return _meant_otherwise(edit, dice, other)


@adversarial(SPELLING)
def other_case(edit: Edit, dice: Random) -> Request | None:
    """One line whose name is in capitals in the file and not in the request, or the reverse."""
    fit = [line for line in edit.old if len(line.strip()) > 8 and words_in(line)]
    line = dice.choice(fit) if fit else ""
    word = dice.choice(words_in(line)) if fit else ""
    asked = line.replace(word, word.swapcase())
    if not fit or asked.strip() in edit.text or asked == line:
        return None
    return refused(edit, asked, asked + " " + dice.choice(WORDS))


@adversarial(SPELLING)
def words_joined(edit: Edit, dice: Random) -> Request | None:
    """One line whose blanks between words are gone."""
    fit = [line.strip() for line in edit.old if re.search(r"\w \w", line)]
    if not fit:
        return None
    asked = re.sub(r"(?<=\w) +(?=\w)", "", dice.choice(fit))
    if asked in edit.text:
        return None
    return refused(edit, asked, asked + dice.choice(WORDS))


@adversarial(SPELLING)
def name_in_longer_names(edit: Edit, dice: Random) -> Request | None:
    """A short name with blanks around that stands only within longer names."""
    longer = sorted({name for line in edit.lines for name in re.findall(r"\w+_\w+", line)})
    parts = [part for name in longer for part in name.split("_") if len(part) > 3]
    fit = [part for part in parts if not re.search(rf"\b{part}\b", edit.text)]
    if not fit:
        return None
    part = dice.choice(fit)
    asked = dice.choice([f"  {part}  ", f"\n{part}\n", f"\t{part} "])
    if asked in edit.text:
        return None
    return refused(edit, asked, asked.replace(part, dice.choice(WORDS)))


@adversarial(LEFT_OUT)
def code_left_out(edit: Edit, dice: Random) -> Request | None:
    """The new text says that the rest is unchanged."""
    sign = "//" if edit.style in ("header", "script") else "#"
    words = dice.choice(
        [
            "... rest of the code unchanged ...",
            "... existing code ...",
            "... rest of the function remains the same ...",
            "... (rest unchanged)",
            "... other code stays the same ...",
        ]
    )
    half = len(edit.old) // 2
    remark = f"{indent_of(edit.old[half])}{sign} {words}"
    new = [*edit.old[: half - 1], indent_of(edit.old[0]) + invented(dice, edit.style), remark]
    return refused(edit, joined(edit.old), joined(new))


@adversarial(LEFT_OUT, sizes=SIZES)
def left_out_beside_the_change(edit: Edit, dice: Random) -> Request | None:
    """A line of the file, not in the request, stands just where new lines shall be put."""
    fit = [at for at in edit.untouched if words_in(edit.old[at]) and at > 1]
    if not fit:
        return None
    at = dice.choice(fit)
    put = indent_of(edit.old[at]) + invented(dice, edit.style)
    old = [line for index, line in enumerate(edit.old) if index != at]
    new = [*old[:at], put, *old[at:]]
    truths = [
        joined([*edit.lines[: edit.start + place], put, *edit.lines[edit.start + place :]])
        for place in (at, at + 1)
    ]
    return pair(edit, dice, old, new, truths=[truth.encode() for truth in truths])


@adversarial(MEMORY, sizes=SIZES)
def two_slips(edit: Edit, dice: Random) -> Request | None:
    """Two lines that stay are remembered wrongly."""
    fit = [at for at in edit.untouched if len(edit.old[at].strip()) > 15]
    if len(fit) < 2:
        return None
    wrong = {at: slip(edit.old[at], dice) for at in dice.sample(fit, 2)}
    if not all(wrong.values()):
        return None

    def spelled(line: str, index: int) -> str:
        return wrong.get(index, line)

    return pair(edit, dice, old_of(edit, spelled), new_of(edit, spelled))


@adversarial(MEMORY, sizes=SIZES)
def lines_swapped(edit: Edit, dice: Random) -> Request | None:
    """Two lines that stay are in the other order in the request."""
    fit = [
        at
        for at in edit.untouched
        if at - 1 in edit.untouched and words_in(edit.old[at]) and words_in(edit.old[at - 1])
    ]
    if not fit:
        return None
    at = dice.choice(fit)

    def spelled(line: str, index: int) -> str:
        return edit.old[{at: at - 1, at - 1: at}.get(index, index)]

    return pair(edit, dice, old_of(edit, spelled), new_of(edit, spelled))


@adversarial(MEMORY, sizes=SIZES)
def slip_everywhere(edit: Edit, dice: Random) -> Request | None:
    """A slip, and every place is meant."""
    fit = [at for at in edit.untouched if len(edit.old[at].strip()) > 15]
    wrong = slip(edit.old[at := dice.choice(fit)], dice) if fit else ""

    def spelled(line: str, index: int) -> str:
        return wrong if index == at else line

    if not wrong:
        return None
    return pair(edit, dice, old_of(edit, spelled), new_of(edit, spelled), replace_all=True)


def _meant_otherwise(edit: Edit, dice: Random, change: Callable[[str], str]) -> Request | None:
    """The request replaces a line that the file has with another meaning; right is to refuse."""
    fit = [at for at in range(1, len(edit.old) - 1) if change(edit.old[at]) != edit.old[at]]
    if not fit:
        return None
    at = dice.choice(fit)
    word = dice.choice(WORDS)
    kept = [Line(line, index) for index, line in enumerate(edit.old)]
    new = (*kept[:at], Line(f"{edit.old[at]}  # {word}"), *kept[at + 1 :])
    return _other_in_file(replace(edit, new=new), dice, at, change(edit.old[at]))


def _other_in_file(edit: Edit, dice: Random, at: int, line: str) -> Request | None:
    """A request for the block in a file that has this line in it."""
    if at < 0 or line == edit.old[at]:
        return None
    place = edit.start + at
    real = replace(edit, lines=(*edit.lines[:place], line, *edit.lines[place + 1 :]))
    end = dice.choice(["", "\n"])
    old, new = "\n".join(edit.old) + end, "\n".join(new_of(edit)) + end
    return None if old in real.text else refused(real, old, new, place_of(edit))
