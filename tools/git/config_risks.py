"""Paths in a project that git's configuration names: hook folders and included files."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...config.git.config_reader import GitConfigReader, find_hook_folders, list_user_configs
from ...config.git.repository import find_git_folders, find_top
from ..protected_paths import find_protected_name

_HOOKS_LIST = """
applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit
p4-prepare-changelist post-applypatch post-checkout post-commit post-index-change post-merge
post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit
pre-push pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout
reference-transaction sendemail-validate update
"""
# Every hook of git: those of a folder that has other files, too, such as the project's uppermost
HOOK_NAMES = tuple(_HOOKS_LIST.split())
# Files of a git folder that name programs, or another folder that has such files
_STEERING = ("config", "config.worktree", "commondir", "hooks")


@dataclass
class GitConfigRisks:
    """Real paths in a project that make git start programs; they need not exist."""

    hooks: list[Path] = field(default_factory=list[Path])
    """Hook folders: the one in effect, and those in effect under a condition."""
    included: list[Path] = field(default_factory=list[Path])
    """Files that name hooks and programs: included ones, and configurations outside of `.git`."""
    unknown: bool = False
    """Whether something was not checked, or a value cannot be a path: any file may affect git."""


def find_config_risks(root: Path) -> GitConfigRisks:
    """Find the paths below `root` that affect the git of the checkout that contains `root`."""
    top = find_top(root)
    if top is None:
        return GitConfigRisks()
    git_dir, common = find_git_folders(top)  # git follows a `.git` file wherever it points
    folders = dict.fromkeys((common, git_dir))
    users = [top / config for config in list_user_configs()]
    configs = [*users, common / "config"]
    configs += [folder / "config.worktree" for folder in folders]
    reader = GitConfigReader()
    for config in configs:
        reader.read(config)
    hooks = [top / os.path.expanduser(place) for place in find_hook_folders(reader.entries)]
    steering = [folder / name for folder in folders for name in _STEERING]
    unprotected = [
        path
        for path in _filter_below(root, [*users, *steering])
        if not find_protected_name(str(path.relative_to(root)))
    ]
    if any(os.path.realpath(hook) == str(root) for hook in hooks):
        hooks += [root / name for name in HOOK_NAMES]
    included = dict.fromkeys((*_filter_below(root, reader.included), *unprotected))
    return GitConfigRisks(_filter_below(root, hooks), list(included), reader.unknown)


def can_steer_git(root: Path, path: str) -> bool:
    """Return whether a path, relative to the root, is or may be one of these, or lies below one."""
    risks, place = find_config_risks(root), Path(os.path.normpath(root / path))
    return risks.unknown or any(map(place.is_relative_to, (*risks.hooks, *risks.included)))


def _filter_below(root: Path, places: Iterable[Path]) -> list[Path]:
    real = dict.fromkeys(Path(os.path.realpath(place)) for place in places)
    return [place for place in real if place.is_relative_to(root) and place != root]
