"""Our tables in PostgreSQL: their migrations, and who may use them."""

import logging

from ...config.errors import UsageError
from ...config.text import text
from ..checkpoints.index_triggers import POSTGRES_INDEX
from ..checkpoints.tables import KEY, POSTGRES_TABLES, ROW_NUMBER
from .postgres import PostgresConnection, describe_address

_logger = logging.getLogger(__name__)
VERSION_TABLE = "maxagent_version"
# A migration is only added, never changed; the first has all tables of SQLite's as of today
MIGRATIONS = (
    f"""
    {POSTGRES_TABLES}
    CREATE TABLE threads (
        thread_id {KEY} PRIMARY KEY, title TEXT NOT NULL, name {KEY}, folder {KEY},
        graph TEXT NOT NULL, request TEXT NOT NULL, options TEXT NOT NULL, status {KEY},
        evidence TEXT NOT NULL, created_at {KEY}, updated_at {KEY}, parent {KEY} DEFAULT '',
        parent_step INTEGER NOT NULL DEFAULT 0
    );
    CREATE UNIQUE INDEX threads_by_name ON threads (name, folder) WHERE name != '';
    CREATE INDEX threads_by_folder ON threads (folder, updated_at);
    CREATE TABLE journal (
        thread_id {KEY}, call_id {KEY}, tool {KEY}, effectful INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('started', 'done')), result TEXT,
        started_at {KEY}, finished_at TEXT COLLATE "C", pid BIGINT NOT NULL, question TEXT,
        PRIMARY KEY (thread_id, call_id)
    );
    CREATE TABLE file_history (
        thread_id {KEY}, number INTEGER NOT NULL, key {KEY}, kind TEXT NOT NULL,
        tool TEXT NOT NULL, turn INTEGER NOT NULL, reverted TEXT NOT NULL,
        before_tree TEXT NOT NULL, after_tree TEXT NOT NULL, changes TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('started', 'done')), sure INTEGER NOT NULL,
        created_at TEXT NOT NULL, left_alone TEXT NOT NULL, doubtful TEXT, {ROW_NUMBER},
        PRIMARY KEY (thread_id, number), UNIQUE (thread_id, key)
    );
    CREATE TABLE sub_runs (
        thread_id {KEY}, sub_id {KEY}, call_id {KEY}, position INTEGER NOT NULL,
        namespace {KEY}, agent TEXT NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
        started_at {KEY}, ended_at TEXT, requests BIGINT NOT NULL, tokens BIGINT NOT NULL,
        cost DOUBLE PRECISION, worktree TEXT NOT NULL, report TEXT NOT NULL, {ROW_NUMBER},
        PRIMARY KEY (thread_id, sub_id), UNIQUE (thread_id, call_id, position)
    );
    CREATE TABLE pull_requests (thread_id {KEY} PRIMARY KEY, record TEXT NOT NULL);
    CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE
        AS 'SELECT json_array_elements_text(list::json)';
    """,
    POSTGRES_INDEX,
)


def prepare_postgres(url: str) -> None:
    """Create or migrate our tables; raises UsageError if a newer MaxAgent has."""
    connection = PostgresConnection(url)
    try:
        if read_version(connection, url) == len(MIGRATIONS):
            return
        connection.execute("BEGIN")
        # one process at a time
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(?))", (VERSION_TABLE,))
        done = read_version(connection, url)
        if not done:
            connection.execute(f"CREATE TABLE {VERSION_TABLE} (version INTEGER NOT NULL)")
            connection.execute(f"INSERT INTO {VERSION_TABLE} VALUES (0)")
        for step in MIGRATIONS[done:]:
            connection.execute(step)
        connection.execute(f"UPDATE {VERSION_TABLE} SET version = ?", (len(MIGRATIONS),))
        connection.execute("COMMIT")
        _logger.info("database created or migrated: %s", describe_address(url))
    finally:
        connection.close()


def read_version(connection: PostgresConnection, url: str) -> int:
    """Return the version of our tables; 0 where there are none. Raises UsageError if not ours."""
    # not `to_regclass`, which remembers that there was no table
    query = (
        "SELECT relname FROM pg_class WHERE relname IN (?, 'checkpoints')"
        " AND pg_table_is_visible(oid)"
    )
    tables = [name for (name,) in connection.execute(query, (VERSION_TABLE,))]
    is_ours, has_others = VERSION_TABLE in tables, bool(tables)
    if not is_ours and has_others:
        raise UsageError(
            text(
                "the database `{path}` has the threads of another program",
                path=describe_address(url),
            ),
            hint="create an empty database for MaxAgent, and name it in `database`",
        )
    if not is_ours:
        return 0
    version: int = connection.execute(f"SELECT version FROM {VERSION_TABLE}").fetchone()[0]
    if version > len(MIGRATIONS):
        raise UsageError(
            text(
                "a newer MaxAgent wrote the list of threads (version {version}; this one reads "
                "up to {count})",
                version=version,
                count=len(MIGRATIONS),
            ),
            hint="upgrade MaxAgent, or name another database in `database`",
        )
    return version
