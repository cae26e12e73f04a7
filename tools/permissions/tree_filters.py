"""Which files of a folder a program passes because of its options; what is not understood counts.

A pattern that is not understood leaves nothing out, and takes everything in.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["files", "folders", "both"]
Manner = Literal["name", "tail", "path", "gitignore", "transfer"]
"""What a pattern is compared with: a file's name; the end of its path, or all of it; with the path
if it has a slash inside; with the path if it begins with a slash."""

# Text, `*`, `?` and sets of single characters, which every program reads alike
PLAIN = re.compile(r"(?:[\w.*?+@%,=:~ /-]|\[\w+\])+")
_SIGNS = re.compile(r"(\*\*/|\*\*|\*|\?|\[\w+\])")
_PLAIN_REGEX = re.compile(r"\^?(?:[\w/ -]|\\?\.)+\$?")
_BRACES = re.compile(r"([^{}]*)\{([^{}]*)\}([^{}]*)")


class TreeFilter(Protocol):
    """What a program passes, by paths as the program sees them."""

    def skips_folder(self, path: str) -> bool:
        """Return whether nothing below a folder is read."""
        ...

    def reads(self, path: str) -> bool:
        """Return whether a file may be read."""
        ...

    def takes_in(self, path: str) -> bool:
        """Return whether an option names the file or folder, even if it is ignored."""
        ...


@dataclass(frozen=True)
class PatternFilter:
    """Patterns that leave out folders or files, and those that take files in."""

    folders_out: tuple[re.Pattern[str], ...] = ()
    files_out: tuple[re.Pattern[str], ...] = ()
    taken_in: tuple[re.Pattern[str], ...] = ()
    """They undo the others, whatever their order."""
    folders_in: tuple[re.Pattern[str], ...] = ()
    """Folders that are not left out, whatever the order."""
    restricts: bool = True
    """Whether only files that are taken in are read."""
    start: str = ""
    """The folder named, as its patterns see it."""
    deepest: int | None = None
    """How many levels below it are read; 1: only its own files."""

    def skips_folder(self, path: str) -> bool:
        """Return whether nothing below a folder is read."""
        if self.deepest is not None and _measure_depth(path, self.start) >= self.deepest:
            return True
        is_named = self.takes_in(path) or _matches(self.folders_in, path)
        return not is_named and _matches(self.folders_out, path)

    def reads(self, path: str) -> bool:
        """Return whether a file may be read."""
        if self.deepest is not None and _measure_depth(path, self.start) > self.deepest:
            return False
        if self.taken_in and self.takes_in(path):
            return True
        is_left_out = bool(self.taken_in) and self.restricts
        return not is_left_out and not _matches(self.files_out, path)

    def takes_in(self, path: str) -> bool:
        """Return whether an option names the file or folder."""
        return _matches(self.taken_in, path)


def _measure_depth(path: str, start: str) -> int:
    below = path.removeprefix(start)
    return len([part for part in below.split("/") if part not in ("", ".")])


def _matches(patterns: Iterable[re.Pattern[str]], path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


@dataclass(frozen=True)
class DroppedNames:
    """Files whose names a `grep` drops between the program that lists them and their reader."""

    lister: TreeFilter
    patterns: tuple["DroppingPattern", ...]

    def skips_folder(self, path: str) -> bool:
        """Return whether nothing below a folder is listed."""
        return self.lister.skips_folder(path)

    def reads(self, path: str) -> bool:
        """Return whether a file may be listed and is not dropped."""
        return self.lister.reads(path) and not any(each.drops(path) for each in self.patterns)

    def takes_in(self, path: str) -> bool:
        """Return whether an option names the file or folder."""
        return self.lister.takes_in(path)


@dataclass(frozen=True)
class DroppingPattern:
    """What a `grep` searches for in the names."""

    pattern: re.Pattern[str]
    drops_matches: bool
    """Whether it is a `grep -v`; else it drops what does not match."""

    def drops(self, path: str) -> bool:
        """Return whether a name does not get through."""
        return bool(self.pattern.search(path)) is self.drops_matches


def parse_dropped(arguments: Sequence[str]) -> DroppingPattern | None:
    """Return which names the arguments of a `grep` drop; None if that is not understood."""
    options = [word for word in arguments if word.startswith("-")]
    patterns = [word for word in arguments if not word.startswith("-")]
    letters = set("".join(options)) - {"-"}
    if not all(re.fullmatch(r"-[vEi]+", word) for word in options) or len(patterns) != 1:
        return None
    pattern = patterns[0]
    if "E" in letters:
        grouped = re.fullmatch(r"([^()|]*)\(([^()]+)\)([^()|]*)", pattern)
        before, inside, after = grouped.groups() if grouped else ("", pattern, "")
        choices = [before + choice + after for choice in inside.split("|")]
    else:
        choices = re.split(r"\\\|", pattern)
    if not all(map(_PLAIN_REGEX.fullmatch, choices)):
        return None
    flags = re.IGNORECASE if "i" in letters else 0
    return DroppingPattern(re.compile("|".join(choices), flags), "v" in letters)


@dataclass(frozen=True)
class LeftOut:
    """How a program's option leaves files out."""

    manner: Manner
    kind: Kind = "both"
    crosses: bool = False
    """Whether `*` matches a slash."""
    folds: bool = False
    strips: bool = True
    """Whether a slash at the end is not part of the name."""

    def compile(self, pattern: str) -> list[tuple[Kind, re.Pattern[str]]]:
        """Return what the pattern leaves out; empty if it is not understood."""
        if self.manner == "gitignore" and (braces := _BRACES.fullmatch(pattern)):
            before, inside, after = braces.groups()
            parts = [self.compile(before + part + after) for part in inside.split(",")]
            return [each for part in parts for each in part]
        kind: Kind = self.kind
        if pattern.endswith("/"):
            if kind == "files" or self.manner == "tail" or pattern == "/" or not self.strips:
                return []
            pattern, kind = pattern.rstrip("/"), "folders"
        if not PLAIN.fullmatch(pattern) or (self.manner == "name" and "/" in pattern):
            return []
        flags = re.IGNORECASE if self.folds else 0
        compiled: list[tuple[Kind, re.Pattern[str]]] = [
            (kind, _translate(pattern, self.manner, flags, crosses=self.crosses))
        ]
        if self.crosses and pattern.endswith("/*"):  # so that all below the folder is passed
            whole = _translate(pattern[:-2], self.manner, flags, crosses=True)
            compiled.append(("folders", whole))
        return compiled


