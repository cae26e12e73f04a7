"""Arguments of `find`: its start folders and filters."""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

_NARROWS = re.compile(
    r"-(i?name|i?path|i?wholename|i?regex|i?lname|empty|newer\w*|[acm](min|time|newer)|size|perm|user"
    r"|uid|group|gid|inum|links|samefile|nouser|nogroup|executable)"
)
_ANYTHING = frozenset(["*", "**", ".*", "*.*", "./*", "?*"])
_ACTS = re.compile(r"-(exec|execdir|ok|okdir|printf|fprint\w*|fls|delete)")
_PRINTS = frozenset(["-print", "-print0"])
_OR = frozenset(["-o", "-or"])


def find_start_folders(words: Sequence[str]) -> list[str]:
    """Return the folders that `find` starts from; `words` are those after its name."""
    places = [word for word in words if word not in ("-H", "-L", "-P")]
    return list(takewhile(lambda word: not word.startswith(("-", "(", "!")), places)) or ["."]


def has_filter(words: Sequence[str]) -> bool:
    """Return whether `find` selects only some files, by name or another property."""
    return any(
        _NARROWS.fullmatch(test) and before not in ("!", "-not") and value not in _ANYTHING
        for before, test, value in zip(["", *words], words, [*words[1:], ""], strict=False)
    )


def build_find_output(words: Sequence[str]) -> str | None:
    """Return the output of `find`, with one name for all matches; None if it does more."""
    if any(map(_ACTS.fullmatch, words)):
        return None
    tests = _drop_pruned(words)
    names = [name for test, name in pairwise(tests) if test in ("-name", "-iname")]
    suffix = f"/{names[0] if names else 'found'}" if has_filter(tests) else ""
    return "".join(
        f"{start.rstrip('/') if suffix else start}{suffix}\n" for start in find_start_folders(words)
    )


def _drop_pruned(words: Sequence[str]) -> Sequence[str]:
    """Return the words without `-name X -prune -o`, which prints nothing beside a `-print`."""
    choices, depth = [list[str]()], 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word in _OR and not depth:
            choices.append([])
        else:
            choices[-1].append(word)
    printing = [choice for choice in choices if not _PRINTS.isdisjoint(choice)]
    is_plain = {",", "-mindepth", "-depth", "-d", "-delete"}.isdisjoint(words) and all(
        "-prune" not in choice for choice in printing
    )
    if not printing or not is_plain:
        return words
    return [word for choice in choices if "-prune" not in choice for word in choice]
