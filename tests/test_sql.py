"""Values reach SQLite as parameters: what is built into a statement is ours, and listed here."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
STATEMENT = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA|WHERE|BEGIN|VALUES)\b")
EXECUTES = re.compile(r"\bexecute(many|script)?\(")
LANGGRAPH = re.compile(
    r"\b(FROM|INTO|UPDATE|JOIN|TABLE|INDEX|REINDEX)\s+(checkpoints|writes)\b|task_path|~__"
)
FOLDERS = ("config", "models", "memory", "tools", "nodes", "graphs", "sdk", "cli")
BUILT_IN = {
    ("memory/audit.py", "AUDIT_ROWS"),
    ("memory/threads/audit.py", "AUDIT_ROWS"),
    ("memory/threads/transfer_rows.py", "AUDIT_ROWS"),
    ("memory/threads/transfer_rows.py", "_MARKS"),
    ("memory/checkpoints/folder_rows.py", "column"),
    ("memory/checkpoints/folder_rows.py", "kept"),
    ("memory/checkpoints/folder_rows.py", "table"),
    ("memory/checkpoints/messages.py", "HAS_CONVERSATION"),
    ("memory/checkpoints/messages.py", "WRITTEN_BY_EDGE"),
    ("memory/checkpoints/messages.py", "WRITTEN_BY_UPDATE"),
    ("memory/checkpoints/thread_rows.py", "', '.join(columns)"),
    ("memory/checkpoints/thread_rows.py", "table"),
    ("memory/database/checkpointer.py", "setting"),
    ("memory/database/connection.py", "setting"),
    ("memory/database/connection.py", "step"),
    ("memory/database/connection.py", "version"),
    ("memory/checkpoints/tables.py", "KEY"),
    ("memory/checkpoints/tables.py", "ROW_NUMBER"),
    ("memory/database/postgres.py", "IDLE_SECONDS"),
    ("memory/database/server_tables.py", "KEY"),
    ("memory/database/server_tables.py", "POSTGRES_TABLES"),
    ("memory/database/server_tables.py", "ROW_NUMBER"),
    ("memory/database/server_tables.py", "VERSION_TABLE"),
    ("memory/database/copy.py", "marks"),
    ("memory/database/copy.py", "names"),
    ("memory/database/copy.py", "order"),
    ("memory/database/copy.py", "table"),
    ("memory/threads/server_lease.py", "_NOW"),
    ("sdk/workers/claims.py", "SILENT_SECONDS"),
    ("sdk/workers/claims.py", "_EXTEND.format(now=now)"),
    ("sdk/workers/claims.py", "_FORGET_SECONDS"),
    ("sdk/workers/claims.py", "now"),
    ("memory/database/salvage.py", "', '.join(columns)"),
    ("memory/database/salvage.py", "marks"),
    ("memory/database/salvage.py", "page_size"),
    ("memory/database/salvage.py", "table"),
    ("memory/checkpoints/index_triggers.py", "KEY"),
    ("memory/checkpoints/index_triggers.py", "MARK.format(row='NEW')"),
    ("memory/checkpoints/index_triggers.py", "MARK.format(row='OLD')"),
    ("memory/checkpoints/index_triggers.py", "body"),
    ("memory/checkpoints/index_triggers.py", "row"),
    ("memory/checkpoints/index_triggers.py", "statement"),
    ("memory/checkpoints/thread_facts.py", "_LAST"),
    ("memory/checkpoints/thread_facts.py", "_LAST.replace('DESC', 'ASC')"),
    (
        "memory/checkpoints/thread_facts.py",
        "_LAST.replace('SELECT checkpoint_id', 'SELECT checkpoint')",
    ),
    (
        "memory/checkpoints/thread_facts.py",
        "_LAST.replace('SELECT checkpoint_id', 'SELECT metadata')",
    ),
    ("memory/threads/index_rows.py", "_LOCK_WAIT"),
    ("memory/threads/index_rows.py", "_STALE"),
    ("memory/threads/index_rows.py", "body"),
    ("memory/threads/index_rows.py", "event"),
    ("memory/threads/index_rows.py", "name"),
    ("memory/threads/index_rows.py", "wait"),
    ("memory/threads/index_rows.py", "where"),
    ("memory/threads/index.py", "assignment"),
    ("memory/threads/rows.py", "', '.join((f':{column}' for column in stored))"),
    ("memory/threads/rows.py", "', '.join(stored)"),
    ("memory/threads/rows.py", "column"),
    ("memory/threads/sub_runs.py", "', '.join((f':{column}' for column in _COLUMNS))"),
    ("memory/threads/sub_runs.py", "', '.join(_COLUMNS)"),
}
"""Names of columns and tables, and settings: each from a constant or a dataclass of ours."""


def built_in(path: Path) -> set[tuple[str, str]]:
    """What the f-strings that are statements put in; `%` and `format` count as a whole."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text, values = "", list[str]()
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(p.value) for p in node.values if isinstance(p, ast.Constant))
            values = [
                ast.unparse(p.value) for p in node.values if isinstance(p, ast.FormattedValue)
            ]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("execute", "script")):
            first = node.args[0] if node.args else None
            is_match = isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mod)
            is_match = is_match or (
                isinstance(first, ast.Call) and "format" in ast.unparse(first.func)
            )
            text, values = "SELECT", [ast.unparse(node.args[0])] if is_match else []
        names |= set(values) if STATEMENT.search(text) or "execute" in text else set()
    return {(str(path.relative_to(ROOT)), value) for value in names}


def test_no_value_is_built_into_a_statement() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    with_sqlite = [path for path in paths if EXECUTES.search(path.read_text(encoding="utf-8"))]
    result = {item for path in with_sqlite for item in built_in(path)}
    assert {item for item in result if item[0].startswith(("memory/", "sdk/"))} <= BUILT_IN


def test_only_checkpoints_knows_langgraphs_tables() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    outside = [path for path in paths if path.parent != ROOT / "memory" / "checkpoints"]
    assert len(outside) < len(paths)
    assert [
        f"{path.relative_to(ROOT)}: {node.value.strip()}"
        for path in outside
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if LANGGRAPH.search(node.value)
    ] == [], "add a function to memory/checkpoints"
