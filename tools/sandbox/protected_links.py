"""Links at protected names: restored after a command that replaced them."""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from ..protected_paths import INSIDE, find_protected_name


def find_links(root: Path) -> list[Path]:
    """Return the links in a project's uppermost folder that have protected names."""
    with os.scandir(root) as entries:
        links = [entry.name for entry in entries if entry.is_symlink()]
    return [root / name for name in links if name in INSIDE or find_protected_name(name)]


@contextmanager
def restore_links(names: Iterable[Path]) -> Generator[None]:
    """On exit, restore the links among the names that were replaced or changed."""
    targets = {name: os.readlink(name) for name in names if name.is_symlink()}
    try:
        yield
    finally:
        for name, target in targets.items():
            if not (name.is_symlink() and os.readlink(name) == target):
                _restore_link(name, target)


def _restore_link(name: Path, target: str) -> None:
    """Restore a link; keep the file that replaced it under another name, as it may be work."""
    if os.path.lexists(name):
        name.rename(_find_free_name(name))
    name.parent.mkdir(parents=True, exist_ok=True)
    name.symlink_to(target)


def _find_free_name(name: Path) -> Path:
    numbered = (name.with_name(f"{name.name}.replaced-{number}") for number in range(1, 10_000))
    return next(candidate for candidate in numbered if not os.path.lexists(candidate))
