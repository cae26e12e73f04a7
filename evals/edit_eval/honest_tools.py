"""The same honest faults in the other forms: several edits, blocks, patches."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from honest_depth import common_depth
from honest_memory import slip
from patches import block, envelope, has_markers, head_of, hunk_lines, unified
from request import Request, honest, new_of, old_of, place_of
from sources import Source
from true_edit import Edit, indent_of, is_once, joined, make, words_in

SEVERAL, BLOCKS, UNIFIED, ENVELOPE = "several edits", "blocks", "unified diff", "envelope"


@honest(SEVERAL)
def several_edits(edit: Edit, dice: Random) -> Request | None:
    """Some of them lack their depth or have blanks at line ends."""
    if not (edits := _apart(edit, dice)):
        return None
    pairs = [_loosely(one, dice) for one in dice.sample(edits, len(edits))]
    args = [{"old_string": old, "new_string": new} for old, new in pairs]
    return _request(edits, "edit", {"file_path": edit.path, "edits": args})


@honest(BLOCKS)
def one_block(edit: Edit, dice: Random) -> Request | None:
    if has_markers(edit):
        return None
    text = block(old_of(edit), new_of(edit))
    return _request([edit], "replace_in_file", {"path": edit.path, "diff": text})


@honest(BLOCKS)
def several_blocks(edit: Edit, dice: Random) -> Request | None:
    """Some of them lack their depth or have blanks at line ends."""
    edits = _apart(edit, dice)
    if not edits or any(map(has_markers, edits)):
        return None
    pairs = [_loosely(one, dice) for one in dice.sample(edits, len(edits))]
    text = "\n".join(block(old.split("\n"), new.split("\n")) for old, new in pairs)
    return _request(edits, "replace_in_file", {"path": edit.path, "diff": text})


@honest(BLOCKS)
def block_and_a_slip(edit: Edit, dice: Random) -> Request | None:
    """A line that stays is misremembered, the depth is lost or not."""
    fit = [at for at in edit.untouched if len(edit.old[at].strip()) > 15]
    wrong = slip(edit.old[at := dice.choice(fit)], dice) if fit else ""
    if not wrong or has_markers(edit) or len(edit.old) < 7:
        return None
    cut = common_depth(edit) if dice.random() < 0.5 else ""
    slipped = {at: wrong}
    old = [slipped.get(index, line).removeprefix(cut) for index, line in enumerate(edit.old)]
    new = [slipped.get(line.kept, line.text).removeprefix(cut) for line in edit.new]
    return _request([edit], "replace_in_file", {"path": edit.path, "diff": block(old, new)})


@honest(BLOCKS)
def block_for_crlf_file(edit: Edit, dice: Random) -> Request | None:
    request = one_block(edit, dice)
    return _in_crlf(request) if request else None


@honest(UNIFIED)
def unified_right(edit: Edit, dice: Random) -> Request | None:
    """One hunk or several, with right numbers."""
    edits = (_apart(edit, dice) if dice.random() < 0.5 else None) or [edit]
    hunks, shift = [], 0
    for one in edits:
        lines, start = hunk_lines(one)
        hunks.append((lines, head_of(lines, start, shift)))
        shift += len(one.new) - len(one.old)
    return _patch(edits, unified(edit.path, hunks))


@honest(UNIFIED)
def unified_with_wrong_head(edit: Edit, dice: Random) -> Request | None:
    """Counts, line numbers or both are wrong, or there are none."""
    lines, start = hunk_lines(edit)
    if not _is_telling(edit, lines):
        return None
    off = max(start + dice.choice([-7, -2, 3, 40]), 1)
    head = dice.choice(
        [
            f"@@ -{start},{len(lines) + 2} +{start},{len(lines)} @@",
            f"@@ -{off},{len(lines)} +{off},{len(lines) + 1} @@",
            head_of(lines, off),
            "@@ ... @@",
            "@@",
        ]
    )
    return _patch([edit], unified(edit.path, [(lines, head)]))


@honest(UNIFIED)
def unified_with_other_blanks(edit: Edit, dice: Random) -> Request | None:
    """Empty context without its blank, blanks at the ends of context."""
    lines, start = hunk_lines(edit)
    spoilt = [
        line.rstrip(" ")
        if line == " "
        else line + dice.choice(["", " ", "  "])
        if line[0] == " "
        else line
        for line in lines
    ]
    if spoilt == lines or not _is_telling(edit, lines) or not spoilt[-1]:
        return None
    return _patch([edit], unified(edit.path, [(spoilt, head_of(lines, start))]))


@honest(UNIFIED)
def unified_without_depth(edit: Edit, dice: Random) -> Request | None:
    lines, start = hunk_lines(edit, context=2)
    depths = [indent_of(line[1:]) for line in lines if line[1:].strip()]
    cut = min(depths, key=len)
    if not cut or len(set("".join(depths))) != 1 or not _is_telling(edit, lines):
        return None
    spoilt = [line[0] + line[1:].removeprefix(cut) for line in lines]
    return _patch([edit], unified(edit.path, [(spoilt, head_of(lines, start))]))


@honest(UNIFIED)
def unified_with_curly_context(edit: Edit, dice: Random) -> Request | None:
    """Context has curly quotes and long dashes for straight ones."""
    lines, start = hunk_lines(edit)
    curly = str.maketrans({"'": "\u2019", '"': "\u201c", "-": "\u2013"})
    spoilt = [line.translate(curly) if line[0] == " " else line for line in lines]
    if spoilt == lines or not _is_telling(edit, lines):
        return None
    return _patch([edit], unified(edit.path, [(spoilt, head_of(lines, start))]))


@honest(UNIFIED)
def unified_with_an_outer_line_wrong(edit: Edit, dice: Random) -> Request | None:
    """The first or the last line of context is misremembered."""
    lines, start = hunk_lines(edit)
    at = dice.choice([0, len(lines) - 1])
    wrong = slip(lines[at][1:], dice) if lines[at][0] == " " else ""
    rest = [line[1:] for index, line in enumerate(lines) if index != at and line[0] != "+"]
    if not wrong or len([line for line in rest if words_in(line)]) < 4:
        return None
    if not is_once(edit.lines, rest):
        return None
    spoilt = [f" {wrong}" if index == at else line for index, line in enumerate(lines)]
    return _patch([edit], unified(edit.path, [(spoilt, head_of(lines, start))]))


@honest(UNIFIED)
def unified_number_decides(edit: Edit, dice: Random) -> Request | None:
    """The hunk's lines stand at two places; the line number is right."""
    lines, _ = hunk_lines(edit)
    there = [line[1:] for line in lines if line[0] != "+"]
    twins = edit.with_others(dice.choice([0, len(edit.lines)]), there)
    lines, start = hunk_lines(twins)
    return _patch([twins], unified(twins.path, [(lines, head_of(lines, start))]))


