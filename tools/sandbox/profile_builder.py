"""One command's rights, put together from the project as it is at that moment."""

import os
from collections.abc import Sequence
from pathlib import Path

from ...config.trust.inventory import PLACES
from ..git.config_risks import git_steering
from ..git.git_paths import GitFolders, git_folders, guarded
from ..git.hardened_git import ATTRIBUTES
from ..result import ToolRefusal
from ..sensitive_paths import homes, secrets_in
from ..workspace import Workspace
from .profile import Wall
from .project_scan import ProjectFiles
from .system_paths import private_folders, shown_folders
from .unix_sockets import listening

_BY_THEMSELVES = """
.circleci .clinerules .codex .cursorrules .devcontainer .devcontainer.json .envrc .exrc .git
.github/workflows .gitlab-ci.yml .husky .idea .pre-commit-config.yaml .travis.yml .windsurfrules
.zed Jenkinsfile lefthook.yml
"""
RESERVED = (
    *sorted(
        {place.partition("/")[0] for places in PLACES.values() for place in places}
        | set(_BY_THEMSELVES.split())
    ),
)
"""What steers tools from a project's uppermost folder, whether it is there yet or not: all that
MaxAgent itself loads, and what others start by themselves."""
_TOO_MUCH_GIT = (
    "the sandbox cannot guard this project: git's configuration names more than can be looked at. "
    "A command can be called with `outside_sandbox: true`, which the user is asked"
)
_BLANK = frozenset([".git-credentials", ".netrc", ".npmrc", ".pgpass", ".pypirc"])
"""Secrets that programs read of themselves, and stop where they cannot."""


def wall_around(
    workspace: Workspace,
    found: ProjectFiles,
    *,
    home: Path,
    writable: Sequence[Path] = (),
    network: bool = False,
    unix_sockets: bool = False,
    filtered: bool = False,
    reserve: bool = True,
) -> Wall:
    """What a command may do that finds the project so; `home` is MaxAgent's own folder.

    `filtered` says that a filter of system calls keeps it from unix sockets, where they are denied.
    """
    root = workspace.root
    git = _git(found, writable)
    steering = _steering(root) if reserve and os.access(root, os.W_OK) else []
    private = private_folders()
    at_home = [*secrets_in(homes()), Path(os.path.realpath(home))]
    sockets = [] if filtered and not unix_sockets else _sockets((*private, *at_home))
    hidden = (*found.secret_folders, *filter(Path.is_dir, at_home))
    covered = any(map(ATTRIBUTES.is_relative_to, (*private, *hidden)))
    return Wall(
        writable=(root, *writable),
        pinned=(*git.writable, *_between(root, [*steering, *found.git])),
        frozen=(*found.protected, *steering, *git.frozen),
        reserved=tuple(one for one in (*steering, *git.reserved) if not one.exists()),
        hidden_folders=hidden,
        hidden_files=(*(one for one in found.secret_files if one.name not in _BLANK), *sockets),
        blank_files=(
            *(one for one in found.secret_files if one.name in _BLANK),
            *filter(Path.is_file, at_home),
        ),
        private=private,
        # where it is missing bubblewrap builds no wall
        shown=(*shown_folders(private, network=network), *([ATTRIBUTES] if covered else [])),
        network=network,
        unix_sockets=unix_sockets,
    )


def _sockets(covered: Sequence[Path]) -> list[Path]:
    return [one for one in listening() if not any(map(one.is_relative_to, covered))]


def _steering(root: Path) -> list[Path]:
    """The reserved names, but for links and for a repository, whose git folders say more."""
    git = git_steering(root)
    if git.unknown:
        raise ToolRefusal(_TOO_MUCH_GIT)
    # git cannot do with what would stand for a missing file
    named = [*(root / name for name in RESERVED), *git.hooks, *filter(os.path.exists, git.included)]
    # a file where a folder is expected is held itself
    places = (path.parent if path.parent.is_file() else path for path in named)
    return [
        path
        for path in places
        if os.path.realpath(path) == str(path) and not (path.name == ".git" and path.exists())
    ]


def _git(found: ProjectFiles, writable: Sequence[Path]) -> GitFolders:
    """The git folders of every checkout that may be written to."""
    each = [git_folders(one) for one in (*(git.parent for git in found.git), *writable)]
    each += [guarded(one) for one in writable if one.name == ".git"]
    return GitFolders(
        tuple(path for one in each for path in one.writable),
        tuple(path for one in each for path in one.frozen),
        tuple(path for one in each for path in one.reserved),
    )


def _between(root: Path, places: Sequence[Path]) -> list[Path]:
    """The folders from the project's down to these: to move one is to replace what is in it."""
    above = (folder for place in places for folder in place.parents)
    return list(dict.fromkeys(one for one in above if one != root and one.is_relative_to(root)))
