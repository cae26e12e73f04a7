"""One simple command with its words, redirections and input."""

from dataclasses import dataclass, replace
from pathlib import Path

from .shell_state import Word

_QUIET = ("/dev/null", "/dev/stdout", "/dev/stderr")


@dataclass(frozen=True)
class Feed:
    """The output of a command: its text if known, and the programs that wrote it."""

    text: str | None = None
    programs: tuple[str, ...] = ()


NOTHING = Feed()


@dataclass(frozen=True)
class Redirect:
    """A file that a command's input or output is redirected to."""

    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        """Whether it creates, truncates or extends a file; `2>&1` and `/dev/null` do not."""
        if ">" not in self.operator or self.target.text in _QUIET:
            return False
        return self.operator != ">&" or not (
            self.target.text.isdigit() or self.target.text in ("-", "")
        )


@dataclass(frozen=True)
class SimpleCommand:
    """One command of the line, or a redirection without a command."""

    words: tuple[Word, ...]
    folder: Path | None
    """The folder where it runs; None if it is known only at run time."""
    written: tuple[str, ...] = ()
    """The words for users' rules: literal ones resolved, others as written."""
    literal: bool = True
    """Whether all words are literal."""
    redirects: tuple[Redirect, ...] = ()
    feed: Feed = NOTHING
    """The command's input."""
    inner: tuple[str, ...] = ()
    """The programs of the substitutions in its words."""
    scripts: tuple[str, ...] = ()
    """The known contents of the files in its words, which the line itself has written."""
    fetched: str = ""
    """The word that names a file which the line itself has downloaded."""
    wrapped: bool = False
    """Whether another command contains it."""
    substituted: bool = False
    """Whether it is in a substitution or function, so that its output may go anywhere."""
    left_in: Path | None = None
    """The folder where it runs if a `cd` before it fails; None if that is impossible."""
    environment: tuple[tuple[str, str | None], ...] = ()
    """The variables that the line sets for git, with each possible value; None: unknown."""
    code: bool = False
    """Whether it is only a guess from a string in a program's code."""

    @property
    def program(self) -> str:
        """The program's name without the folders before it."""
        if not self.words:
            return ""
        first = self.words[0]
        return (first.text if first.known else first.rest).rstrip("/").rsplit("/", 1)[-1]

    def to_inner_command(self, words: tuple[Word, ...], folder: Path | None) -> "SimpleCommand":
        """Return the step that this step runs."""
        return replace(
            self,
            words=words,
            folder=folder,
            written=tuple(word.text for word in words),
            literal=all(word.known for word in words),
            redirects=(),
            wrapped=True,
        )

    def to_code_guess(self) -> "SimpleCommand":
        """Return the same step, marked as a guess from text in code."""
        return replace(self, code=True, wrapped=True)
