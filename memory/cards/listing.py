"""Cards read straight from the file, without LangGraph: `mcode memory list` must be quick."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from ...config import paths
from ..database.connection import connect
from .card import SCOPES, Card, Scope, card_from_value
from .file_recovery import translate_store_errors
from .namespaces import LINKS, Namespace, get_namespace


def read_cards(home: Path, project: str) -> list[Card]:
    """Return all cards of the user and this project, the newest first."""
    path = paths.locate_memory(home)
    if not path.exists():
        return []
    with translate_store_errors(path), closing(connect(path)) as opened:
        if not _has_table(opened):
            return []
        project = _resolve_link(opened, project)
        cards = [card for scope in SCOPES for card in _read_scope(opened, scope, project)]
    return sorted(cards, key=lambda card: (card.created_at, card.id), reverse=True)


def purge_cards(home: Path, project: str = "") -> int:
    """Delete the cards and notes of this project, or all that there are; return how many.

    The file is rewritten, so that nothing of them stays on the disk.
    """
    path = paths.locate_memory(home)
    if not path.exists():
        return 0
    with translate_store_errors(path), closing(connect(path)) as opened:
        if not _has_table(opened):
            return 0
        count = _delete_rows(opened, _resolve_link(opened, project) if project else "")
        opened.execute("VACUUM")
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return count


def _delete_rows(opened: sqlite3.Connection, project: str) -> int:
    if not project:
        links = to_prefix(LINKS)
        count = opened.execute("SELECT COUNT(*) FROM store WHERE prefix != ?", (links,))
        total: int = count.fetchone()[0]
        opened.execute("DELETE FROM store")
        return total
    prefixes = [to_prefix(get_namespace(scope, project)) for scope in ("project", "notes")]
    return opened.execute("DELETE FROM store WHERE prefix IN (?, ?)", prefixes).rowcount


def to_prefix(namespace: Namespace) -> str:
    """Return a namespace as the store writes it."""
    return ".".join(namespace)


def _has_table(opened: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'store'"
    return opened.execute(query).fetchone() is not None


def _resolve_link(opened: sqlite3.Connection, project: str) -> str:
    query = "SELECT value FROM store WHERE prefix = ? AND key = ?"
    row = opened.execute(query, (to_prefix(LINKS), project)).fetchone()
    linked = _load(row[0]).get("project") if row else None
    return linked if isinstance(linked, str) and linked else project


def _read_scope(opened: sqlite3.Connection, scope: Scope, project: str) -> list[Card]:
    query = "SELECT key, value FROM store WHERE prefix = ?"
    rows = opened.execute(query, (to_prefix(get_namespace(scope, project)),))
    read = [card_from_value(key, scope, _load(value)) for key, value in rows]
    return [card for card in read if card]


def _load(value: str | bytes) -> dict[str, Any]:
    try:
        loaded = json.loads(value)
    except ValueError:
        return {}
    return cast(dict[str, Any], loaded) if isinstance(loaded, dict) else {}
