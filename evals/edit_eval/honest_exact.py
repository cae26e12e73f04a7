"""Requests that are exact, for files of every make: endings, encodings, several places."""

import re
from collections.abc import Sequence
from itertools import product
from random import Random

from request import Request, honest, new_of, old_of, pair, place_of
from true_edit import Edit, joined

GROUP = "exact, CRLF"
CHINESE = "# 配置文件，不要修改这里的内容，除非你知道自己在做什么"
FRENCH = "# café crème, garçon naïf, Noël à la plage, déjà vu, où ça"


@honest(GROUP)
def exact(edit: Edit, dice: Random) -> Request | None:
    return pair(edit, dice, old_of(edit), new_of(edit), loose=False)


@honest(GROUP)
def exact_piece(edit: Edit, dice: Random) -> Request | None:
    """A piece that begins and ends within lines, between words."""
    old, new = "\n".join(old_of(edit)), "\n".join(new_of(edit))
    heads, ends = _between_words(edit.old[0]), _between_words(edit.old[-1])
    if not heads or not ends:
        return None
    head, tail = dice.choice(heads), len(edit.old[-1]) - dice.choice(ends)
    if edit.new[0].kept != 0 or edit.new[-1].kept != len(edit.old) - 1:
        return None
    old, new = old[head:-tail], new[head:-tail]
    return pair(edit, dice, old, new, loose=False)


@honest(GROUP)
def crlf_file(edit: Edit, dice: Random) -> Request | None:
    before, after = (_crlf(edit.lines), _crlf(edit.after))
    return pair(edit, dice, old_of(edit), new_of(edit), loose=False, before=before, truths=[after])


@honest(GROUP)
def crlf_request(edit: Edit, dice: Random) -> Request | None:
    """For a file with CRLF or with LF; in old and new, or in old only."""
    old, new = _crlf(old_of(edit)).decode(), _crlf(new_of(edit)).decode()
    if dice.random() < 0.3:
        new = joined(new_of(edit))
    ended = _crlf if dice.random() < 0.5 else lambda lines: joined(lines).encode()
    before, after = ended(edit.lines), ended(edit.after)
    return pair(edit, dice, old, new, before=before, truths=[after])


@honest(GROUP)
def mixed_file(edit: Edit, dice: Random) -> Request | None:
    """Each line has its own end; a new one has that of the line it stands for or of a neighbour."""
    ends = [dice.choice(["\n", "\r\n"]) for _ in edit.lines]
    if not (truths := _mixed_truths(edit, ends)):
        return None
    before = _with_ends(edit.lines, ends).encode()
    return pair(edit, dice, old_of(edit), new_of(edit), loose=False, before=before, truths=truths)


@honest(GROUP)
def mixed_file_without_depth(edit: Edit, dice: Random) -> Request | None:
    """The same, and the request lacks its depth."""
    cut = min((len(line) - len(line.lstrip()) for line in edit.old if line.strip()), default=0)
    exact = mixed_file(edit, dice)
    if not exact or cut < 2:
        return None
    old = [line[cut:] for line in old_of(edit)]
    new = [line[cut:] for line in new_of(edit)]
    truths = [truth[edit.path] for truth in exact.truths]
    return pair(edit, dice, old, new, before=exact.before[edit.path], truths=truths)


@honest(GROUP)
def encoded_file(edit: Edit, dice: Random) -> Request | None:
    """A byte-order mark, UTF-16, GBK, Latin-1."""
    encoding, mark, remark = dice.choice(
        [
            ("utf-8", "\ufeff", CHINESE),
            ("utf-16-le", "\ufeff", CHINESE),
            ("utf-16-be", "\ufeff", FRENCH),
            ("gbk", "", CHINESE),
            ("latin-1", "", FRENCH),
        ]
    )
    if not edit.text.isascii():
        return None
    edit = edit.with_others(0, [remark] * 3)
    before, after = ((mark + joined(lines)).encode(encoding) for lines in (edit.lines, edit.after))
    return pair(edit, dice, old_of(edit), new_of(edit), loose=False, before=before, truths=[after])


@honest(GROUP)
def damaged_file(edit: Edit, dice: Random) -> Request | None:
    """Bytes outside the block that are no text in any encoding."""
    if not edit.text.isascii():
        return None
    damage = bytes(dice.choice([0x80, 0xFF, 0xFE, 0xC0]) for _ in range(3))
    tail = "# 配置文件".encode() + damage + b"\n"
    before, after = (joined(lines).encode() + tail for lines in (edit.lines, edit.after))
    return pair(edit, dice, old_of(edit), new_of(edit), loose=False, before=before, truths=[after])


