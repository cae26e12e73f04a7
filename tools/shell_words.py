"""A shell command cut into words, roughly: good enough to ask sooner, never to allow more."""

import re
import shlex
from dataclasses import dataclass

_OPERATORS = ";&|()<>\n"
_PLAIN = re.compile(r"[\w ./:=@%+,'\"-]+", re.ASCII)
_PIECES = re.compile(r"[\s;&|<>()$`\"'\\=,:@{}\[\]]+")


@dataclass(frozen=True)
class ShellWords:
    """The words of a command line."""

    commands: tuple[tuple[str, ...], ...]
    """The words of each simple command, without quotes."""
    targets: tuple[str, ...]
    """The files that redirections name."""

    @property
    def words(self) -> tuple[str, ...]:
        """All words, and what stands behind `=`, `:` or `@` in them, as in `--file=NAME`."""
        whole = [*(word for command in self.commands for word in command), *self.targets]
        return tuple(part for word in whole for part in {word, *re.split(r"[=:@,]", word)} if part)


def split(command: str) -> ShellWords:
    """The words of each simple command in a line; a line that cannot be read is cut at blanks."""
    commands, targets = [list[str]()], list[str]()
    into = commands[-1]
    for token in _tokens(command):
        if not set(token) <= set(_OPERATORS):
            into.append(token)
            into = commands[-1]
        elif set(token) & set("<>"):
            into = targets
        else:
            into = list[str]()
            commands.append(into)
    return ShellWords(tuple(tuple(words) for words in commands if words), tuple(targets))


def pieces(command: str) -> set[str]:
    """Everything in the text that could be a name, also inside quotes and substitutions."""
    return set(_PIECES.split(command)) - {""}


def plain_words(command: str) -> list[str] | None:
    """The words of one simple command; None when there is anything that a shell would interpret."""
    if not _PLAIN.fullmatch(command):
        return None
    try:
        return shlex.split(command)
    except ValueError:
        return None


def _tokens(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("\\\n", ""), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return re.findall(r"[;&|()<>\n]+|[^\s;&|()<>]+", command)
