"""Where a command runs, and which files it may name there without a question."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...filesystem.hard_links import has_hidden_name
from ...git.repository import is_as_cloned
from ...workspace import Workspace
from ..parsing.flags import Flags, NotReadOnly, Parsed
from .tree_access import Manner, files_below

_ALWAYS_READABLE = ("-", "/dev/null")


@dataclass(frozen=True)
class Place:
    """The folder in which a command runs, in its project."""

    folder: Path
    workspace: Workspace

    def check(self, word: str) -> Path:
        """The real file or folder inside the project that a word names; it need not exist.

        Raises NotReadOnly for what is outside, sensitive, or neither a file nor a folder.
        """
        if word in _ALWAYS_READABLE:
            return Path(os.devnull)
        real = self.inside(word)
        if self.is_secret(Path(os.path.normpath(self.folder / word))) or self.is_secret(real):
            raise NotReadOnly(f"`{word}` is kept from every tool")
        try:
            found = real.stat()
        except OSError:  # what does not exist can do no harm
            return real
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise NotReadOnly(f"`{word}` is a pipe, device or socket")
        if stat.S_ISREG(found.st_mode) and has_hidden_name(
            self.workspace, self.workspace.relative(real), found
        ):
            raise NotReadOnly(f"`{word}` is another name of a file that is kept from every tool")
        return real

    def inside(self, word: str) -> Path:
        """The real place that a word names; raises NotReadOnly when it is outside the project."""
        real = Path(os.path.realpath(self.folder / word))
        if word.startswith("~") or not real.is_relative_to(self.workspace.root):
            raise NotReadOnly(f"`{word}` is outside the project")
        return real

    def is_secret(self, path: Path) -> bool:
        """Whether no tool may touch a path."""
        return self.workspace.ignores(str(path))

    def check_tree(self, word: str, manner: Manner) -> None:
        """Raises NotReadOnly when a program that goes through a folder would meet a secret."""
        for entry in files_below(self.check(word), manner):
            if entry.is_symlink():
                if self.check(entry.path).is_dir():
                    raise NotReadOnly(f"it would follow the link `{self._shown(entry.path)}`")
            elif self.workspace.ignores(entry.path) and not _is_passed(Path(entry.path), manner):
                found = self._shown(entry.path)
                raise NotReadOnly(f"it would read `{found}`, which is kept from every tool")

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self.workspace.root)

    def parse(self, program: str, flags: Flags, words: Sequence[str]) -> Parsed:
        """A program's words told apart, and the files that flags name checked."""
        parsed = flags.parse(program, words)
        for flag, kind in flags.kinds.items():
            if kind == "=F":
                for file in parsed.values(flag):
                    self.check(file)
        return parsed


def _is_passed(path: Path, manner: Manner) -> bool:
    """Left out, or a configuration of git with no secret in it, which each repository has."""
    return manner.skips(path) or (path.match(".git/config") and is_as_cloned(path))
