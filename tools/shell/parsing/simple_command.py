"""One simple command with its words, redirections and input."""

from dataclasses import dataclass, replace
from pathlib import Path

from .shell_state import Word

_QUIET = ("/dev/null", "/dev/stdout", "/dev/stderr")


@dataclass(frozen=True)
class Feed:
    """What comes out of a command: its text where that is known, and the programs that made it."""

    text: str | None = None
    programs: tuple[str, ...] = ()


NOTHING = Feed()


@dataclass(frozen=True)
class Redirect:
    """A file that a command's input or output is bound to."""

    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        """Whether it makes, cuts or lengthens a file; `2>&1` and `/dev/null` do not."""
        if ">" not in self.operator or self.target.text in _QUIET:
            return False
        return self.operator != ">&" or not (
            self.target.text.isdigit() or self.target.text in ("-", "")
        )


@dataclass(frozen=True)
class SimpleCommand:
    """One command of the line, or a redirection that stands alone."""

    words: tuple[Word, ...]
    folder: Path | None
    """Where it runs; None where only a run would tell."""
    written: tuple[str, ...] = ()
    """The words as users' rules judge them: literal ones resolved, others as written."""
    literal: bool = True
    """Whether all of them are."""
    redirects: tuple[Redirect, ...] = ()
    feed: Feed = NOTHING
    """What stands on its input."""
    inner: tuple[str, ...] = ()
    """The programs of the substitutions in its words."""
    scripts: tuple[str, ...] = ()
    """What is known of the files that its words name: the line itself has written them."""
    fetched: str = ""
    """The word that names a file which the line itself has fetched from the network."""
    wrapped: bool = False
    """Whether it was found inside another command."""
    substituted: bool = False
    """Whether it stands in a substitution or function, so that its output may go anywhere."""
    left_in: Path | None = None
    """Where it runs instead where a `cd` before it fails; None where that cannot be."""
    code: bool = False
    """Whether it was only guessed from a text in a program's code."""

    @property
    def program(self) -> str:
        """The program's own name, without the folders before it."""
        if not self.words:
            return ""
        first = self.words[0]
        return (first.text if first.known else first.rest).rstrip("/").rsplit("/", 1)[-1]

    def to_inner_command(self, words: tuple[Word, ...], folder: Path | None) -> "SimpleCommand":
        """The step that this one runs in turn."""
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
        """The same step as a guess from a text in code."""
        return replace(self, code=True, wrapped=True)