@honest(GROUP)
def no_final_line_break(edit: Edit, dice: Random) -> Request | None:
    """The block is the file's end, which has no line break."""
    edit = _cut_after_block(edit)
    before, after = (joined(lines)[:-1].encode() for lines in (edit.lines, edit.after))
    old, new = "\n".join(old_of(edit)), "\n".join(new_of(edit))
    request = pair(edit, Random(0), old, new, loose=False, before=before, truths=[after])
    return request if dice.random() < 0.5 or not request else _ended(request)


@honest(GROUP)
def exact_everywhere(edit: Edit, dice: Random) -> Request | None:
    """One name, everywhere in the file."""
    names = set(re.findall(r"[a-z]{5,}[a-z_]*", "\n".join(edit.old)))
    fit = sorted(name for name in names if 2 <= edit.text.count(name) <= 40)
    if not fit:
        return None
    name, other = dice.choice(fit), f"pigeon_{dice.randint(10, 99)}"
    return Request(
        before={edit.path: edit.text.encode()},
        tool="edit",
        args={
            "file_path": edit.path,
            "old_string": name,
            "new_string": other,
            "replace_all": True,
        },
        truths=({edit.path: edit.text.replace(name, other).encode()},),
        places=(place_of(edit),),
        exact=True,
    )


@honest(GROUP)
def changed_elsewhere_meanwhile(edit: Edit, dice: Random) -> Request | None:
    """Others changed the file since it was read, but not this place."""
    request = pair(edit, dice, old_of(edit), new_of(edit), loose=False)
    if not request:
        return None
    more = f"# {dice.randint(1000, 9999)} by others\n".encode()
    now, truth = request.before[edit.path], request.truths[0][edit.path]
    return Request(
        before=request.before,
        tool=request.tool,
        args=request.args,
        truths=({edit.path: truth + more},),
        places=request.places,
        meanwhile={edit.path: now + more},
        exact=True,
    )


def _between_words(line: str) -> list[int]:
    """Places within a line, behind its indentation, that split no word."""
    begin = len(line) - len(line.lstrip())
    places = range(max(begin, 1), len(line))
    return [at for at in places if not re.fullmatch(r"\w\w", line[at - 1 : at + 1])]


def _ended(request: Request) -> Request:
    """The request's lines all end, though the file's last one does not."""
    args = {
        **request.args,
        "old_string": request.args["old_string"] + "\n",
        "new_string": request.args["new_string"] + "\n",
    }
    return Request(request.before, request.tool, args, request.truths, request.places)


def _crlf(lines: Sequence[str]) -> bytes:
    return joined(lines).replace("\n", "\r\n").encode()


def _cut_after_block(edit: Edit) -> Edit:
    return Edit(edit.path, edit.style, edit.lines[: edit.end], edit.start, edit.old, edit.new)


def _mixed_truths(edit: Edit, ends: list[str]) -> list[bytes]:
    """One for each defensible choice of the new lines' ends; none when there are too many."""
    block = ends[edit.start : edit.end]
    choices = [
        {block[line.kept]} if line.kept is not None else _ends_of_new(edit, place, ends)
        for place, line in enumerate(edit.new)
    ]
    variants = list(product(*choices))
    head = _with_ends(edit.lines[: edit.start], ends[: edit.start])
    tail = _with_ends(edit.lines[edit.end :], ends[edit.end :])
    texts = [line.text for line in edit.new]
    if len(variants) > 16:
        return []
    return [(head + _with_ends(texts, variant) + tail).encode() for variant in variants]


def _ends_of_new(edit: Edit, place: int, ends: Sequence[str]) -> set[str]:
    """That of the one line it stands for; else any of the lines that go and of the neighbours."""
    kept = [None if line.kept is None else edit.start + line.kept for line in edit.new]
    above = max((at for at in kept[:place] if at is not None), default=edit.start - 1)
    below = min((at for at in kept[place + 1 :] if at is not None), default=edit.end)
    gone = ends[above + 1 : below]
    alone = all(at is not None for at in (*kept[place - 1 : place], *kept[place + 1 : place + 2]))
    near = [*ends[max(above, 0) : above + 1], *ends[below : below + 1]]
    return set(gone) if len(gone) == 1 and alone else {*gone, *near}


def _with_ends(lines: Sequence[str], ends: Sequence[str]) -> str:
    return "".join(map("".join, zip(lines, ends, strict=True)))
