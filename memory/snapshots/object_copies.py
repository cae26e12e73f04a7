"""Copies of a store's objects in another store, for a thread that moves to another folder."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import make_private_folder
from .storage import lock_store


async def copy_objects(source: Path, target: Path) -> None:
    """Give the store `target` all objects of `source`; stopped half-way, it can be done again."""
    if source == target or not (source / "objects").is_dir():
        return
    async with lock_store(source), lock_store(target):
        for file in _list_objects(source / "objects"):
            place = target / "objects" / file.relative_to(source / "objects")
            make_private_folder(place.parent)
            if not place.exists():
                _link_or_copy(file, place)
            with suppress(FileNotFoundError):
                os.utime(place)  # pruning keeps what was used recently


def _list_objects(objects: Path) -> Iterator[Path]:
    """Yield loose objects and packs, each pack before its index, which git looks for."""
    yield from objects.glob("??/" + "?" * 38)
    yield from sorted(objects.glob("pack/pack-*"), key=lambda file: file.suffix == ".idx")


def _link_or_copy(file: Path, place: Path) -> None:
    try:
        os.link(file, place)
    except OSError:  # a file system without links
        draft = place.with_name(f"{place.name}.{os.getpid()}")
        shutil.copy2(file, draft)
        draft.replace(place)
