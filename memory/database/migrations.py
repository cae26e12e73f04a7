"""Migrations of our tables: `PRAGMA user_version` counts those already applied.

A new table takes:

- a migration at the end of `MIGRATIONS`; one is only added, never changed
"""

MIGRATIONS = (
    """
    CREATE TABLE threads (
        thread_id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        name TEXT NOT NULL,
        folder TEXT NOT NULL,
        graph TEXT NOT NULL,
        request TEXT NOT NULL,
        options TEXT NOT NULL,
        status TEXT NOT NULL,
        evidence TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    );
    CREATE UNIQUE INDEX threads_by_name ON threads (name) WHERE name != '';
    CREATE INDEX threads_by_folder ON threads (folder, updated_at);
    CREATE TABLE journal (
        thread_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT NOT NULL,
        effectful INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('started', 'done')),
        result TEXT,
        started_at TEXT NOT NULL,
        finished_at TEXT,
        pid INTEGER NOT NULL,
        PRIMARY KEY (thread_id, call_id)
    );
    """,
    """
    ALTER TABLE threads ADD COLUMN parent TEXT NOT NULL DEFAULT '';
    ALTER TABLE threads ADD COLUMN parent_step INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE file_history (
        thread_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        key TEXT NOT NULL,
        kind TEXT NOT NULL,
        tool TEXT NOT NULL,
        turn INTEGER NOT NULL,
        reverted TEXT NOT NULL,
        before_tree TEXT NOT NULL,
        after_tree TEXT NOT NULL,
        changes TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('started', 'done')),
        sure INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        left_alone TEXT NOT NULL,
        PRIMARY KEY (thread_id, number),
        UNIQUE (thread_id, key)
    );
    """,
    """
    -- LangGraph's rows may be compressed: an older MaxAgent could not read them
    """,
    # NULL: an older MaxAgent did not record which changes others may have made
    "ALTER TABLE file_history ADD COLUMN doubtful TEXT;",
    # what a started call has asked the user; NULL: nothing. Older ones take it for cut short
    "ALTER TABLE journal ADD COLUMN question TEXT;",
    """
    CREATE TABLE sub_runs (
        thread_id TEXT NOT NULL,
        sub_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        namespace TEXT NOT NULL,
        agent TEXT NOT NULL,
        title TEXT NOT NULL,
        status TEXT NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        requests INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        cost REAL,
        worktree TEXT NOT NULL,
        report TEXT NOT NULL,
        PRIMARY KEY (thread_id, sub_id),
        UNIQUE (thread_id, call_id, position)
    );
    """,
    # short, and without an index: the schema must fit on the first page of a database with pages of
    # 4 kB, or a file without its end has no readable table
    "CREATE TABLE pull_requests (thread_id, record);",
    """
    -- a name belongs to its folder: two projects may each have a `main`
    DROP INDEX threads_by_name;
    CREATE UNIQUE INDEX threads_by_name ON threads (name, folder) WHERE name != '';
    """,
)
