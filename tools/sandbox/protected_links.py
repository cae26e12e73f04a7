"""Protected names that are links: nothing can be mounted on one, so it is put back afterwards."""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def restore_links(names: Iterable[Path]) -> Generator[None]:
    """When it is left, those of the names that were links lead again where they led."""
    targets = {name: os.readlink(name) for name in names if name.is_symlink()}
    try:
        yield
    finally:
        for name, target in targets.items():
            if not (name.is_symlink() and os.readlink(name) == target):
                _restore_link(name, target)


def _restore_link(name: Path, target: str) -> None:
    """What came in its place is kept beside it: it is somebody's work."""
    if os.path.lexists(name):
        name.rename(_find_free_name(name))
    name.parent.mkdir(parents=True, exist_ok=True)
    name.symlink_to(target)


def _find_free_name(name: Path) -> Path:
    numbered = (name.with_name(f"{name.name}.replaced-{number}") for number in range(1, 10_000))
    return next(one for one in numbered if not os.path.lexists(one))
