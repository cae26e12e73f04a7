"""Shell state during evaluation: the folder, files and variables."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path

from ...process.environment import TEMPORARY
from .expansion import ExpansionLimitError, expand_braces, expand_glob
from .words import HOME_SIGN, WordPart, is_pattern, mask_parts, strip_mask

_BLANKS = re.compile(r"[ \t\n]+")
# Most possible states that are told apart; of more, what they do not agree on is unknown
MAX_STATES = 16
# Most words that one word with several possible values becomes; with more it is unknown
MAX_CHOICES = 64


@dataclass(frozen=True)
class Word:
    """One argument, as far as it is known before the line runs."""

    text: str
    known: bool = True
    """False: a part is known only at run time, and is kept as written."""
    rest: str = ""
    """The known part of an unknown word: an unset variable is empty."""
    pattern: str = ""
    """The pattern, if the word is a file name that a pattern matched."""


@dataclass
class ShellState:
    """The state of a shell at one place in the line."""

    root: Path
    folder: Path | None
    """None: the folder is known only at run time."""
    variables: dict[str, tuple[str, ...] | None] = field(
        default_factory=dict[str, tuple[str, ...] | None]
    )
    """The possible values of each variable, or the elements of an array; None: unknown."""
    files: dict[str, str | None] = field(default_factory=dict[str, str | None], compare=False)
    """What the line has written to each file; None: the content came from the network."""
    left_in: Path | None = None
    """The folder of the shell if a `cd` has failed; None if none can have failed."""
    previous: str | None = None
    """The folder before the last `cd`; None if it is unknown."""
    stack: tuple[str | None, ...] = ()
    """The folders that `pushd` has left, the last one first."""
    made: set[str] = field(default_factory=set[str], compare=False)
    """Folders that the line itself creates."""
    takes_unknown: bool = False
    """Whether `$1` and the following arguments are unknown if no variable holds them."""

    others: "list[ShellState]" = field(default_factory=list["ShellState"], compare=False)
    """The states that are possible beside this one, since not all of the line may have run."""

    def copy(self) -> "ShellState":
        """Return the initial state of a subshell."""
        return replace(self, variables=dict(self.variables), others=[])

    def list_states(self) -> "list[ShellState]":
        """Return all possible states, each alone; a change of one leaves the others as they are."""
        return [state.copy_whole() for state in (self, *self.others)]

    def copy_whole(self) -> "ShellState":
        """Return a state of its own, without the others."""
        return replace(self.copy(), files=dict(self.files), made=set(self.made))

    def resume(self, states: "Sequence[ShellState]") -> None:
        """Go on from these states; from where it is if there are none."""
        distinct = list[ShellState]()
        for state in map(ShellState.copy_whole, states):
            if state in distinct:
                distinct[distinct.index(state)].add_files(state)
            else:
                distinct.append(state)
        if len(distinct) > MAX_STATES:
            distinct = [_merge_states(distinct)]
        if distinct:
            first, *self.others = distinct
            self.folder, self.left_in, self.variables = first.folder, first.left_in, first.variables
            self.previous, self.stack = first.previous, first.stack
            self.files, self.made, self.takes_unknown = first.files, first.made, first.takes_unknown

    def add_files(self, other: "ShellState") -> None:
        """Note what another state has written; a folder counts as made if both have made it."""
        contents = {**self.files, **other.files}
        unknown = {
            name for files in (self.files, other.files) for name in files if files[name] is None
        }
        self.files = {**contents, **dict.fromkeys(unknown)}
        self.made &= other.made

    def change_folder(self, name: str | None) -> None:
        """Change the folder; None is an unknown folder."""
        before = self.left_in or self.folder
        is_known = self.folder is not None or (name or "").startswith("/")
        self.folder = None if name is None or not is_known else (self.folder or Path("/")) / name
        if self.folder:
            self.folder = Path(os.path.normpath(self.folder))
            exists = os.path.isdir(self.folder) or str(self.folder) in self.made
            self.left_in = None if exists else before

    def set_arguments(self, words: Sequence[Word]) -> None:
        """Set `$1` and the following arguments; the old ones are lost. One unknown makes all so."""
        self.forget_arguments()
        if all(word.known for word in words):
            self.takes_unknown = False
            for number, word in enumerate(words, 1):
                self.variables[str(number)] = (word.text,)
            self.variables["@"] = self.variables["*"] = tuple(word.text for word in words)

    def end_call(self, before: "ShellState", local_names: Iterable[str]) -> "list[ShellState]":
        """Return the states after a function that ended in this one; its variables may be local."""
        self.forget_arguments()
        self.takes_unknown = before.takes_unknown
        self.variables |= {
            name: value for name, value in before.variables.items() if _is_argument(name)
        }
        restored = self.copy_whole()
        for name in local_names:
            if name in before.variables:
                restored.variables[name] = before.variables[name]
            else:
                restored.variables.pop(name, None)
        return [self, restored]

    def forget_arguments(self) -> None:
        """Forget `$1` and the following arguments, as a function or `shift` does."""
        for name in list(filter(_is_argument, self.variables)):
            del self.variables[name]
        self.takes_unknown = True

    def forget_variables(self) -> None:
        """Forget the value of each variable, as after code that is not known."""
        self.variables = dict.fromkeys(self.variables)

    def get_value(self, name: str) -> tuple[str, ...] | None:
        """Return the possible values of a variable; None if they are unknown."""
        if name in self.variables:
            return self.variables[name]
        if name == "#":
            return None
        if name in ("@", "*") or re.fullmatch(r"[1-9]\d*", name):
            return None if self.takes_unknown else ("",)
        if name == "PWD":
            return (str(self.folder),) if self.folder and not self.left_in else None
        if name == "USER" and name not in os.environ:  # a container's shell may set it
            return (Path.home().name, "")
        value = {
            "HOME": str(Path.home()),
            "IFS": " ",
            "TMPDIR": os.environ.get("TMPDIR", TEMPORARY),
            "USER": os.environ.get("USER"),
            "SHELL": "/bin/bash",
            "BASH": "/bin/bash",
            "0": "/bin/bash",
        }.get(name)
        return None if value is None else (value,)


def _is_argument(name: str) -> bool:
    return name in ("@", "*") or name.isdecimal() and name != "0"


def _merge_states(states: Sequence[ShellState]) -> ShellState:
    """Return one state in which all is unknown that these do not agree on."""
    merged, *others = states
    for state in others:
        merged.add_files(state)
        for name in {*merged.variables, *state.variables}:
            if merged.get_value(name) != state.get_value(name):
                merged.variables[name] = None
        merged.folder = merged.folder if merged.folder == state.folder else None
        merged.left_in = merged.left_in or state.left_in
        merged.previous = merged.previous if merged.previous == state.previous else None
        merged.stack = merged.stack if merged.stack == state.stack else ()
        merged.takes_unknown |= state.takes_unknown
    return merged


def expand_parts(
    parts: Sequence[WordPart], values: Sequence[Sequence[str] | None], scope: ShellState
) -> list[Word]:
    """Expand one word into words; `values` are those of its parts that are expansions.

    Several values may be the elements of an array, of which the first follows what stands before
    it, or one of them is the value: then each has all that stands around it. Both are returned.
    """
    drafts = _build_drafts(parts, values)
    has_more = sum(bool(part.text or part.expansion or part.variable) for part in parts) > 1
    choices = [len(value) for value in values if value is not None and len(value) > 1]
    if choices and has_more and prod(choices) <= MAX_CHOICES:
        each = ([None] if value is None else [[item] for item in value] for value in values)
        drafts += [draft for choice in product(*each) for draft in _build_drafts(parts, choice)]
    elif choices and has_more:
        drafts = _build_drafts(parts, [None if value else value for value in values])
    return [word for draft in drafts for word in draft.build_words(scope)]


@dataclass
class _WordDraft:
    """A word under construction: masked text, and the same text without unknown parts."""

    text: str = ""
    rest: str = ""
    known: bool = True
    quoted: bool = False

    def append_text(self, masked_text: str, *, known: bool = True) -> None:
        self.text += masked_text
        self.rest += masked_text if known else ""
        self.known = self.known and known

    def build_words(self, scope: ShellState) -> list[Word]:
        if not self.text and not self.quoted:
            return []
        try:
            words = [word for word in expand_braces(self.text) if word or self.quoted]
            return [
                expanded_word
                for word in words
                for expanded_word in self._expand_pattern(word, scope)
            ]
        except ExpansionLimitError:
            return [Word(strip_mask(self.text), known=False, rest=strip_mask(self.rest))]

    def _expand_pattern(self, word: str, scope: ShellState) -> list[Word]:
        filled = _expand_tilde(word, scope)
        if filled is None or not self.known:
            rest = strip_mask(self.rest) if filled else ""
            return [Word(strip_mask(filled or word), known=False, rest=rest)]
        word = filled
        if not is_pattern(word):
            return [Word(strip_mask(word))]
        if scope.folder is None and not word.startswith("/"):
            return [Word(strip_mask(word), known=False, rest=strip_mask(word))]
        names = expand_glob(word, scope.folder or Path("/"))
        return [Word(name, pattern=strip_mask(word)) for name in names] or [Word(strip_mask(word))]


def _build_drafts(
    parts: Sequence[WordPart], values: Sequence[Sequence[str] | None]
) -> list[_WordDraft]:
    drafts, current = list[_WordDraft](), _WordDraft()
    for part, value in zip(parts, values, strict=True):
        current.quoted = current.quoted or part.quoted
        if not part.expansion and not part.variable:
            current.append_text(mask_parts([part]))
        elif value is None:
            current.append_text(mask_parts([WordPart(part.text, True)]), known=False)
        else:
            fields = [piece for text in value for piece in _split_fields(text, part)]
            for at, piece in enumerate(fields or [""]):
                if at:
                    drafts.append(current)
                    current = _WordDraft(quoted=part.quoted)
                current.append_text(mask_parts([WordPart(piece, part.quoted)]))
    return [*drafts, current]


def _split_fields(value: str, part: WordPart) -> list[str]:
    """Split a value at blanks unless it is quoted."""
    return [value] if part.quoted else _BLANKS.split(value)


def _expand_tilde(word: str, scope: ShellState) -> str | None:
    """Expand the tilde of a word; None if its value is known only at run time."""
    match = HOME_SIGN.match(word)
    if not match:
        return word
    before, name = match.groups()
    values = {"": scope.get_value("HOME"), "+": scope.get_value("PWD")}
    if name in values:
        named = (values[name] or ("",))[0]
    else:
        named = os.path.expanduser(f"~{name}") if re.fullmatch(r"[A-Za-z_][\w.-]*", name) else ""
    return before + mask_parts([WordPart(named, True)]) + word[match.end() :] if named else None
