"""The profile of one command, built from the current state of the project."""

import base64
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ...memory.snapshots.git_ls_files import find_top
from ..git.config_risks import find_config_risks
from ..git.git_paths import GitPathRules, find_path_rules, find_read_paths, guard_git_dir
from ..git.hardened_git import ATTRIBUTES
from ..named_scripts import find_named_scripts
from ..process.user_variables import NO_EDITOR
from ..protected_paths import INSIDE, PROGRAM_FOLDERS, PROTECTED, SPELLINGS, find_protected_name
from ..result import ToolError
from ..sensitive_paths import find_homes, find_secrets
from ..workspace import Workspace
from .profile import SandboxProfile
from .project_scan import GuardedFiles
from .syscall_filter import build_guard_filter
from .system_paths import (
    find_listening_sockets,
    find_private_folders,
    find_shown_folders,
    find_user_files,
)

_TOO_MUCH_GIT = (
    "the sandbox cannot protect this project: git's configuration names too many files "
    "to check. To run a command anyway, set `outside_sandbox: true`; the user is asked"
)
# Secrets that programs read on their own, and without which they fail
_BLANK = frozenset([".git-credentials", ".netrc", ".npmrc", ".pgpass", ".pypirc"])
_NAMES = sorted(PROTECTED)
_FOLDERS = (".venv/bin", ".venv/Scripts", "venv/bin", "venv/Scripts", "node_modules/.bin")


def build_profile(
    workspace: Workspace,
    files: GuardedFiles,
    *,
    home: Path,
    writable: Sequence[Path] = (),
    network: bool = False,
    unix_sockets: bool = False,
    filtered: bool = False,
    reserve: bool = True,
    origins: Sequence[Path] = (),
) -> SandboxProfile:
    """Build the profile for the files found in the project; `home` is MaxAgent's own folder.

    `filtered`: a system call filter blocks unix sockets if they are denied. `origins` are
    the folders that a worktree was made from: its packages and git's objects are read there.
    """
    root = workspace.root
    git = _collect_git_folders(files, writable)
    steering = _find_steering_files(workspace) if reserve and os.access(root, os.W_OK) else []
    named = [root / name for name in SPELLINGS if not os.path.lexists(root / name)]
    inside = [path for path in files.protected if _is_inside(root, path)]
    missing = [path for path in (*steering, *git.reserved) if not os.path.lexists(path)]
    private = find_private_folders()
    at_home = [*find_secrets(find_homes()), Path(os.path.realpath(home))]
    sockets = [] if filtered and not unix_sockets else _find_sockets((*private, *at_home))
    hidden = (*files.secret_folders, *filter(os.path.isdir, at_home))
    covered = [
        path
        for path in _find_needed_paths(workspace, origins, git)
        if path not in private and any(map(path.is_relative_to, (*private, *hidden)))
    ]
    return SandboxProfile(
        writable=(root, *writable),
        pinned=(*git.writable, *_find_folders_between(root, [*steering, *inside, *files.git])),
        frozen=tuple(filter(os.path.lexists, (*files.protected, *steering, *git.frozen))),
        reserved=(*missing, *(named if reserve else ())),
        hidden_folders=hidden,
        hidden_files=(*(path for path in files.secret_files if path.name not in _BLANK), *sockets),
        blank_files=(
            *(path for path in files.secret_files if path.name in _BLANK),
            *filter(os.path.isfile, at_home),
        ),
        private=private,
        # bubblewrap fails if this path is missing
        shown=(*find_shown_folders(private, network=network), *covered),
        network=network,
        unix_sockets=unix_sockets,
    )


def _find_needed_paths(
    workspace: Workspace, origins: Sequence[Path], git: GitPathRules
) -> tuple[Path, ...]:
    """Return what a command reads outside the project, wherever it lies."""
    root = workspace.root
    return (
        ATTRIBUTES,
        NO_EDITOR,
        *filter(Path.is_dir, (*workspace.readable, *map(find_top, (root, *origins)))),
        *find_read_paths(find_top(root), git.writable),
        *find_user_files(),
    )


def _find_sockets(covered: Sequence[Path]) -> list[Path]:
    return [path for path in find_listening_sockets() if not any(map(path.is_relative_to, covered))]


def _is_inside(root: Path, path: Path) -> bool:
    """Return whether a path is protected because of its folder, such as `.github/workflows`."""
    return path.parent.parent == root and path.parent.name in INSIDE


def _find_steering_files(workspace: Workspace) -> list[Path]:
    """Return what git starts or reads outside of `.git`, and named scripts, except links."""
    git = find_config_risks(workspace.root)
    if git.unknown:
        raise ToolError(_TOO_MUCH_GIT)
    # if a folder is expected but a file exists, protect the file itself
    named = (*git.hooks, *git.included, *find_named_scripts(workspace))
    places = (path.parent if path.parent.is_file() else path for path in named)
    return [path for path in places if os.path.realpath(path) == str(path)]


def _collect_git_folders(files: GuardedFiles, writable: Sequence[Path]) -> GitPathRules:
    """Return the git folders of every writable checkout."""
    each = [
        find_path_rules(checkout) for checkout in (*(git.parent for git in files.git), *writable)
    ]
    each += [guard_git_dir(checkout) for checkout in writable if checkout.name == ".git"]
    return GitPathRules(
        tuple(path for rules in each for path in rules.writable),
        tuple(path for rules in each for path in rules.frozen),
        tuple(path for rules in each for path in rules.reserved),
    )


def _find_folders_between(root: Path, places: Sequence[Path]) -> list[Path]:
    """Return the folders between the root and these paths: moving one would replace its content."""
    above = (folder for place in places for folder in place.parents)
    return list(
        dict.fromkeys(
            folder
            for folder in above
            if folder != root and folder.is_relative_to(root) and folder.is_dir()
        )
    )


def build_guard_rules(
    root: Path,
    places: Sequence[Path],
    *,
    writes_programs: bool = False,
    approved: Sequence[Path] = (),
) -> Mapping[str, Any]:
    """Build the rules for a command in the project `root`; `places` are single paths of its own.

    `writes_programs`: it may write `.venv/bin` and the other folders of installed programs;
    `approved`: single files that it may write.
    """
    program, calls = _build_program(os.uname().machine)
    names = INSIDE if writes_programs else INSIDE | PROGRAM_FOLDERS
    return {
        "root": str(root),
        "names": _NAMES,
        "inside": {name: part.pattern for name, part in names.items()},
        # other folders of `inside` that exist are mounted read-only
        "is_deep": not writes_programs and any((root / folder).exists() for folder in _FOLDERS),
        "places": [
            str(place)
            for place in places
            if place.parent != root or not find_protected_name(place.name)
        ],
        "approved": [str(file) for file in approved],
        "program": program,
        "calls": calls,
    }


@cache
def _build_program(machine: str) -> tuple[str, dict[str, int]]:
    program, calls = build_guard_filter(machine)
    return base64.b64encode(program).decode(), calls
