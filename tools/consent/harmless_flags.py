"""Flags that an "always" rule on a program's first words covers: only those known as harmless.

`pytest:*` from an answer allows running tests in other ways. All that is not in the table is asked:
it may load a plugin, run a program, write a file, rewrite history or work on another project.

In the table `-x` has no value, `-k=` any value, `-s=path` a path in the project, `--tb=a|b` one of
these words, and `--color=[...]` the same but attached with `=` or left out.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal

from .harmless_flag_table import COMMANDS

Arguments = Literal["paths", "words", "none"]


@dataclass(frozen=True)
class HarmlessUse:
    """The flags of one command that are harmless, and what its other words may be."""

    flags: Mapping[str, str]
    """By flag, its kind of value; empty: none."""
    arguments: Arguments = "paths"
    after_dashes: "HarmlessUse | None" = None
    """What may follow `--`; None: more arguments."""
    one_dash: bool = False
    """Whether long flags have one dash, so that letters are never bundled."""


def find_command(words: Sequence[str]) -> Sequence[str]:
    """Return the first words that describe a command of the table; empty if it is not in it."""
    for pattern in COMMANDS:
        pattern_words = pattern.split()
        if len(words) >= len(pattern_words) and all(
            expected == word or (expected == "*" and not word.startswith("-"))
            for expected, word in zip(pattern_words, words, strict=False)
        ):
            return words[: len(pattern_words)]
    return ()


def is_harmless(words: Sequence[str], folder: Path, root: Path) -> bool:
    """Return whether a command has only harmless flags, as far as the table knows it."""
    program = (PurePosixPath(words[0]).name, *words[1:])
    command = find_command(program)
    return not command or not find_other_word(program, command, folder, root)


def knows_command(own: Sequence[str]) -> bool:
    """Return whether the table has exactly this command."""
    return bool(own) and list(find_command(own)) == list(own)


def find_other_word(
    words: Sequence[str], own: Sequence[str], folder: Path | None, root: Path
) -> str:
    """Return the first word after the command `own` that is not known as harmless; else empty."""
    pattern = next(name for name in COMMANDS if _matches(name, own))
    rest = list(words[len(own) :])
    use = _parse_use(pattern)
    return next(_iter_other_words(rest, use, folder, root), "")


def _matches(pattern: str, own: Sequence[str]) -> bool:
    words = pattern.split()
    return len(words) == len(own) and all(a in (b, "*") for a, b in zip(words, own, strict=True))


def _iter_other_words(
    words: Sequence[str], use: HarmlessUse, folder: Path | None, root: Path
) -> Iterator[str]:
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            after = use.after_dashes or HarmlessUse({}, use.arguments)
            yield from _iter_other_words(words[at:], after, folder, root)
            return
        if not word.startswith("-") or word == "-":
            if not _is_argument(word, use.arguments, folder, root):
                yield word
            continue
        following = words[at] if at < len(words) else None
        taken = _read_flag(word, following, use, folder, root)
        if taken is None:
            yield word
        at += taken or 0


def _read_flag(
    word: str, following: str | None, use: HarmlessUse, folder: Path | None, root: Path
) -> int | None:
    """Return how many further words a flag takes; None if it is not harmless."""
    name, has_value, value = word.partition("=")
    if use.one_dash and name.startswith("--"):
        name = name[1:]
    if name in use.flags:
        return _take_value(use.flags[name], value if has_value else None, following, folder, root)
    if word.startswith("--") or use.one_dash:
        return None
    return _read_bundle(word, following, use, folder, root)


def _read_bundle(
    word: str, following: str | None, use: HarmlessUse, folder: Path | None, root: Path
) -> int | None:
    """Read `-xvs` or `-am`: several flags of one letter, of which the last may have a value."""
    for place, letter in enumerate(word[1:], 1):
        kind = use.flags.get(f"-{letter}")
        if kind is None:
            return None
        if kind and not kind.startswith("["):
            attached = word[place + 1 :].removeprefix("=") or None
            return _take_value(kind, attached, following, folder, root)
    return 0


def _take_value(
    kind: str, attached: str | None, following: str | None, folder: Path | None, root: Path
) -> int | None:
    if kind.startswith("["):
        kind = kind.strip("[]")
        return 0 if attached is None or _is_value(attached, kind, folder, root) else None
    if not kind:
        return 0 if attached is None else None
    value = following if attached is None else attached
    if value is None or not _is_value(value, kind, folder, root):
        return None
    return 1 if attached is None else 0


def _is_value(value: str, kind: str, folder: Path | None, root: Path) -> bool:
    if kind == "path":
        return is_inside(value, folder, root)
    if kind == "name":  # no path, and nothing that could be one
        return re.fullmatch(r"[\w:,*+^ -]+(\.[\w*-]+)*", value) is not None and value[0] != "-"
    return kind == "any" or value in kind.split("|")


def _is_argument(word: str, kind: Arguments, folder: Path | None, root: Path) -> bool:
    if kind == "none" or word.startswith(("@", ":")):
        return False
    return kind == "words" or is_inside(word, folder, root)


def is_inside(text: str, folder: Path | None, root: Path) -> bool:
    """Return whether a path, of which `::` may name a part, is certainly in the project."""
    path = text.split("::")[0]
    if path.startswith("~") or "://" in path:
        return False
    if folder is None:
        return not path.startswith("/") and ".." not in path.split("/")
    return Path(os.path.realpath(folder / path)).is_relative_to(root)


@cache
def _parse_use(pattern: str) -> HarmlessUse:
    text, arguments, after = COMMANDS[pattern]
    tail = HarmlessUse(_parse_flags(after[0]), after[1]) if after else None
    flags = _parse_flags(text)
    return HarmlessUse(flags, arguments, tail, one_dash=pattern.startswith("go "))


def _parse_flags(text: str) -> dict[str, str]:
    flags = dict[str, str]()
    for item in text.split():
        names, has_value, kind = item.partition("=")
        for name in names.split(","):
            flags[name] = (kind or "any") if has_value else ""
    return flags
