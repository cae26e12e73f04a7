"""What is known while a line is read from left to right: the folder, and what variables hold."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .expansion import TooMany, braces, glob
from .words import HOME_SIGN, Piece, is_pattern, masked, unmasked

_BLANKS = re.compile(r"[ \t\n]+")


@dataclass(frozen=True)
class Word:
    """One argument, as far as it is known before the line runs."""

    text: str
    known: bool = True
    """False: it holds something that only a run would tell, and stands as written."""
    rest: str = ""
    """Of an unknown word what is known of it: an unset variable is nothing."""
    pattern: str = ""
    """Of a file that a pattern met: the pattern."""


@dataclass
class Scope:
    """The state of a shell at one place of the line."""

    root: Path
    folder: Path | None
    """None: a folder that only a run would tell."""
    variables: dict[str, tuple[str, ...] | None] = field(
        default_factory=dict[str, tuple[str, ...] | None]
    )
    """The values that a variable may have; None: unknown."""
    files: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """What the line has written to files, by name; None: it came from the network."""
    left_in: Path | None = None
    """The folder that the shell is still in where a `cd` has failed; None where none can have."""
    made: set[str] = field(default_factory=set[str])
    """Folders that the line itself makes."""
    takes_unknown: bool = False
    """Whether `$1` and what follows may be anything, where no variable says what they are."""

    def copy(self) -> "Scope":
        """What a subshell begins with."""
        return replace(self, variables=dict(self.variables))

    def enter(self, name: str | None) -> None:
        """Change the folder; None is an unknown one."""
        before = self.left_in or self.folder
        known = self.folder is not None or (name or "").startswith("/")
        self.folder = None if name is None or not known else (self.folder or Path("/")) / name
        if self.folder:
            self.folder = Path(os.path.normpath(self.folder))
            exists = os.path.isdir(self.folder) or str(self.folder) in self.made
            self.left_in = None if exists else before

    def give(self, arguments: Sequence[str]) -> None:
        """Set `$0`, `$1` and what follows; what they were before is gone."""
        self.forget_arguments()
        self.takes_unknown = False
        for at, argument in enumerate(arguments):
            self.variables[str(at)] = (argument,)
        self.variables["@"] = self.variables["*"] = tuple(arguments[1:])

    def forget_arguments(self) -> None:
        """Forget `$1` and what follows, as a function does, or `shift`."""
        for name in [name for name in self.variables if name in ("@", "*") or name.isdecimal()]:
            del self.variables[name]
        self.takes_unknown = True

    def value(self, name: str) -> tuple[str, ...] | None:
        """What a variable may hold; None where nobody knows."""
        if name in self.variables:
            return self.variables[name]
        if name == "#":
            return None
        if name in ("@", "*") or re.fullmatch(r"[1-9]\d*", name):
            return None if self.takes_unknown else ("",)
        if name == "PWD":
            return (str(self.folder),) if self.folder else None
        known = {
            "HOME": str(Path.home()),
            "IFS": " ",
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
            "SHELL": "/bin/bash",
            "BASH": "/bin/bash",
            "0": "/bin/bash",
            "USER": Path.home().name,
        }.get(name)
        return None if known is None else (known,)


def expand(
    parts: Sequence[Piece], values: Sequence[Sequence[str] | None], scope: Scope
) -> list[Word]:
    """The words that one word becomes; `values` are those of its parts that are expansions."""
    return [word for draft in _drafts(parts, values) for word in draft.words(scope)]


@dataclass
class _Draft:
    """A word in the making: masked text, and the same without what is unknown."""

    text: str = ""
    rest: str = ""
    known: bool = True
    quoted: bool = False

    def add(self, masked_text: str, *, known: bool = True) -> None:
        self.text += masked_text
        self.rest += masked_text if known else ""
        self.known = self.known and known

    def words(self, scope: Scope) -> list[Word]:
        if not self.text and not self.quoted:
            return []
        try:
            words = [word for word in braces(self.text) if word or self.quoted]
            return [one for word in words for one in self._globbed(word, scope)]
        except TooMany:
            return [Word(unmasked(self.text), known=False, rest=unmasked(self.rest))]

    def _globbed(self, word: str, scope: Scope) -> list[Word]:
        filled = _tilde(word, scope)
        if filled is None or not self.known:
            rest = unmasked(self.rest) if filled else ""
            return [Word(unmasked(filled or word), known=False, rest=rest)]
        word = filled
        if not is_pattern(word):
            return [Word(unmasked(word))]
        if scope.folder is None and not word.startswith("/"):
            return [Word(unmasked(word), known=False, rest=unmasked(word))]
        names = glob(word, scope.folder or Path("/"))
        return [Word(name, pattern=unmasked(word)) for name in names] or [Word(unmasked(word))]


def _drafts(parts: Sequence[Piece], values: Sequence[Sequence[str] | None]) -> list[_Draft]:
    drafts, current = list[_Draft](), _Draft()
    for part, value in zip(parts, values, strict=True):
        current.quoted = current.quoted or part.quoted
        if not part.expansion and not part.variable:
            current.add(masked([part]))
        elif value is None:
            current.add(masked([Piece(part.text, True)]), known=False)
        else:
            fields = [one for text in value for one in _fields(text, part)]
            for at, one in enumerate(fields or [""]):
                if at:
                    drafts.append(current)
                    current = _Draft(quoted=part.quoted)
                current.add(masked([Piece(one, part.quoted)]))
    return [*drafts, current]


def _fields(value: str, part: Piece) -> list[str]:
    """A value is cut at blanks unless it stands in quotes."""
    return [value] if part.quoted else _BLANKS.split(value)


def _tilde(word: str, scope: Scope) -> str | None:
    """The word with its tilde filled in; None where only a run would tell what it stands for."""
    found = HOME_SIGN.match(word)
    if not found:
        return word
    before, name = found.groups()
    values = {"": scope.value("HOME"), "+": scope.value("PWD")}
    if name in values:
        named = (values[name] or ("",))[0]
    else:
        named = os.path.expanduser(f"~{name}") if re.fullmatch(r"[A-Za-z_][\w.-]*", name) else ""
    return before + masked([Piece(named, True)]) + word[found.end() :] if named else None
