"""Scan of a project for files that a command must not read, or must not write.

The whole tree is scanned before each command, as files may appear at any time; of a folder whose
state is unchanged (`docs/decisions/0051`) and that had nothing to guard, the last scan holds. If
the scan cannot be complete, the command is denied: a secret that was not found would be readable.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ...config.security.path_variants import to_canonical_path
from ...config.text import text
from ..filesystem.state_cache import StateCache, find_local_device, read_state
from ..protected_paths import find_protected_name
from ..result import ToolError
from ..workspace import Workspace

MAX_ENTRIES = 1_000_000
# Most secrets and protected names; each is a mount, and their cost is quadratic
MAX_FOUND = 1_000
# Most cached names of ordinary files, for each folder name
MAX_CACHED = 10_000
# Folders whose last scan is kept
MAX_CACHED_ENTRIES = 200_000
# Installed packages: configuration files inside them affect no tool of the project
_OF_OTHERS = frozenset(["node_modules", "site-packages", "dist-packages"])
# Certificates that installed packages trust: not secret, and every network client reads them
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
        """The number of all paths."""
        of_secrets = len(self.secret_files) + len(self.secret_folders)
        return of_secrets + len(self.protected) + len(self.git)


class _FolderScan(NamedTuple):
    """What a folder holds; kept while it is unchanged if nothing in it is guarded."""

    size: int
    below: Sequence[tuple[str, bool]]
    """The folders in it, and whether they are of others."""
    is_plain: bool


_scans = StateCache[_FolderScan](MAX_CACHED_ENTRIES)


def scan_project(workspace: Workspace) -> GuardedFiles:
    """Scan the project; raises ToolError if it is too large."""
    guarded_files, seen = GuardedFiles(), 0
    device = find_local_device(workspace.root)
    folders = [(str(workspace.root), False)]
    while folders:
        scan = _scan_cached(workspace, guarded_files, *folders.pop(), device)
        seen += scan.size
        if seen > MAX_ENTRIES:
            raise ToolError(text(_TOO_MANY, count=f"{MAX_ENTRIES:,}", what="files"))
        folders += scan.below
        if guarded_files.count > MAX_FOUND:
            kind = "secret or protected files"
            raise ToolError(text(_TOO_MANY, count=f"{MAX_FOUND:,}", what=kind))
    return guarded_files


def _scan_cached(
    workspace: Workspace,
    guarded_files: GuardedFiles,
    folder: str,
    of_others: bool,
    device: int | None,
) -> _FolderScan:
    """Scan one folder, or return its last scan: a name that comes or goes changes its state."""
    key = (workspace.root, workspace.ignore, workspace.own, folder, of_others)
    state = read_state(folder) if device is not None else None
    if state and (scan := _scans.get(key, state)):
        return scan
    scan = _scan_folder(workspace, guarded_files, folder, of_others)
    if state and state.device == device and scan.is_plain and read_state(folder) == state:
        _scans.add(key, state, scan, 1 + len(scan.below))
    return scan


def _scan_folder(
    workspace: Workspace, guarded_files: GuardedFiles, folder: str, of_others: bool
) -> _FolderScan:
    before = guarded_files.count
    entries = _list_entries(guarded_files, folder)
    inside = "" if folder == str(workspace.root) else os.path.basename(folder)
    ordinary = _get_ordinary_names(workspace.ignore, inside)
    below, is_plain = list[tuple[str, bool]](), guarded_files.count == before
    for entry in entries:
        if entry.name not in ordinary:
            if _is_noted(workspace, guarded_files, entry, inside, of_others):
                is_plain = False  # also where it is a link, which may lead elsewhere next time
                continue
            if len(ordinary) < MAX_CACHED and _is_ordinary(workspace, entry, inside):
                ordinary.add(entry.name)
        if entry.is_dir(follow_symlinks=False):
            below.append((entry.path, of_others or entry.name in _OF_OTHERS))
    return _FolderScan(len(entries), below, is_plain)


def _list_entries(guarded_files: GuardedFiles, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return list(scan)
    except PermissionError:  # a command could make it readable, so it is hidden
        guarded_files.secret_folders.append(Path(folder))
    except OSError:  # deleted meanwhile
        pass
    return []


def _is_noted(
    workspace: Workspace,
    guarded_files: GuardedFiles,
    entry: os.DirEntry[str],
    inside: str,
    of_others: bool,
) -> bool:
    """Record an entry that is protected or secret; return whether it is. Do not scan below it."""
    name = to_canonical_path(entry.name)
    if of_others and name in _PUBLIC:
        return True
    if _may_be_secret(workspace, name) and workspace.is_ignored(
        workspace.to_relative(Path(entry.path))
    ):
        _add_secret(workspace, guarded_files, entry)
    elif name == ".git":
        guarded_files.git.append(Path(entry.path))
    elif not of_others and find_protected_name(f"{inside}/{name}"):
        _add_protected(workspace, guarded_files, entry)
    else:
        return False
    return True


def _is_ordinary(workspace: Workspace, entry: os.DirEntry[str], inside: str) -> bool:
    """Return whether no such entry, in any folder of that name, can be protected or secret."""
    name = to_canonical_path(entry.name)
    return not (_may_be_secret(workspace, name) or find_protected_name(f"{inside}/{name}"))


@lru_cache(maxsize=10_000)
def _get_ordinary_names(patterns: tuple[str, ...], inside: str) -> set[str]:
    """Return the cached set of ordinary names in folders of that name."""
    return set()


def _may_be_secret(workspace: Workspace, name: str) -> bool:
    return _compile_last_names(workspace.ignore).match(name) is not None


@lru_cache(maxsize=16)
def _compile_last_names(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a quick check for the last name of any path that the patterns may hide.

    Matching a path's own name is enough; the scan has already checked the names above it.
    """
    last = (pattern.rstrip("/").removesuffix("/**").rpartition("/")[2] for pattern in patterns)
    names = {"*" if "\\" in name or "**" in name else name.lower() for name in last}
    return re.compile("|".join(translate(name) for name in names))


def _add_secret(workspace: Workspace, guarded_files: GuardedFiles, entry: os.DirEntry[str]) -> None:
    """Hide a secret; for a link hide its target, unless the target is readable by its own name."""
    path = Path(entry.path)
    if entry.is_symlink():
        path = Path(os.path.realpath(path))
        if workspace.root.is_relative_to(path) or path.is_relative_to(workspace.root):
            return
    if path.is_dir():
        guarded_files.secret_folders.append(path)
    elif path.exists():
        guarded_files.secret_files.append(path)


def _add_protected(
    workspace: Workspace, guarded_files: GuardedFiles, entry: os.DirEntry[str]
) -> None:
    """Protect the real path if it is in the project: a link has the content of its target."""
    real = Path(os.path.realpath(entry.path))
    if os.path.exists(real) and workspace.root in real.parents:
        guarded_files.protected.append(real)
