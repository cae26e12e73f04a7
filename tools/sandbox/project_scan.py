"""What a project holds that a command must not read, or must not write.

The whole tree is looked at before each command, as files come and go. What cannot be looked at in
full is refused: an unseen secret would be a readable one.
"""

import os
import re
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from ...config.security.path_variants import to_canonical_path
from ...config.text import text
from ..protected_paths import find_protected_name
from ..result import ToolError
from ..workspace import Workspace

MOST_ENTRIES = 1_000_000
# Secrets and protected names; each is a mount, and their cost is quadratic
MOST_FOUND = 1_000
# Names of ordinary files, for each name of a folder
MOST_REMEMBERED = 10_000
# Installed packages: what steers tools in them steers nobody here
_OF_OTHERS = frozenset(["node_modules", "site-packages", "dist-packages"])
# Whom installed packages trust in the network: no secrets, and whatever may ask it reads them
_PUBLIC = frozenset(["cacert.pem", "roots.pem"])
_TOO_MANY = (
    "the sandbox cannot protect this project: it has over {count} {what}. To run a "
    "command anyway, set `outside_sandbox: true`; the user is asked. Or the user opens a "
    "smaller folder"
)


@dataclass
class GuardedFiles:
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


def scan_project(workspace: Workspace) -> GuardedFiles:
    """What is there now; raises ToolError where it is too much."""
    found, seen = GuardedFiles(), 0
    root = str(workspace.root)
    folders = [(root, False)]
    while folders:
        folder, of_others = folders.pop()
        entries = _list_entries(found, folder)
        seen += len(entries)
        if seen > MOST_ENTRIES:
            raise ToolError(text(_TOO_MANY, count=f"{MOST_ENTRIES:,}", what="files"))
        inside = "" if folder == root else os.path.basename(folder)
        ordinary = _get_ordinary_names(workspace.ignore, inside)
        for entry in entries:
            if entry.name not in ordinary:
                if _is_noted(workspace, found, entry, inside, of_others):
                    continue
                if len(ordinary) < MOST_REMEMBERED and _is_ordinary(workspace, entry, inside):
                    ordinary.add(entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append((entry.path, of_others or entry.name in _OF_OTHERS))
        if found.count > MOST_FOUND:
            what = "secret or protected files"
            raise ToolError(text(_TOO_MANY, count=f"{MOST_FOUND:,}", what=what))
    return found


def _list_entries(found: GuardedFiles, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return list(scan)
    except PermissionError:  # the command could make it readable, so nobody sees it
        found.secret_folders.append(Path(folder))
    except OSError:  # gone meanwhile
        pass
    return []


def _is_noted(
    workspace: Workspace,
    found: GuardedFiles,
    entry: os.DirEntry[str],
    inside: str,
    of_others: bool,
) -> bool:
    """Whether it is one of those looked for; what is below one is not looked at."""
    name = to_canonical_path(entry.name)
    if of_others and name in _PUBLIC:
        return True
    if _may_be_secret(workspace, name) and workspace.is_ignored(
        workspace.to_relative(Path(entry.path))
    ):
        _add_secret(workspace, found, entry)
    elif name == ".git":
        found.git.append(Path(entry.path))
    elif not of_others and find_protected_name(f"{inside}/{name}"):
        _add_protected(workspace, found, entry)
    else:
        return False
    return True


def _is_ordinary(workspace: Workspace, entry: os.DirEntry[str], inside: str) -> bool:
    """Whether nothing of that name, in any folder so named, can be one of those looked for."""
    name = to_canonical_path(entry.name)
    return not (_may_be_secret(workspace, name) or find_protected_name(f"{inside}/{name}"))


@lru_cache(maxsize=10_000)
def _get_ordinary_names(patterns: tuple[str, ...], inside: str) -> set[str]:
    """The names known to be ordinary in folders of that name, so that they are told at a glance."""
    return set()


def _may_be_secret(workspace: Workspace, name: str) -> bool:
    return _compile_last_names(workspace.ignore).match(name) is not None


@lru_cache(maxsize=16)
def _compile_last_names(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Meets whatever could be the last name of a path that the patterns hide: a quick first look.

    A path is met as soon as its own name is; the names above it have been looked at before.
    """
    last = (pattern.rstrip("/").removesuffix("/**").rpartition("/")[2] for pattern in patterns)
    names = {"*" if "\\" in name or "**" in name else name.lower() for name in last}
    return re.compile("|".join(translate(name) for name in names))


def _add_secret(workspace: Workspace, found: GuardedFiles, entry: os.DirEntry[str]) -> None:
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


def _add_protected(workspace: Workspace, found: GuardedFiles, entry: os.DirEntry[str]) -> None:
    """What it really is, if that is in the project: a link says what its target says."""
    real = Path(os.path.realpath(entry.path))
    if os.path.exists(real) and workspace.root in real.parents:
        found.protected.append(real)
