"""Several edits, blocks and patches of which one part is wrong: nothing may be written."""

from dataclasses import replace
from random import Random

from honest_memory import slip
from honest_tools import several_blocks, several_edits
from patches import envelope, head_of, hunk_lines, unified
from request import Request, adversarial, place_of
from true_edit import WORDS, Edit, is_once, joined, words_in

GROUP = "one part wrong"
PATCHES = "patches that do not fit"


@adversarial(GROUP)
def one_of_several_edits_absent(edit: Edit, dice: Random) -> Request | None:
    request = several_edits(edit, dice)
    if not request:
        return None
    edits = [dict(one) for one in request.args["edits"]]
    edits.insert(dice.randint(0, len(edits)), {"old_string": _stranger(dice), "new_string": "x"})
    return replace(request, args={**request.args, "edits": edits}, truths=(), places=())


@adversarial(GROUP)
def one_of_several_blocks_absent(edit: Edit, dice: Random) -> Request | None:
    request = several_blocks(edit, dice)
    if not request:
        return None
    wrong = f"<<<<<<< SEARCH\n{_stranger(dice)}\n=======\nx\n>>>>>>> REPLACE\n"
    text = str(request.args["diff"])
    text = text + wrong if dice.random() < 0.5 else wrong + text
    return replace(request, args={**request.args, "diff": text}, truths=(), places=())


@adversarial(GROUP)
def block_without_a_marker(edit: Edit, dice: Random) -> Request | None:
    request = several_blocks(edit, dice)
    if not request:
        return None
    marker = dice.choice(["<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"])
    head, *rest = str(request.args["diff"]).split(marker)
    at = dice.randrange(len(rest))
    text = head + "".join(("" if index == at else marker) + one for index, one in enumerate(rest))
    return replace(request, args={**request.args, "diff": text}, truths=(), places=())


@adversarial(GROUP)
def second_file_of_a_patch_differs(edit: Edit, dice: Random) -> Request | None:
    lines, start = hunk_lines(edit)
    wanted = [line for line in lines if line[0] == "-" and words_in(line)]
    if not wanted:
        return None
    other = f"{edit.path}.other"
    text = edit.text.replace(wanted[0][1:], f"{dice.choice(WORDS)}_{dice.randint(10, 99)}")
    hunks = [(lines, head_of(lines, start))]
    form = dice.choice([unified, envelope])
    patch = unified(edit.path, hunks) + unified(other, hunks)
    if form is envelope:
        first, second = envelope(edit.path, hunks), envelope(other, hunks)
        patch = first.removesuffix("*** End Patch\n") + second.removeprefix("*** Begin Patch\n")
    return Request(
        before={edit.path: edit.text.encode(), other: text.encode()},
        tool="apply_patch",
        args={"patch": patch},
        truths=(),
    )


@adversarial(PATCHES)
def patch_for_two_places(edit: Edit, dice: Random) -> Request | None:
    """The hunk's lines stand twice; its number is none of the two, or there is none."""
    lines, start = hunk_lines(edit)
    there = [line[1:] for line in lines if line[0] != "+"]
    twins = edit.with_others(len(edit.lines), ["", *there])
    form = dice.choice(["unified", "bare", "envelope"])
    if form == "envelope":
        text = envelope(twins.path, [(lines, "@@")])
    else:
        head = head_of(lines, start + 5) if form == "unified" else "@@"
        text = unified(twins.path, [(lines, head)])
    known = (place_of(edit) | frozenset(range(start, edit.end + 4)),)
    return _refused(twins, text, known)


@adversarial(PATCHES)
def patch_removes_another_line(edit: Edit, dice: Random) -> Request | None:
    """A line that the patch removes is another in the file: refused, or the file's line goes."""
    lines, start = hunk_lines(edit)
    gone = [at for at, line in enumerate(lines) if line[0] == "-" and words_in(line)]
    if not gone:
        return None
    at = dice.choice(gone)
    spoilt = list(lines)
    word = words_in(lines[at])[0]
    spoilt[at] = lines[at].replace(word, dice.choice(WORDS), 1)
    hunks = [(spoilt, head_of(lines, start))]
    text = unified(edit.path, hunks) if dice.random() < 0.5 else envelope(edit.path, hunks)
    request = _refused(edit, text, (place_of(edit) | frozenset(range(start, edit.end + 4)),))
    return replace(request, truths=({edit.path: joined(edit.after).encode()},))


@adversarial(PATCHES)
def patch_with_an_inner_line_wrong(edit: Edit, dice: Random) -> Request | None:
    """An inner line of context is misremembered: refused, or the file's line stays."""
    lines, start = hunk_lines(edit)
    fit = [at for at in range(1, len(lines) - 1) if lines[at][0] == " " and words_in(lines[at])]
    wrong = slip(lines[at := dice.choice(fit)][1:], dice) if fit else ""
    there = [line[1:] for line in lines if line[0] != "+"]
    if not wrong or not is_once(edit.lines, there):
        return None
    spoilt = [f" {wrong}" if index == at else line for index, line in enumerate(lines)]
    request = _refused(
        edit,
        unified(edit.path, [(spoilt, head_of(lines, start))]),
        (place_of(edit) | frozenset(range(start, edit.end + 4)),),
    )
    return replace(request, truths=({edit.path: joined(edit.after).encode()},))


@adversarial(PATCHES)
def envelope_narrowed_by_nothing(edit: Edit, dice: Random) -> Request | None:
    """The text after `@@` is not in the file, and the lines stand twice."""
    lines, start = hunk_lines(edit)
    there = [line[1:] for line in lines if line[0] != "+"]
    twins = edit.with_others(len(edit.lines), ["", *there])
    head = f"@@ def {dice.choice(WORDS)}_{dice.randint(100, 999)}():"
    return _refused(twins, envelope(twins.path, [(lines, head)]), ())


def _refused(edit: Edit, patch: str, places: tuple[frozenset[int], ...]) -> Request:
    return Request(
        before={edit.path: edit.text.encode()},
        tool="apply_patch",
        args={"patch": patch},
        truths=(),
        places=places,
    )


def _stranger(dice: Random) -> str:
    first, second = dice.sample(WORDS, 2)
    return f"{first}_{dice.randint(100, 999)} = {second}({dice.randint(100, 999)})"
