"""Triggers that mark a thread in the index of threads, in the transaction that changes it.

Whoever writes: a run, Studio, a fork, a compaction, an older process. So the index is right after a
kill, too. `../threads/index_rows.py` reads what was marked again.
"""

import sqlite3

from .tables import KEY, has_tables, read_thread_ids

MARK = (
    "INSERT INTO thread_index (thread_id) VALUES ({row}.thread_id)"
    " ON CONFLICT (thread_id) DO UPDATE SET stale = 1 WHERE thread_index.stale = 0;"
)
# Only the thread's own rows count, and of changed writes only those that are another thing now
_SQLITE = (
    "CREATE TRIGGER IF NOT EXISTS mark_put AFTER INSERT ON checkpoints",
    "CREATE TRIGGER IF NOT EXISTS mark_change AFTER UPDATE ON checkpoints",
    "CREATE TRIGGER IF NOT EXISTS mark_loss AFTER DELETE ON checkpoints",
    "CREATE TRIGGER IF NOT EXISTS mark_write AFTER INSERT ON writes",
    "CREATE TRIGGER IF NOT EXISTS mark_rewrite AFTER UPDATE OF channel ON writes",
)
POSTGRES_INDEX = f"""
    CREATE TABLE thread_index (
        thread_id {KEY} PRIMARY KEY, stale INTEGER NOT NULL DEFAULT 1, folder {KEY} DEFAULT '',
        graph {KEY} DEFAULT '', status {KEY} DEFAULT '', used_at {KEY} DEFAULT '',
        facts TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX index_by_use ON thread_index (used_at);
    CREATE INDEX index_by_folder ON thread_index (folder, used_at);
    CREATE INDEX index_of_stale ON thread_index (thread_id) WHERE stale = 1;
    CREATE FUNCTION mark_thread() RETURNS trigger LANGUAGE plpgsql AS '
    BEGIN
        IF TG_OP = ''DELETE'' THEN {MARK.format(row="OLD")}
        ELSE {MARK.format(row="NEW")} END IF;
        RETURN NULL;
    END';
    CREATE TRIGGER mark_put AFTER INSERT OR UPDATE ON checkpoints FOR EACH ROW
        WHEN (NEW.checkpoint_ns = '') EXECUTE FUNCTION mark_thread();
    CREATE TRIGGER mark_loss AFTER DELETE ON checkpoints FOR EACH ROW
        WHEN (OLD.checkpoint_ns = '') EXECUTE FUNCTION mark_thread();
    CREATE TRIGGER mark_write AFTER INSERT OR UPDATE OF channel ON writes FOR EACH ROW
        WHEN (NEW.checkpoint_ns = '') EXECUTE FUNCTION mark_thread();
    CREATE TRIGGER mark_row AFTER INSERT OR UPDATE OR DELETE ON threads FOR EACH ROW
        EXECUTE FUNCTION mark_thread();
    INSERT INTO thread_index (thread_id)
        SELECT thread_id FROM threads UNION SELECT thread_id FROM checkpoints;
"""


def has_triggers(connection: sqlite3.Connection) -> bool:
    """Whether the triggers are there, or LangGraph's tables are not there yet; only of SQLite."""
    query = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'trigger' AND name = 'mark_rewrite'"
    return bool(connection.execute(query).fetchone()[0]) or not has_tables(connection)


def create_triggers(connection: sqlite3.Connection) -> None:
    """Create them in SQLite, and mark every thread that has a checkpoint."""
    for statement in _SQLITE:
        row = "OLD" if "AFTER DELETE" in statement else "NEW"
        body = MARK.format(row=row)
        connection.execute(f"{statement} WHEN {row}.checkpoint_ns = '' BEGIN {body} END")
    mark_threads(connection)


def mark_threads(connection: sqlite3.Connection) -> None:
    """Mark every thread that has a checkpoint."""
    ids = [(thread_id,) for thread_id in read_thread_ids(connection)]
    connection.executemany(MARK.format(row=":one").replace(":one.thread_id", "?"), ids)