@honest(UNIFIED)
def unified_for_crlf_file(edit: Edit, dice: Random) -> Request | None:
    request = unified_right(edit, dice)
    return _in_crlf(request) if request else None


@honest(UNIFIED)
def unified_for_two_files(edit: Edit, dice: Random) -> Request | None:
    """The second file is another name's copy of the first."""
    other = replace(edit, path=f"{edit.path}.other")
    lines, start = hunk_lines(edit)
    hunks = [(lines, head_of(lines, start))]
    request = _patch([edit], unified(edit.path, hunks) + unified(other.path, hunks))
    return replace(
        request,
        before={**request.before, other.path: other.text.encode()},
        truths=({**request.truths[0], other.path: joined(other.after).encode()},),
    )


@honest(ENVELOPE)
def envelope_right(edit: Edit, dice: Random) -> Request | None:
    edits = (_apart(edit, dice) if dice.random() < 0.5 else None) or [edit]
    hunks = [(hunk_lines(one)[0], "@@") for one in edits]
    if not all(_is_telling(one, hunk[0]) for one, hunk in zip(edits, hunks, strict=True)):
        return None
    return _patch(edits, envelope(edit.path, hunks))


@honest(ENVELOPE)
def envelope_with_blanks(edit: Edit, dice: Random) -> Request | None:
    lines, _ = hunk_lines(edit)
    spoilt = [line + dice.choice(["", " ", "  "]) if line[0] == " " else line for line in lines]
    if spoilt == lines or not _is_telling(edit, lines):
        return None
    return _patch([edit], envelope(edit.path, [(spoilt, "@@")]))


