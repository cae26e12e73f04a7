"""Parser for a program's flags and operands.

Only flags on the list are accepted, spelled as on the list. Abbreviations, bundles and values in an
unusual form are never guessed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....config.text import text

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([kKMGTPEZY]i?)?[bB]?")


def split_names(names: str) -> frozenset[str]:
    """Split a list of names separated by spaces."""
    return frozenset(names.split())


class NotReadOnlyError(Exception):
    """A command is not known to only read; the message gives the reason for the user."""


@dataclass(frozen=True)
class ParsedArguments:
    """The words after a program's name, split into flags and operands."""

    flag_values: Mapping[str, tuple[str, ...]]
    """Each flag with its values; a flag without a value has an empty one."""
    operands: tuple[str, ...]
    after_dashes: tuple[str, ...] | None = None
    """The operands after `--`, if there is one; they are also among the operands."""
    entries: tuple[tuple[str, str], ...] = ()
    """Each flag or operand in its order, with its value; an operand has no flag."""

    def has_any(self, *flags: str) -> bool:
        """Return whether any of these flags was given."""
        return any(flag in self.flag_values for flag in flags)

    def get_values(self, *flags: str) -> list[str]:
        """Return the values of these flags."""
        return [value for flag in flags for value in self.flag_values.get(flag, ())]


@dataclass(frozen=True)
class Flags:
    """The flags of a program, parsed from a line such as `-a -n=N --color=?`.

    `=` takes a value, `=N` a number, `=F` a file, `=A` a value in a separate word, `=?` an optional
    attached value; `-NUM` is a number written as a flag.
    """

    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    """Flag → what follows it: nothing, or `=` and the kind of its value."""

    @classmethod
    def from_usage(cls, usage: str) -> "Flags":
        """Parse a list of flags."""
        return cls(
            {word: f"{equals}{kind}" for word, equals, kind in map(_split_entry, usage.split())}
        )

    def parse(self, program: str, words: Sequence[str]) -> ParsedArguments:
        """Split words into flags and operands; raises NotReadOnlyError for unknown flags."""
        flags: dict[str, tuple[str, ...]] = {}
        entries: list[tuple[str, str]] = []
        rest, after = list(words), None
        while rest:
            word = rest.pop(0)
            if word == "--":
                after, rest = tuple(rest), []
                entries += (("", operand) for operand in after)
            elif word == "-" or not word.startswith("-"):
                entries.append(("", word))
            elif "-NUM" in self.kinds and word[1:].isdecimal():
                flags["-NUM"] = (word[1:],)
            else:
                read = self._read_flags(program, word, rest)
                entries += read
                for flag, value in read:
                    flags[flag] = (*flags.get(flag, ()), value)
        operands = tuple(word for flag, word in entries if not flag)
        return ParsedArguments(flags, operands, after, tuple(entries))

    def _read_flags(self, program: str, word: str, rest: list[str]) -> list[tuple[str, str]]:
        if word.startswith("--") or word in self.kinds:
            return [self._read_whole_flag(program, word, rest)]
        flags: list[tuple[str, str]] = []
        letters = word[1:]
        while letters:
            flag, letters = f"-{letters[0]}", letters[1:]
            kind = self._get_kind(program, flag)
            value = ""
            if kind == "=A" and letters:
                raise NotReadOnlyError(
                    text("unknown option: `{program} {argument}`", program=program, argument=word)
                )
            if kind == "=?" or (kind and letters):
                value, letters = letters, ""
            elif kind:
                value = _take_value(program, flag, rest)
            flags.append((flag, _check_value(program, flag, kind, value)))
        return flags

    def _read_whole_flag(self, program: str, word: str, rest: list[str]) -> tuple[str, str]:
        flag, equals, value = word.partition("=")
        kind = self._get_kind(program, flag)
        if equals and not kind:
            raise NotReadOnlyError(
                text(
                    "`{program} {flag}` with a value may change files",
                    program=program,
                    flag=flag,
                )
            )
        if kind and kind != "=?" and not equals:
            value = _take_value(program, flag, rest)
        return flag, _check_value(program, flag, kind, value)

    def _get_kind(self, program: str, flag: str) -> str:
        if flag not in self.kinds:
            raise NotReadOnlyError(
                text("`{program} {flag}` may change files", program=program, flag=flag)
            )
        return self.kinds[flag]


def _split_entry(word: str) -> tuple[str, str, str]:
    return word.partition("=")


def _take_value(program: str, flag: str, rest: list[str]) -> str:
    if not rest:
        raise NotReadOnlyError(text("`{program} {flag}` needs a value", program=program, flag=flag))
    return rest.pop(0)


def _check_value(program: str, flag: str, kind: str, value: str) -> str:
    if kind == "=N" and not _NUMBER.fullmatch(value):
        raise NotReadOnlyError(
            text(
                "`{program} {flag}` takes a number, not `{value}`",
                program=program,
                flag=flag,
                value=value,
            )
        )
    return value
