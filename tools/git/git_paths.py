"""A checkout's git folders, and the parts that make git start programs: hooks and configuration.

All other parts are writable, so that `git commit` works. A `.git` file points to another folder; it
is followed only if that folder points back, which no foreign file can arrange for another
repository's folder.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_WORKTREE = re.compile(rb"^[ \t]*worktree[ \t]*=(.*)$", re.MULTILINE | re.IGNORECASE)
# Files that lead git to configuration and hooks; they must not be created either
_STEERING = ("config", "config.worktree", "commondir")
# Files that point or belong to other checkouts of the repository
_OF_OTHERS = ("gitdir", "worktrees", "modules")
# Most repositories that objects are borrowed from
_MAX_ALTERNATES = 20


@dataclass(frozen=True)
class GitPathRules:
    """Paths that a command may write, and paths that it may not."""

    writable: tuple[Path, ...] = ()
    frozen: tuple[Path, ...] = ()
    reserved: tuple[Path, ...] = ()
    """The frozen paths that are missing, and must stay missing."""


def find_path_rules(checkout: Path) -> GitPathRules:
    """Return the rules of the checkout with this top folder; empty if it is not a checkout."""
    link = checkout / ".git"
    if link.is_symlink():
        return GitPathRules(frozen=(Path(os.path.realpath(link)),))
    if link.is_dir():
        return guard_git_dir(link)
    if not link.is_file():
        return GitPathRules()
    own = [guard_git_dir(folder) for folder in resolve_gitfile(checkout)]
    return GitPathRules(
        writable=tuple(path for rules in own for path in rules.writable),
        frozen=(link, *(path for rules in own for path in rules.frozen)),
        reserved=tuple(path for rules in own for path in rules.reserved),
    )


def guard_git_dir(folder: Path) -> GitPathRules:
    """Return the rules of a git folder: writable except for what starts programs."""
    linked = os.path.exists(folder / "gitdir")  # a worktree: its repository has the hooks
    steering = [folder / name for name in (*_STEERING, *(() if linked else ("hooks",)))]
    others = [path for name in _OF_OTHERS if os.path.exists(path := folder / name)]
    missing = [path for path in steering if not os.path.exists(path)]
    return GitPathRules((folder,), (*steering, *others), tuple(missing))


def find_read_paths(top: Path, git_dirs: Iterable[Path]) -> list[Path]:
    """Return what git reads elsewhere: the folders of `top`, and the objects that are borrowed."""
    above = resolve_gitfile(top) if (top / ".git").is_file() else []
    left = [folder / "objects" for folder in (top / ".git", *above, *git_dirs)]
    found: list[Path] = []
    while left and len(found) < _MAX_ALTERNATES:
        objects = left.pop()
        with suppress(OSError):
            for line in (objects / "info" / "alternates").read_bytes().splitlines():
                folder = Path(os.path.realpath(objects / os.fsdecode(line)))
                if line[:1] not in (b"", b"#") and folder.is_dir() and folder not in found:
                    found.append(folder)
                    left.append(folder)
    return [*above, *found]


def resolve_gitfile(checkout: Path) -> list[Path]:
    """Return the git folder that the file `.git` names, and the repository's if it is another.

    Empty if that folder does not point back.
    """
    try:
        named = os.fsdecode((checkout / ".git").read_bytes().removeprefix(b"gitdir:").strip())
        folder = Path(os.path.realpath(checkout / named))
        if folder.parent.name == "worktrees":
            # relative to its own folder, as `worktree.useRelativePaths` writes it
            back = folder / os.fsdecode((folder / "gitdir").read_bytes().strip())
            repository = folder.parent.parent
            common = os.fsdecode((folder / "commondir").read_bytes().strip())
            own = Path(os.path.realpath(folder / common)) == repository
            points_back = Path(os.path.realpath(back)) == checkout / ".git"
            return [folder, repository] if own and points_back else []
        match = _WORKTREE.search((folder / "config").read_bytes())
        back = Path(os.path.realpath(folder / _read_value(match[1]))) if match else None
        return [folder] if back == checkout else []
    except (OSError, ValueError):
        return []


def _read_value(written: bytes) -> str:
    return os.fsdecode(written.strip().removeprefix(b'"').removesuffix(b'"'))
