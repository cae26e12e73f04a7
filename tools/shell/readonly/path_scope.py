"""The folder of a command, and the files that it may read without a question."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....config.text import text
from ...filesystem.hard_links import has_hidden_name
from ...workspace import Workspace
from ..parsing.flags import Flags, NotReadOnlyError, ParsedArguments
from .git_repository import is_as_cloned
from .tree_access import TraversalOptions, walk_files

_ALWAYS_READABLE = ("-", "/dev/null")


@dataclass(frozen=True)
class PathScope:
    """The folder in which a command runs, in its project."""

    folder: Path
    workspace: Workspace

    def check_path(self, word: str) -> Path:
        """Return the real file or folder in the project that a word names; it need not exist.

        Raises NotReadOnlyError for a path that is outside, sensitive, or neither a file nor a
        folder.
        """
        if word in _ALWAYS_READABLE:
            return Path(os.devnull)
        real = self.resolve_inside(word)
        if self.is_secret(Path(os.path.normpath(self.folder / word))) or self.is_secret(real):
            raise NotReadOnlyError(text("tools may not read `{path}`", path=word))
        try:
            stat_result = real.stat()
        except OSError:  # a missing path is harmless
            return real
        if not (stat.S_ISREG(stat_result.st_mode) or stat.S_ISDIR(stat_result.st_mode)):
            raise NotReadOnlyError(text("`{path}` is a pipe, device or socket", path=word))
        if stat.S_ISREG(stat_result.st_mode) and has_hidden_name(
            self.workspace, self.workspace.to_relative(real), stat_result
        ):
            raise NotReadOnlyError(
                text("`{path}` is another name of a file that tools may not read", path=word)
            )
        return real

    def resolve_inside(self, word: str) -> Path:
        """Resolve a word; raises NotReadOnlyError outside the project."""
        real = Path(os.path.realpath(self.folder / word))
        if word.startswith("~") or not real.is_relative_to(self.workspace.root):
            raise NotReadOnlyError(text("`{path}` is outside the project", path=word))
        return real

    def is_secret(self, path: Path) -> bool:
        """Return whether no tool may access a path."""
        return self.workspace.is_ignored(str(path))

    def check_tree(self, word: str, manner: TraversalOptions) -> None:
        """Raise NotReadOnlyError if a program that walks a folder would reach a secret."""
        for entry in walk_files(self.check_path(word), manner):
            if entry.is_symlink():
                if self.check_path(entry.path).is_dir():
                    raise NotReadOnlyError(
                        text(
                            "it would follow the symlink `{path}`",
                            path=self._format_path(entry.path),
                        )
                    )
            elif self.workspace.is_ignored(entry.path) and not _is_passed(Path(entry.path), manner):
                path = self._format_path(entry.path)
                raise NotReadOnlyError(
                    text("it would read `{found}`, which tools may not read", found=path)
                )

    def _format_path(self, path: str) -> str:
        return os.path.relpath(path, self.workspace.root)

    def parse_words(self, program: str, flags: Flags, words: Sequence[str]) -> ParsedArguments:
        """Split a program's words into flags and operands, and check the files that flags name."""
        parsed = flags.parse(program, words)
        for flag, kind in flags.kinds.items():
            if kind == "=F":
                for file in parsed.get_values(flag):
                    self.check_path(file)
        return parsed


def _is_passed(path: Path, manner: TraversalOptions) -> bool:
    """Return whether to skip a path: excluded, or git's configuration without a secret."""
    return manner.skips(path) or (path.match(".git/config") and is_as_cloned(path))


@dataclass(frozen=True)
class UnrestrictedScope(PathScope):
    """The folder in which a command runs, as if every path were inside the project."""

    def check_path(self, word: str) -> Path:
        """Return the real file that a word names."""
        return self.resolve_inside(word)

    def resolve_inside(self, word: str) -> Path:
        """Return the real path that a word names."""
        return Path(os.path.realpath(self.folder / word))

    def check_tree(self, word: str, manner: TraversalOptions) -> None:
        """Accept any folder."""
