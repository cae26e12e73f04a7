"""Patterns of commands: `git diff:*` by its first words, `make test` exactly.

A deny rule matches loosely: a program in any folder, with any options before its first argument,
and a command that may expand to it; a lone program is denied with any arguments. An allow rule
matches strictly: the words must be equal.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from .subject import Subject

_PREFIX = re.compile(r"(.*?)(?::\*| \*)", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\\.", re.DOTALL)
_SHELL = re.compile(r"[;&|<>()$`\n]")
# Names of other agents' tools, in whose rules the words are the first ones of a command
_PREFIX_TOOLS = frozenset(["runshellcommand", "shell"])
# What else of git sends commits, and extensions with a `push` of their own
_PUSHING = ("send-pack", "http-push")
_WITH_PUSH = ("lfs", "subtree", "subrepo", "annex")
_EXPANDED = re.compile(r"[$`*?\[{~\\<(]")


@dataclass(frozen=True)
class CommandPattern:
    """The first words of a command, or all of them."""

    text: str
    words: tuple[str, ...]
    is_prefix: bool

    def matches_loosely(self, command: Subject) -> bool | None:
        """Return whether the command matches; None if it may match after expansion."""
        if not self.is_prefix and command.line == self.text:
            return True
        if not command.names:
            return False
        program, *arguments = (
            _split_git_program(command.names) if self.words[0] == "git" else command.names
        )
        same = _match_program(program, self.words[0], command.literal)
        if same is False:
            return False
        touched = self._match_arguments(arguments, command.literal)
        if touched is False and self.words[0] == "git" and _may_mean(arguments, self.words[1:]):
            return None
        return touched if same or touched is False else None

    def matches_strictly(self, command: Subject) -> bool:
        """Return whether the command certainly matches."""
        if not self.is_prefix:
            return command.line == self.text or command.names == self.words
        return command.literal and command.names[: len(self.words)] == self.words

    def _match_arguments(self, arguments: Sequence[str], literal: bool) -> bool | None:
        pattern_words = self.words[1:]
        if not self.is_prefix:
            return len(arguments) == len(pattern_words) and _match_words(
                arguments, pattern_words, literal
            )
        outcome: bool | None = False
        for at in _find_argument_starts(arguments) if pattern_words else (0,):
            if at + len(pattern_words) <= len(arguments):
                same = _match_words(arguments[at : at + len(pattern_words)], pattern_words, literal)
                outcome = True if outcome or same else None if None in (outcome, same) else False
        if not literal and outcome is False and _may_grow(arguments, pattern_words):
            return None
        return outcome


def parse_command_pattern(text: str) -> CommandPattern:
    """Parse a pattern; raises ValueError for one that could never match as intended."""
    shape = _PREFIX.fullmatch(text.strip())
    plain = (shape[1] if shape else text).strip()
    bare = _QUOTED.sub("", plain)
    if "*" in bare:
        raise ValueError("use `*` only at the end, as in `git diff:*`, or put it in quotes")
    if shape and _SHELL.search(bare):
        raise ValueError(
            "a rule with `:*` names one program and its first words, without operators"
        )
    words = tuple(shlex.split(plain))
    if not any(words):
        raise ValueError("it does not name a command")
    return CommandPattern(plain, words, bool(shape))


def widen_pattern(pattern: CommandPattern, tool: str) -> CommandPattern:
    """Return the pattern of a rule that denies or asks: of a lone program by its first word.

    So are all of a tool by whose name other agents mean the first words: `shell(git push)`.
    """
    is_foreign = re.sub("[_-]", "", tool).casefold() in _PREFIX_TOOLS
    is_plain = not _SHELL.search(_QUOTED.sub("", pattern.text))
    is_prefix = is_plain and (is_foreign or len(pattern.words) == 1)
    return replace(pattern, is_prefix=pattern.is_prefix or is_prefix)


def _split_git_program(names: Sequence[str]) -> Sequence[str]:
    """Return `git push` for `/usr/lib/git-core/git-push`."""
    name = PurePosixPath(names[0]).name
    return ["git", name.removeprefix("git-"), *names[1:]] if name.startswith("git-") else names


def _may_mean(arguments: Sequence[str], pattern_words: Sequence[str]) -> bool:
    """Return whether other words of git may be the rule's: an alias, or another way to push."""
    from ..shell.parsing.git_command import may_be_alias, split_git_command  # only for such rules

    if pattern_words[:1] == ("push",):
        subcommand, following = split_git_command(arguments)
        if subcommand in _PUSHING or (subcommand in _WITH_PUSH and "push" in following):
            return True
    return bool(pattern_words) and may_be_alias(arguments)


def _match_program(program: str, pattern_word: str, literal: bool) -> bool | None:
    """Match a program: `/bin/rm` is also `rm`, or even `RM`; a folder in a rule must match."""
    name = program if "/" in pattern_word else PurePosixPath(program).name
    if name.casefold() == pattern_word.casefold():
        return True
    return None if not literal and _EXPANDED.search(program) else False


def _match_words(words: Sequence[str], pattern_words: Sequence[str], literal: bool) -> bool | None:
    pairs = list(zip(words, pattern_words, strict=True))
    if all(word == other for word, other in pairs):
        return True
    may_be = not literal and all(
        word == other or _EXPANDED.search(word) is not None for word, other in pairs
    )
    return None if may_be else False


def _find_argument_starts(arguments: Sequence[str]) -> list[int]:
    """Return where a program's arguments may begin: after its options, which may take a value."""
    starts = [0]
    for at, word in enumerate(arguments):
        after_option = at > 0 and arguments[at - 1].startswith("-")
        if not (word.startswith("-") or after_option):
            break
        starts.append(at + 1)
    return starts


def _may_grow(arguments: Sequence[str], pattern_words: Sequence[str]) -> bool:
    """Return whether fewer words than the rule has may expand to more, as in `git $WORDS`."""
    first = next((at for at, word in enumerate(arguments) if _EXPANDED.search(word)), None)
    return first is not None and list(arguments[:first]) == list(pattern_words[:first])
