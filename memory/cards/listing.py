"""Cards read straight from the file, without LangGraph: `mcode memory list` must be quick."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from ...config import paths
from ..database.connection import can_write, connect, lock_database
from .card import SCOPES, Card, Scope, card_from_value
from .card_rows import CardRows, to_prefix
from .file_recovery import translate_store_errors
from .namespaces import ADOPTED, FOLDERS, LINKS, MIGRATIONS, get_namespace


@contextmanager
def open_rows(home: Path) -> Generator[CardRows | None]:
    """Yield the rows; None if nothing was ever kept. Cards of earlier versions are found first."""
    path = paths.locate_memory(home)
    if not path.exists():
        yield None
        return
    with translate_store_errors(path), closing(connect(path)) as connection:
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'store'"
        if connection.execute(query).fetchone() is None:
            yield None
            return
        rows = CardRows(connection)
        if can_write(path) and not rows.get(MIGRATIONS, ADOPTED):
            from .project_migration import adopt_older_cards  # compiles much

            with lock_database(path):
                adopt_older_cards(rows, home)
        yield rows


def read_cards(home: Path, project: str) -> list[Card]:
    """Return all cards of the user and this project, the newest first."""
    with open_rows(home) as rows:
        if rows is None:
            return []
        target = rows.resolve_link(project)
        cards = [card for scope in SCOPES for card in _read_scope(rows, scope, target)]
    return sorted(cards, key=lambda card: (card.created_at, card.id), reverse=True)


def purge_cards(home: Path, project: str = "") -> int:
    """Delete the cards and notes of this project, or all that there are; return how many.

    The file is rewritten, so that nothing of them stays on the disk.
    """
    with open_rows(home) as rows:
        if rows is None:
            return 0
        count = _delete_rows(rows, rows.resolve_link(project) if project else "")
        rows.connection.execute("VACUUM")
        rows.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return count


def _delete_rows(rows: CardRows, project: str) -> int:
    if not project:
        others = [to_prefix(namespace) for namespace in (LINKS, FOLDERS, MIGRATIONS)]
        count = rows.connection.execute(
            "SELECT COUNT(*) FROM store WHERE prefix NOT IN (?, ?, ?)", others
        )
        total: int = count.fetchone()[0]
        rows.connection.execute("DELETE FROM store")
        return total
    prefixes = [to_prefix(get_namespace(scope, project)) for scope in ("project", "notes")]
    return rows.connection.execute("DELETE FROM store WHERE prefix IN (?, ?)", prefixes).rowcount


def _read_scope(rows: CardRows, scope: Scope, project: str) -> list[Card]:
    values = rows.read_namespace(get_namespace(scope, project))
    read = [card_from_value(key, scope, value) for key, value in values]
    return [card for card in read if card]
