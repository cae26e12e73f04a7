"""The repository that git would use in a folder, and its configuration and hooks."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from .config_parser import GitConfigEntry
from .config_reader import GitConfigReader, find_hook_folders, is_hook_folder, list_user_configs

# Most configurations of submodules, and most folders that are searched for them
MAX_MODULES, MAX_FOLDERS = 100, 2_000
# Most hooks of all folders
MAX_HOOKS = 200
_MAX_POINTER = 5_000
_CONFIGS = ("config", "config.worktree")


@dataclass(frozen=True)
class ProgramSources:
    """What decides which programs git starts in a repository, beside its command line."""

    top: Path
    """The folder that has `.git`."""
    entries: tuple[GitConfigEntry, ...]
    """All values of the repository's own configurations and of what they include."""
    files: tuple[Path, ...]
    """The hooks that git runs with what they need, and remotes in the old format."""
    unknown: bool = False
    """Whether there is more than was read."""


def read_program_sources(folder: Path) -> ProgramSources | None:
    """Read them for the repository of a folder, without git; None outside of a repository."""
    top = find_top(folder)
    if top is None:
        return None
    git_dir, common = find_git_folders(top)
    reader = GitConfigReader()
    places = dict.fromkeys((common, git_dir))
    for config in (common / "config", *(place / "config.worktree" for place in places)):
        reader.read(config)
    files = list(_list_hooks(tuple(reader.entries), top, common))
    files += [path for name in ("remotes", "branches") for path in _list_files(common / name)]
    worktrees = _list_worktrees(common)
    modules, unknown = _list_modules(*dict.fromkeys((*places, *worktrees)))
    for config in (*(folder / "config.worktree" for folder in worktrees), *modules):
        reader.read(config)
    unknown = unknown or reader.unknown or len(files) > MAX_HOOKS
    entries = (entry for entry in reader.entries if not _stays_in_worktree(entry, worktrees))
    return ProgramSources(top, tuple(entries), tuple(files[:MAX_HOOKS]), unknown)


def find_top(folder: Path) -> Path | None:
    """Return the folder, or the nearest one above, that has `.git`."""
    return next(
        (place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), None
    )


def find_git_folders(top: Path) -> tuple[Path, Path]:
    """Return the folder of this checkout, and the one that linked worktrees share, as git does."""
    git_dir = top / ".git"
    if git_dir.is_file():
        git_dir = top / _read_pointer(git_dir).removeprefix("gitdir:").strip()
    shared = _read_pointer(git_dir / "commondir")
    return git_dir, Path(os.path.normpath(git_dir / shared)) if shared else git_dir


def _read_pointer(file: Path) -> str:
    """Read a file of one line, as `.git` and `commondir`; empty where there is none."""
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return ""
        with file.open("rb") as stream:
            return os.fsdecode(stream.read(_MAX_POINTER)).strip()
    except (OSError, ValueError):
        return ""


def _list_worktrees(common: Path) -> list[Path]:
    """Return the folders of the linked worktrees; each may have submodules of its own."""
    try:
        with os.scandir(common / "worktrees") as entries:
            folders = (entry for entry in entries if entry.is_dir(follow_symlinks=False))
            return sorted(Path(entry.path) for entry in islice(folders, MAX_MODULES + 1))
    except OSError:
        return []


def _list_modules(*git_dirs: Path) -> tuple[list[Path], bool]:
    """Return the configurations of submodules, and whether there are more."""
    found, searched = list[Path](), 0
    for git_dir in git_dirs:
        for folder, names, files in os.walk(git_dir / "modules"):
            searched += 1
            if "HEAD" in files and "config" in files:
                found += (Path(folder, name) for name in _CONFIGS if name in files)
                names[:] = [name for name in names if name == "modules"]
            if len(found) > MAX_MODULES or searched > MAX_FOLDERS:
                return found[:MAX_MODULES], True
    return sorted(found), len(git_dirs) > MAX_MODULES


def _stays_in_worktree(entry: GitConfigEntry, worktrees: Sequence[Path]) -> bool:
    """Return whether a submodule of a linked worktree has its files in that worktree."""
    if (entry.section, entry.key) != ("core", "worktree"):
        return False
    folder = next((at for at in worktrees if at / "modules" in entry.file.parents), None)
    if folder is None:
        return False
    checkout = Path(_read_pointer(folder / "gitdir")).parent
    target = os.path.realpath(entry.file.parent / entry.value)
    is_linked = os.path.realpath(find_git_folders(checkout)[0]) == os.path.realpath(folder)
    return is_linked and target.startswith(os.path.realpath(checkout) + os.sep)


def _list_hooks(own: Sequence[GitConfigEntry], top: Path, common: Path) -> Iterator[Path]:
    """Yield the hooks in effect; those of a folder that is the user's own are the user's."""
    users = GitConfigReader()
    for config in list_user_configs():
        users.read(config)
    entries = [*users.entries, *own]
    own_folders = find_hook_folders(own)
    for place in find_hook_folders(entries):
        folder = top / os.path.expanduser(place)
        if place in own_folders or _is_inside(folder, top, common):
            yield from _list_active(folder)
    if not any(map(is_hook_folder, entries)) or any(
        entry.is_conditional for entry in entries if is_hook_folder(entry)
    ):
        yield from _list_active(common / "hooks")


def _list_active(folder: Path) -> Iterator[Path]:
    for path in _list_files(folder):
        if path.suffix != ".sample" and os.access(path, os.X_OK):
            yield path
    if folder.name == "_":  # Husky's own hooks run those of the folder above
        yield from _list_files(folder.parent)


def _is_inside(folder: Path, *places: Path) -> bool:
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(os.path.realpath(place)) for place in places)


def _list_files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_file())
    except OSError:
        return []
