"""A place where every file may be named: to ask what a program does, whatever it is given."""

import os
from dataclasses import dataclass
from pathlib import Path

from .path_scope import PathScope
from .tree_access import TraversalOptions


@dataclass(frozen=True)
class UnrestrictedScope(PathScope):
    """The folder in which a command runs, as if all that it names were the project's."""

    def check_path(self, word: str) -> Path:
        """The real file that a word names."""
        return self.resolve_inside(word)

    def resolve_inside(self, word: str) -> Path:
        """The real place that a word names."""
        return Path(os.path.realpath(self.folder / word))

    def check_tree(self, word: str, manner: TraversalOptions) -> None:
        """A program may meet whatever is there."""
