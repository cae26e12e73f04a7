"""Patterns of files, as in .gitignore and relative to the project: `src/**`, `docs/*`, `*.md`.

With two leading slashes they are absolute: `//home/me/project/notes.md`.

A deny rule matches loosely: a pattern that matches a folder matches everything below it, as it is
written or without regard to case. An allow rule matches strictly: it must match the file itself,
both by its given name and by its real path.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ...config.security.path_variants import fold_name, is_plain, list_variants
from ..glob_pattern import compile_glob
from ..result import ToolError
from .subject import Subject

EVERYTHING = frozenset(["**", "/**", "./**", ".", "./", "/"])


@dataclass(frozen=True)
class PathPattern:
    """Files of the project."""

    matches: Callable[[str], bool]
    matches_folded: Callable[[str], bool]
    is_absolute: bool = False

    def matches_loosely(self, file: Subject) -> bool:
        """Return whether one of the file's names, or a folder above it, matches."""
        names = self._get_names(file)
        # `[!a-z]` matches `A`, of which the folded name is `a`
        return any(map(self.matches_folded, _expand_names(names))) or any(
            self.matches(above) for name in names for above in _with_folders(name)
        )

    def matches_entry(self, file: Subject) -> bool:
        """Return what `matches_loosely` does for a file in a folder that does not match."""
        names = self._get_names(file)
        if not all(map(is_plain, names)):
            return self.matches_loosely(file)
        return any(self.matches(name) or self.matches_folded(name.lower()) for name in names)

    def matches_strictly(self, file: Subject) -> bool:
        """Return whether each of the file's names matches."""
        return bool(file.names) and all(map(self.matches, self._get_names(file)))

    def _get_names(self, file: Subject) -> tuple[str, ...]:
        if not self.is_absolute:
            return file.names
        return tuple(f"{file.folder}/{name}".lstrip("/") for name in file.names)


def parse_path_pattern(text: str) -> PathPattern:
    """Parse a pattern; raises ValueError for one that cannot match in the project."""
    if text.startswith(("!", "~", "///")) or text == "//":
        raise ValueError("file patterns are relative to the project, such as `src/**`")
    if text in EVERYTHING:
        return PathPattern(lambda name: True, lambda name: True)
    is_absolute = text.startswith("//")
    text = text[1:] if is_absolute else text
    try:
        return PathPattern(
            compile_glob(text), compile_glob(fold_name(text), loosely=True), is_absolute
        )
    except ToolError as refusal:
        raise ValueError(str(refusal)) from refusal


@lru_cache(maxsize=64)
def _expand_names(names: tuple[str, ...]) -> frozenset[str]:
    """Return the names in every spelling, and those of the folders above."""
    spelled = {spelling for name in names for spelling in list_variants(name)}
    return frozenset(above for name in spelled for above in _with_folders(name))


def _with_folders(name: str) -> list[str]:
    ends = [place for place, letter in enumerate(name) if letter == "/"]
    return [name[:end] for end in [*ends, len(name)]]
