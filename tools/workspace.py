"""The project folder: which paths are inside it, and which of them tools may use."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..config.errors import UsageError
from ..config.paths import is_clone
from ..config.security.gitignore_match import filter_matches, matches_any, validate_patterns
from ..config.security.ignore_patterns import IGNORE_PATTERNS
from ..config.security.path_variants import list_variants
from .result import ToolError

MAX_NAME_BYTES = 255
# bytes; the limit of Linux
MAX_PATH_BYTES = 4096

# beginnings of foreign paths: a drive, a share, a URL
_FOREIGN = re.compile(r"[A-Za-z]:\\|\\\\|[A-Za-z][A-Za-z0-9+.-]*:/")


@dataclass(frozen=True)
class Workspace:
    """A project; every path that a model names goes through `resolve` before it is opened."""

    root: Path
    """Resolved on creation: absolute and without symbolic links."""
    ignore: tuple[str, ...] = IGNORE_PATTERNS
    """gitignore patterns, ignoring case, of files that no tool may read, list or write."""
    own: Path | None = None
    """MaxAgent's own folder, which no tool and no command may touch; absolute."""
    readable: tuple[Path, ...] = ()
    """Real folders outside the project that may be read but not written: those of skills, and
    those that an editor has open, too."""
    is_outside: bool = False
    """Whether it is such a folder; its files are named by their full path."""
    encodings: tuple[tuple[str, str], ...] = ()
    """gitignore patterns of files, each with the encoding that the user has set for them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(os.path.realpath(self.root)))
        try:
            validate_patterns(self.ignore)
        except (ValueError, re.error) as error:
            raise UsageError(
                f"`security.ignore_patterns` has a wrong pattern: {error}",
                hint="patterns are written as in .gitignore",
            ) from error

    def resolve(self, path: str) -> Path:
        """Resolve a path to a real one without links; it need not exist.

        Raises ToolError for a path outside the project, by `..` or by a link, in MaxAgent's own
        folder, or matched by the ignore patterns, under the given name or the real one.
        """
        _check_spelling(path)
        requested_path = os.path.normpath(os.path.join(self.root, path))
        name = self._to_project_name(requested_path)
        if name:  # existing or not
            self._check_name(name, path)
        real = self._resolve_name(requested_path)
        if real is None:
            raise ToolError(f"`{path}` is outside the project `{self.root}`; name a path inside it")
        self._check_name(real, path)
        return self.root / real

    def select_readable(self, path: str) -> "Workspace":
        """Return the workspace of a path to read: this one, or a readable folder outside it."""
        absolute_path = os.path.normpath(path) if os.path.isabs(path) else ""
        for folder in self.readable if absolute_path else ():
            if absolute_path == str(folder) or absolute_path.startswith(f"{folder}/"):
                if self.root.is_relative_to(folder) and self._to_project_name(absolute_path):
                    continue  # the project lies in that folder
                return Workspace(folder, self.ignore, is_outside=True)
        return self

    def find_encoding(self, name: str) -> str:
        """Find the encoding that a person has set for a file, or its project states."""
        encoding = self.find_set_encoding(name)
        if encoding or self.is_outside:
            return encoding
        from .encodings.project_statements import find_stated_encoding

        return find_stated_encoding(self.root, name)

    def find_set_encoding(self, name: str) -> str:
        """Find the encoding that the user's settings name for a file; mostly empty."""
        matching = (
            encoding
            for pattern, encoding in reversed(self.encodings)
            if matches_any((pattern,), name)
        )
        return next(matching, "")

    def to_shown(self, name: str) -> str:
        """Return a relative name as it is shown: a file outside the project by its full path."""
        return os.path.normpath(self.root / name) if self.is_outside else name

    def is_own(self, path: str) -> bool:
        """Return whether an absolute path is in MaxAgent's folder, by its given name or real path.

        Plans in it do not count: if the user's home is the project, they belong to the project.
        Neither does a worktree, or a clone of a thread of the queue, that is this workspace.
        """
        if self._is_worktree and self._to_project_name(path) is not None:
            return False
        return any(
            spelling.startswith(place) and not spelling.startswith(f"{place}plans/")
            for spelling in list_variants(f"{path}/")
            for place in self._own_places
        )

    @cached_property
    def _is_worktree(self) -> bool:
        if self.own is None:
            return False
        if is_clone(self.root, self.own):
            return True
        from ..memory.worktrees.record import find_worktree  # a light command needs none

        return find_worktree(self.root, self.own) is not None

    @cached_property
    def _own_places(self) -> tuple[str, ...]:
        named = (str(self.own), os.path.realpath(self.own)) if self.own else ()
        return tuple({spelling for place in named for spelling in list_variants(f"{place}/")})

    def to_relative(self, path: Path) -> str:
        """Make a path relative to the project's root, with `/`; `.` is the root itself."""
        return path.relative_to(self.root).as_posix()

    def is_hidden(self, path: Path) -> bool:
        """Return whether listings omit a path: a hidden name, or a link to one or to outside."""
        if self.is_hidden_name(self.to_relative(path)):
            return True
        return path.is_symlink() and self.find_link_target(path) is None

    def find_link_target(self, link: Path) -> str | None:
        """Find the target of a link, relative to the project; None if it is hidden."""
        target = self._resolve_name(str(link))
        return None if target is None or self.is_hidden_name(target) else target

    def is_hidden_name(self, name: str) -> bool:
        """Return whether a relative name is ignored, `.git` or MaxAgent's; follow no links."""
        own = self.is_own(os.path.join(self.root, name))
        return own or matches_any((*self.ignore, ".git"), name)

    def find_hidden_names(self, folder: str, names: Sequence[str]) -> set[str]:
        """Find the names in a folder that `is_hidden_name` hides."""
        hidden = filter_matches((*self.ignore, ".git"), folder, names)
        prefix = os.path.normpath(os.path.join(self.root, folder))
        near = [f"{variant}/".replace("//", "/") for variant in list_variants(prefix)]
        if any(
            own.startswith(variant) or variant.startswith(own)
            for own in self._own_places
            for variant in near
        ):
            hidden |= {name for name in names if self.is_own(os.path.join(prefix, name))}
        return hidden

    def is_ignored(self, name: str) -> bool:
        """Return whether a name, even outside the project, is ignored or MaxAgent's own."""
        place = os.path.normpath(os.path.join(self.root, name))
        matched = matches_any(self.ignore, self._to_project_name(place) or place.lstrip("/"))
        return matched or self.is_own(place)

    def _check_name(self, name: str, path: str) -> None:
        """Raise ToolError if no tool may access the path."""
        if matches_any(self.ignore, name):
            raise make_hidden_error(path)
        if self.is_own(os.path.normpath(self.root / name)):
            raise ToolError(
                f"`{path}` lies in MaxAgent's own folder: no tool may touch it. "
                "Go on without it, or ask the user for what you need from it"
            )

    def _to_project_name(self, path: str) -> str | None:
        """Make an absolute path relative to the project; None if it is outside."""
        root = str(self.root)
        if path == root:
            return "."
        inside = root if root.endswith("/") else f"{root}/"
        return path[len(inside) :] if path.startswith(inside) else None

    def _resolve_name(self, path: str) -> str | None:
        """Do the same after following links; None if a link cannot be followed, too."""
        try:
            real = os.path.realpath(path)
        except OSError:  # as another user's links in `/proc`
            return None
        return self._to_project_name(real) if _is_text(real) else None


