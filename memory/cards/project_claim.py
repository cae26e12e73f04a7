"""Claims: a folder that names a project whose memory belongs to another folder.

A repository writes its remote itself, so nothing of that memory is read or written there before the
user has agreed.
"""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config.errors import UsageError
from ...config.text import text
from .folder_record import describe_folder, identify_file, is_same_file
from .listing import open_rows
from .namespaces import (
    FOLDERS,
    LINKS,
    hash_name,
    identify_project,
    identify_remote,
    normalize_remote,
)
from .repository import find_repository

if TYPE_CHECKING:
    from .card_rows import CardRows


NOT_SHARED = (
    "this folder has a memory of its own, though its repository names that of `{place}`; run "
    "`{link}` to share that memory, or `mcode memory link .` to keep them apart"
)
MOVED = (
    "this folder may be `{place}` under a new name; run `{link}` to use that memory here, or "
    "`mcode memory link .` to begin a new one"
)


@dataclass(frozen=True)
class ProjectClaim:
    """Whose memory a folder may have, if the user agrees."""

    project: str
    place: str
    """The other folder; the remote if its cards are of no known folder."""
    count: int
    """Cards and notes of the other project."""
    is_moved: bool = False
    """Whether the other folder seems to have been renamed to this one."""


def find_claim(home: Path, folder: Path) -> ProjectClaim | None:
    """Return the claim of a folder that has no memory of its own; None if it is settled."""
    project = identify_project(folder)
    with open_rows(home) as rows:
        if rows is None or rows.get(LINKS, project) or rows.get(FOLDERS, project):
            return None
        if rows.count_cards(project):
            return None
        return _find_named(rows, folder) or _find_moved(rows, folder)


def describe_claim(claim: ProjectClaim) -> str:
    """Return the notice that nothing is shared, with the command that shares it."""
    words = ("mcode", "memory", "link", claim.place)
    template = MOVED if claim.is_moved else NOT_SHARED
    return text(template, place=claim.place, link=shlex.join(words))


def settle_claim(home: Path, folder: Path, target: str = "") -> None:
    """Record whose memory the folder has from now on; without a target, its own."""
    project = identify_project(folder)
    with open_rows(home) as rows:
        if rows is None:
            return
        with rows.transaction():
            rows.put(LINKS, project, {"project": rows.resolve_link(target) if target else project})
            rows.put(FOLDERS, project, describe_folder(folder))


def identify_place(home: Path, place: str) -> str:
    """Return the project of a folder, also one that is gone, or of a remote; raises UsageError."""
    if os.path.isdir(place):
        return identify_project(Path(place))
    with open_rows(home) as rows:
        remotes = [normalize_remote(each, Path.cwd()) for each in (place, f"https://{place}")]
        names = (os.path.abspath(place), *remotes, place)
        for project in map(hash_name, names):
            if rows and (
                rows.get(FOLDERS, project) or rows.count_cards(rows.resolve_link(project))
            ):
                return project
    raise UsageError(
        text("`{root}` is not a folder", root=place), hint="name the other project's folder"
    )


def _find_named(rows: "CardRows", folder: Path) -> ProjectClaim | None:
    """Find the project that the folder's remote names."""
    if not (remote := identify_remote(folder)):
        return None
    claims = [
        _build_claim(rows, project, value)
        for project, value in rows.read_namespace(FOLDERS)
        if value.get("remote") == remote
    ]
    repository = find_repository(Path(os.path.realpath(folder)))
    name = normalize_remote(repository.read_remote(), repository.root)
    claims.append(_build_claim(rows, remote, {"folder": name}))
    return max((claim for claim in claims if claim.count), key=lambda c: c.count, default=None)


def _find_moved(rows: "CardRows", folder: Path) -> ProjectClaim | None:
    """Find the project whose folder is gone and was this one: a renamed folder stays the same."""
    root = find_repository(Path(os.path.realpath(folder))).root
    record = {"remote": identify_remote(folder), "file": identify_file(root)}
    for project, value in rows.read_namespace(FOLDERS):
        place = str(value.get("folder"))
        if is_same_file(value, record) and not os.path.lexists(place):
            claim = _build_claim(rows, project, value, is_moved=True)
            return claim if claim.count else None
    return None


def _build_claim(
    rows: "CardRows", project: str, value: Mapping[str, Any], *, is_moved: bool = False
) -> ProjectClaim:
    target = rows.resolve_link(project)
    return ProjectClaim(target, str(value.get("folder")), rows.count_cards(target), is_moved)