def compile_inclusion(pattern: str, manner: Manner) -> re.Pattern[str]:
    """Return what a pattern takes in, in any case and at any depth."""
    braces = _BRACES.fullmatch(pattern) if manner == "gitignore" else None
    if braces and all(map(PLAIN.fullmatch, filter(None, braces.groups()))):
        before, inside, after = braces.groups()
        parts = (compile_inclusion(before + part + after, manner) for part in inside.split(","))
        return re.compile(
            "|".join(f"(?:{part.pattern})" for part in parts), re.IGNORECASE | re.DOTALL
        )
    literal = re.sub(r"[{}]", "", pattern) if manner == "name" else pattern  # grep expands none
    if not PLAIN.fullmatch(literal):
        return re.compile(".*", re.DOTALL)
    return _translate(pattern.rstrip("/"), manner, re.IGNORECASE, crosses=True)


def translate_part(part: str) -> str:
    """Return the regular expression of a set of characters, or of plain text."""
    return part if part.startswith("[") and part.endswith("]") else re.escape(part)


def _translate(pattern: str, manner: Manner, flags: int, *, crosses: bool) -> re.Pattern[str]:
    is_whole = manner == "path" or (manner == "transfer" and pattern.startswith("/"))
    if manner == "gitignore":
        is_whole = "/" in pattern
    pattern = pattern.removeprefix("/") if manner in ("gitignore", "transfer") else pattern
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": ".*" if crosses else "[^/]*", "?": "[^/]"}
    regex = "".join(signs.get(part) or translate_part(part) for part in _SIGNS.split(pattern))
    return re.compile(regex if is_whole else f"(?:.*/)?{regex}", flags | re.DOTALL)