def make_hidden_error(path: str) -> ToolError:
    # the same whether the file exists or not, so that it reveals nothing
    return ToolError(
        f"`{path}` matches the project's ignore patterns: no tool may touch it. "
        "Go on without it, or ask the user for what you need from it"
    )


def _check_spelling(path: str) -> None:
    if not path.strip():
        raise ToolError("the path is empty; `.` is the project's root")
    if "\0" in path or not _is_text(path):
        raise ToolError("the path contains a character that no file name can have")
    if path.startswith("~"):
        raise ToolError(
            f"`~` is not expanded in `{path}`; name a path inside the project "
            "(`./~name` for a file whose name begins so)"
        )
    if _FOREIGN.match(path) or ("\\" in path and ".." in re.split(r"[/\\]", path)):
        raise ToolError(
            f"`{path}` is not a path inside the project: it is written for another system, or as "
            "an address; name the file relative to the project, with `/` between folders"
        )
    sizes = [len(part.encode()) for part in path.split("/")]
    if max(sizes) > MAX_NAME_BYTES or sum(sizes) + len(sizes) > MAX_PATH_BYTES:
        raise ToolError("the path is too long; name an existing file, or choose a shorter name")


def _is_text(path: str) -> bool:
    """Return whether a name can be encoded as UTF-8, as models need."""
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False
