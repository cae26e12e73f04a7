"""Migration of cards that were kept under a repository's remote, as earlier versions did.

A remote can be written by anyone, so its cards go only to the one folder whose threads have used
them. Where several have, or none is known, they stay where they are, and the next folder that
names the remote is asked: `project_claim.py`.
"""

import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...config import paths
from ...config.remote_url import split_remote_url
from ..database.connection import connect, find_server, prepare_database
from ..transaction import is_sqlite
from .card import card_from_value
from .folder_record import describe_folder
from .namespaces import (
    ADOPTED,
    FOLDERS,
    LINKS,
    MIGRATIONS,
    get_namespace,
    hash_name,
    identify_project,
    identify_remote,
)
from .repository import find_repository

if TYPE_CHECKING:
    from .card_rows import CardRows

_HAS_THREADS = "SELECT 1 FROM sqlite_schema WHERE name = 'threads'"


def adopt_older_cards(rows: "CardRows", home: Path) -> None:
    """Give cards of a remote to the folder that has used them; once, under the file's lock."""
    if rows.get(MIGRATIONS, ADOPTED):
        return
    folders = _read_thread_folders(home)
    with rows.transaction():
        users = _find_users(set(folders.values()))
        for remote, places in users.items():
            _adopt_remote(rows, remote, places, folders)
        _hold_back_permissions(rows)
        rows.put(MIGRATIONS, ADOPTED, {"done": True})


def _hold_back_permissions(rows: "CardRows") -> None:
    """Let the user decide about active cards that would permit something: they are proposed."""
    from .permission_speech import speaks_of_permission  # compiles much, once in a home's life

    for prefix, key, value in rows.list_cards():
        card = card_from_value(key, "project", value)
        if not card or card.state != "active":
            continue
        if speaks_of_permission(card.content, *card.tags, *card.paths):
            rows.replace(prefix, key, {**value, "state": "proposed"})


def _find_users(folders: Iterable[str]) -> dict[str, list[Path]]:
    """Return the folders of threads by what earlier versions knew them by, one for each project."""
    users = defaultdict[str, dict[str, Path]](dict)
    for folder in map(Path, folders):
        if not folder.is_dir():
            continue
        repository = find_repository(Path(os.path.realpath(folder)))
        remote = repository.read_remote()
        if remote and not split_remote_url(remote):
            continue  # the path of another folder, whose cards these are
        old_project = identify_remote(folder) or hash_name(str(repository.root))
        users[old_project][identify_project(folder)] = folder
    return {old_project: [*places.values()] for old_project, places in users.items()}


def _adopt_remote(
    rows: "CardRows", old_project: str, places: list[Path], folders: dict[str, str]
) -> None:
    [folder, *others] = places
    project, linked = identify_project(folder), rows.resolve_link(old_project)
    if others or old_project == project or rows.get(LINKS, project):
        return
    if linked != old_project:
        rows.put(LINKS, project, {"project": linked})
    elif not rows.count_cards(old_project) or _has_other_source(
        rows, old_project, project, folders
    ):
        return
    else:
        rows.move_project(old_project, project)
    rows.put(FOLDERS, project, describe_folder(folder))


def _has_other_source(
    rows: "CardRows", old_project: str, project: str, folders: dict[str, str]
) -> bool:
    """Return whether a card was learnt in a thread of another folder, one that is gone included."""
    cards = [
        value
        for scope in ("project", "notes")
        for _, value in rows.read_namespace(get_namespace(scope, old_project))
    ]
    threads: set[str] = {
        cast(dict[str, Any], source).get("thread", "")
        for card in cards
        if isinstance(source := card.get("source"), dict)
    }
    sources = {folders[thread] for thread in threads if thread in folders}
    return any(identify_project(Path(source)) != project for source in sources)


def _read_thread_folders(home: Path) -> dict[str, str]:
    """Return the folder of each thread."""
    path = paths.locate_database(home)
    if find_server(path):
        prepare_database(path)
    elif not path.exists():
        return {}
    with closing(connect(path)) as connection:
        if is_sqlite(connection) and not connection.execute(_HAS_THREADS).fetchone():
            return {}
        return dict(connection.execute("SELECT thread_id, folder FROM threads").fetchall())
