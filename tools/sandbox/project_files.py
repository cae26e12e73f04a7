"""What a project holds that a command must not read, or must not write.

The whole tree is looked at before each command, as files come and go. What cannot be looked at in
full is refused: an unseen secret would be a readable one.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from ...config.spellings import simplest
from ..protected import protected_name
from ..result import ToolRefusal
from ..workspace import Workspace

MOST_ENTRIES = 1_000_000
MOST_FOUND = 1_000
"""Secrets and protected names; each is a mount, and their cost is quadratic."""
_OF_OTHERS = frozenset(["node_modules", "site-packages", "dist-packages"])
"""Installed packages: what steers tools in them steers nobody here."""
_PUBLIC = frozenset(["cacert.pem", "roots.pem"])
"""Whom installed packages trust in the network: no secrets, and whatever may ask it reads them."""
_TOO_MANY = (
    "the sandbox cannot guard this project: it has over {count:,} {what}. A command can be called "
    "with `outside_sandbox: true`, which the user is asked; or let the user open a smaller folder"
)


@dataclass
class ProjectFiles:
    """Real paths in the project."""

    secret_files: list[Path] = field(default_factory=list[Path])
    secret_folders: list[Path] = field(default_factory=list[Path])
    protected: list[Path] = field(default_factory=list[Path])
    git: list[Path] = field(default_factory=list[Path])
    """The `.git` of every repository."""

    @property
    def count(self) -> int:
        """How many there are in all."""
        of_secrets = len(self.secret_files) + len(self.secret_folders)
        return of_secrets + len(self.protected) + len(self.git)


def look(workspace: Workspace) -> ProjectFiles:
    """What is there now; raises ToolRefusal where it is too much."""
    found, seen = ProjectFiles(), 0
    root = str(workspace.root)
    folders = [(root, False)]
    might_be_secret = _last_names(workspace.ignore).match
    while folders:
        folder, of_others = folders.pop()
        try:
            entries = list(os.scandir(folder))
        except PermissionError:  # the command could make it readable, so nobody sees it
            found.secret_folders.append(Path(folder))
            continue
        except OSError:  # gone meanwhile
            continue
        seen += len(entries)
        if seen > MOST_ENTRIES:
            raise ToolRefusal(_TOO_MANY.format(count=MOST_ENTRIES, what="files"))
        for entry in entries:
            name = simplest(entry.name)
            if of_others and name in _PUBLIC:
                continue
            if might_be_secret(name) and _is_secret(workspace, entry):
                _add_secret(workspace, found, entry)
            elif name == ".git":
                found.git.append(Path(entry.path))
            elif not of_others and _steers("" if folder == root else folder, entry.name):
                _add_protected(workspace, found, entry)
            elif entry.is_dir(follow_symlinks=False):
                folders.append((entry.path, of_others or name in _OF_OTHERS))
        if found.count > MOST_FOUND:
            raise ToolRefusal(_TOO_MANY.format(count=MOST_FOUND, what="secret or protected files"))
    return found


@lru_cache(maxsize=16)
def _last_names(patterns: Iterable[str]) -> re.Pattern[str]:
    """Meets whatever could be the last name of a path that the patterns hide: a quick first look.

    A path is met as soon as its own name is; the names above it have been looked at before.
    """
    last = (pattern.rstrip("/").removesuffix("/**").rpartition("/")[2] for pattern in patterns)
    names = {"*" if "\\" in name or "**" in name else name.lower() for name in last}
    return re.compile("|".join(translate(name) for name in names))


def _is_secret(workspace: Workspace, entry: os.DirEntry[str]) -> bool:
    return workspace.ignores(workspace.relative(Path(entry.path)))


def _add_secret(workspace: Workspace, found: ProjectFiles, entry: os.DirEntry[str]) -> None:
    """Hide it; of a link what it leads to, unless that can be read by a name of its own."""
    path = Path(entry.path)
    if entry.is_symlink():
        path = Path(os.path.realpath(path))
        if workspace.root.is_relative_to(path) or path.is_relative_to(workspace.root):
            return
    if path.is_dir():
        found.secret_folders.append(path)
    elif path.exists():
        found.secret_files.append(path)


def _add_protected(workspace: Workspace, found: ProjectFiles, entry: os.DirEntry[str]) -> None:
    """What it really is, if that is in the project: a link says what its target says."""
    real = Path(os.path.realpath(entry.path))
    if os.path.exists(real) and workspace.root in real.parents:
        found.protected.append(real)


def _steers(folder: str, name: str) -> bool:
    return _is_protected(os.path.basename(folder), name)


@lru_cache(maxsize=100_000)
def _is_protected(folder: str, name: str) -> bool:
    """Whether a name steers tools, by itself or because of the folder right above it."""
    return bool(protected_name(f"{folder}/{name}"))