@honest(ENVELOPE)
def envelope_without_depth(edit: Edit, dice: Random) -> Request | None:
    lines, _ = hunk_lines(edit, context=2)
    depths = [indent_of(line[1:]) for line in lines if line[1:].strip()]
    cut = min(depths, key=len)
    if not cut or len(set("".join(depths))) != 1 or not _is_telling(edit, lines):
        return None
    spoilt = [line[0] + line[1:].removeprefix(cut) for line in lines]
    return _patch([edit], envelope(edit.path, [(spoilt, "@@")]))


@honest(ENVELOPE)
def envelope_narrowed(edit: Edit, dice: Random) -> Request | None:
    """The hunk's lines stand at two places; a line above the true one is named."""
    lines, start = hunk_lines(edit)
    there = [line[1:] for line in lines if line[0] != "+"]
    above = [line for line in edit.lines[max(start - 9, 0) : start - 1] if len(line.strip()) > 8]
    fit = [line for line in above if [o.strip() for o in edit.lines].count(line.strip()) == 1]
    if not fit or not is_once(edit.lines, there):
        return None
    twins = edit.with_others(0, there)
    head = f"@@ {dice.choice(fit).strip()}"
    lines, _ = hunk_lines(twins)
    return _patch([twins], envelope(twins.path, [(lines, head)]))


@honest(ENVELOPE)
def envelope_for_crlf_file(edit: Edit, dice: Random) -> Request | None:
    request = envelope_right(edit, dice)
    return _in_crlf(request) if request else None


def _apart(edit: Edit, dice: Random) -> list[Edit] | None:
    """Two or three edits of the same file, from top to bottom, with room between them."""
    found = [edit]
    source = Source(edit.path, edit.style, edit.lines)
    for _ in range(6):
        other = make(source, dice, edit.path)
        if other and all(other.end + 7 <= one.start or one.end + 7 <= other.start for one in found):
            found.append(other)
        if len(found) == 3:
            break
    return sorted(found, key=lambda one: one.start) if len(found) > 1 else None


def _loosely(edit: Edit, dice: Random) -> tuple[str, str]:
    cut = common_depth(edit) if dice.random() < 0.4 else ""
    tails = [dice.choice(["", " "]) if dice.random() < 0.3 else "" for _ in edit.old]
    old = [line.removeprefix(cut) + tail for line, tail in zip(edit.old, tails, strict=True)]
    new = [
        line.text.removeprefix(cut) + ("" if line.kept is None else tails[line.kept])
        for line in edit.new
    ]
    return "\n".join(old), "\n".join(new)


def _request(edits: Sequence[Edit], tool: str, args: dict[str, object]) -> Request:
    first = edits[0]
    lines = list(first.lines)
    for one in sorted(edits, key=lambda one: -one.start):
        lines[one.start : one.end] = [line.text for line in one.new]
    return Request(
        before={first.path: first.text.encode()},
        tool=tool,
        args=args,
        truths=({first.path: joined(lines).encode()},),
        places=tuple(map(place_of, edits)),
    )


def _patch(edits: Sequence[Edit], text: str) -> Request:
    return _request(edits, "apply_patch", {"patch": text})


def _in_crlf(request: Request) -> Request:
    def crlf(content: dict[str, bytes]) -> dict[str, bytes]:
        return {path: data.replace(b"\n", b"\r\n") for path, data in content.items()}

    return replace(
        request,
        before=crlf(dict(request.before)),
        truths=tuple(crlf(dict(truth)) for truth in request.truths),
    )


def _is_telling(edit: Edit, lines: Sequence[str]) -> bool:
    """Whether the lines that a hunk looks for stand in the file once, blanks aside."""
    there = [line[1:] for line in lines if line[0] != "+"]
    return sum(bool(words_in(line)) for line in there) >= 3 and is_once(edit.lines, there)
