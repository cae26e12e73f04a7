"""The flags that a program may be given, and its other words told apart from them.

Only flags on the list pass, spelled as on the list: what an abbreviation, a bundle or a value
given in an unusual way would mean is never guessed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([kKMGTPEZY]i?)?[bB]?")


def one_of(names: str) -> frozenset[str]:
    """The names in a list that spaces divide."""
    return frozenset(names.split())


class NotReadOnly(Exception):
    """Says why a command is not known to only read, in words for people."""


@dataclass(frozen=True)
class Parsed:
    """The words after a program's name, told apart."""

    given: Mapping[str, tuple[str, ...]]
    """Each flag, with the values it was given; a flag without one has an empty value."""
    operands: tuple[str, ...]
    after_dashes: tuple[str, ...] | None = None
    """The operands that stand after `--`, when there is one; they are among the operands too."""

    def has(self, *flags: str) -> bool:
        """Whether any of these flags was given."""
        return any(flag in self.given for flag in flags)

    def values(self, *flags: str) -> list[str]:
        """What these flags were given."""
        return [value for flag in flags for value in self.given.get(flag, ())]


@dataclass(frozen=True)
class Flags:
    """What a program's flags are, read from a line such as `-a -n=N --color=?`.

    `=` takes a value, `=N` a number, `=F` a file, `=A` one that stands apart, `=?` may have one
    attached; `-NUM` stands for a number written as a flag.
    """

    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    """Flag → what comes after it: nothing, or `=` and the kind of its value."""

    @classmethod
    def of(cls, usage: str) -> "Flags":
        """Read a list of flags."""
        return cls({word: f"{equals}{kind}" for word, equals, kind in map(_entry, usage.split())})

    def parse(self, program: str, words: Sequence[str]) -> Parsed:
        """Tell flags and operands apart; raises NotReadOnly for whatever is not on the list."""
        given: dict[str, tuple[str, ...]] = {}
        operands: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "--":
                return Parsed(given, (*operands, *rest), tuple(rest))
            if word == "-" or not word.startswith("-"):
                operands.append(word)
            elif "-NUM" in self.kinds and word[1:].isdecimal():
                given["-NUM"] = (word[1:],)
            else:
                for flag, value in self._read(program, word, rest):
                    given[flag] = (*given.get(flag, ()), value)
        return Parsed(given, tuple(operands))

    def _read(self, program: str, word: str, rest: list[str]) -> list[tuple[str, str]]:
        if word.startswith("--") or word in self.kinds:
            return [self._whole(program, word, rest)]
        found: list[tuple[str, str]] = []
        letters = word[1:]
        while letters:
            flag, letters = f"-{letters[0]}", letters[1:]
            kind = self._kind(program, flag)
            value = ""
            if kind == "=A" and letters:
                raise NotReadOnly(f"what `{program} {word}` means is not known")
            if kind == "=?" or (kind and letters):
                value, letters = letters, ""
            elif kind:
                value = _next(program, flag, rest)
            found.append((flag, _checked(program, flag, kind, value)))
        return found

    def _whole(self, program: str, word: str, rest: list[str]) -> tuple[str, str]:
        flag, equals, value = word.partition("=")
        kind = self._kind(program, flag)
        if equals and not kind:
            raise NotReadOnly(f"`{program} {flag}` takes no value that is known to be harmless")
        if kind and kind != "=?" and not equals:
            value = _next(program, flag, rest)
        return flag, _checked(program, flag, kind, value)

    def _kind(self, program: str, flag: str) -> str:
        if flag not in self.kinds:
            raise NotReadOnly(f"`{program} {flag}` is not known to only read")
        return self.kinds[flag]


def _entry(word: str) -> tuple[str, str, str]:
    return word.partition("=")


def _next(program: str, flag: str, rest: list[str]) -> str:
    if not rest:
        raise NotReadOnly(f"`{program} {flag}` lacks its value")
    return rest.pop(0)


def _checked(program: str, flag: str, kind: str, value: str) -> str:
    if kind == "=N" and not _NUMBER.fullmatch(value):
        raise NotReadOnly(f"`{program} {flag}` takes a number, not `{value}`")
    return value
