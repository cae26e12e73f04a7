"""Secret files that a recursive program would reach."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from ....config.text import text
from ..parsing.flags import NotReadOnlyError

# Most files and folders that are checked
MAX_ENTRIES = 20_000


def _skip_none(path: Path) -> bool:
    return False


@dataclass(frozen=True)
class TraversalOptions:
    """How a program walks a folder."""

    reads: Callable[[str], bool]
    """Whether the program reads files of a name."""
    skips: Callable[[Path], bool] = _skip_none
    """Whether the program skips a file or folder."""
    follows_links: bool = False


def walk_files(top: Path, manner: TraversalOptions) -> Iterator["os.DirEntry[str]"]:
    """Yield the files that would be read, and the links that would be followed.

    Yields the system's own entries: to make a path of each name takes longer than everything else.
    """
    left, folders = MAX_ENTRIES, [str(top)]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:  # a file, missing, or not readable
            continue
        left -= len(entries)
        if left < 0:
            raise NotReadOnlyError("too many files to check for secrets")
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not manner.skips(Path(entry.path)):
                    folders.append(entry.path)
            elif entry.is_symlink():
                if manner.follows_links:
                    yield entry
            elif manner.reads(entry.name):
                yield entry


@dataclass(frozen=True)
class RipgrepIgnore:
    """Files that ripgrep skips by default: names with a dot, and those in ignore files.

    A name that one ignore file includes counts as included, even if other files exclude it.
    """

    root: Path
    includes: Callable[[str], bool]
    """Whether a name is included although another pattern excludes it."""
    _specs: dict[Path, Sequence[GitIgnoreSpec]] = field(
        default_factory=dict[Path, Sequence[GitIgnoreSpec]], init=False
    )

    def __call__(self, path: Path) -> bool:
        """Return whether ripgrep skips a file or folder."""
        if self.includes(path.name):
            return False
        folders = [self.root, *(at for at in path.parents if at.is_relative_to(self.root))]
        slash = "/" if path.is_dir() else ""
        verdicts = {
            spec.check_file(f"{path.relative_to(folder)}{slash}").include
            for folder in set(folders)
            for spec in self._load_specs(folder)
        }
        return False not in verdicts and (True in verdicts or path.name.startswith("."))

    def _load_specs(self, folder: Path) -> Sequence[GitIgnoreSpec]:
        if folder not in self._specs:
            of_git = [".gitignore", ".git/info/exclude"] if _is_in_git(self.root) else []
            names = [".ignore", ".rgignore", *of_git]
            paths = [folder / name for name in names if (folder / name).is_file()]
            self._specs[folder] = [_read_spec(path, path.stat().st_mtime_ns) for path in paths]
        return self._specs[folder]


def _is_in_git(folder: Path) -> bool:
    return any((at / ".git").exists() for at in (folder, *folder.parents))


@lru_cache(maxsize=100)
def _read_spec(path: Path, changed: int) -> GitIgnoreSpec:
    try:
        lines = path.read_text(errors="replace").splitlines()
        if not any("[[" in line for line in lines):  # pathspec would read it differently
            return GitIgnoreSpec.from_lines(lines)
    except (OSError, ValueError, re.error):
        pass
    raise NotReadOnlyError(text("the ignore rules in `{name}` cannot be read", name=path.name))
