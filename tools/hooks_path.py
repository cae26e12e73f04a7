"""The folder that a repository's configuration names for its hooks, instead of `.git/hooks`."""

import os
import re
from pathlib import Path

from .sandbox.git_folders import led_to

_HOOKS = re.compile(rb"^\s*hookspath\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE | re.IGNORECASE)
LARGEST = 1_000_000
"""Bytes of a configuration that are looked at."""


def hooks_folder(root: Path) -> Path | None:
    """Where git finds the hooks of the checkout whose top is `root`, if that is in the project."""
    folders = led_to(root) if (root / ".git").is_file() else [root / ".git"]
    named = [place for folder in folders for place in _named(folder / "config")]
    places = [Path(os.path.realpath(root / place)) for place in named]
    inside = [place for place in places if place.is_relative_to(root) and place != root]
    return inside[-1] if inside else None


def is_hook(root: Path, path: str) -> bool:
    """Whether a path, relative to the root, is the hooks' folder or in it."""
    folder = hooks_folder(root)
    return folder is not None and Path(os.path.normpath(root / path)).is_relative_to(folder)


def _named(config: Path) -> list[str]:
    if not config.is_file():  # a pipe would hold us
        return []
    with config.open("rb") as file:
        return [os.fsdecode(name) for name in _HOOKS.findall(file.read(LARGEST))]
