"""What the page "When it goes wrong" quotes is what MaxAgent says."""

import ast
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from uuid import UUID

import pytest
from warm_start import LANG, run_mcode

from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
SYMPTOMS = [row.split("|")[1] for row in PAGE.splitlines() if row.startswith("| ")]
QUOTES = re.findall(r"`([^`]+)`", " ".join(SYMPTOMS))
FLOORS = {"cli", "sdk", "graphs", "nodes", "tools", "models", "memory", "config"}
NOT_OURS = {"mcode undo", "Could not resolve host"}
ASSEMBLED = {"sandbox: none"}


@cache
def said() -> str:
    """All texts in the source."""
    product = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in product)
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    catalog = (ROOT / "cli/i18n/locale/en/LC_MESSAGES/mcode.po").read_text(encoding="utf-8")
    scripts = [path.read_text("utf-8") for floor in FLOORS for path in (ROOT / floor).rglob("*.sh")]
    return "\n".join(
        [catalog, *scripts, *(node.value for node in nodes if isinstance(node.value, str))]
    )


def test_page_quotes_symptoms() -> None:
    assert len(QUOTES) > 25


@pytest.mark.parametrize("quote", sorted({*QUOTES} - NOT_OURS - ASSEMBLED))
def test_quoted_symptom_is_in_the_source(quote: str) -> None:
    assert re.sub(r" \d+$", "", quote).lower() in said().lower()


def mcode(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    retained = {"PATH": os.environ["PATH"], "LC_ALL": LANG, "MAXAGENT_HOME": str(folder / "home")}
    return run_mcode(arguments, folder, retained)


def test_without_a_key_the_provider_is_missing(tmp_path: Path) -> None:
    ended = mcode(tmp_path, "hello there")
    assert (ended.returncode, "no model provider is configured" in ended.stderr) == (2, True)


def test_thread_in_use_names_its_process(tmp_path: Path) -> None:
    thread = record_thread(tmp_path)
    with acquire_lease(tmp_path / "home", thread):
        ended = mcode(tmp_path, "resume", thread)
    assert (ended.returncode, "is in use by process" in ended.stderr) == (1, True)


def test_damaged_database_is_replaced_once(tmp_path: Path) -> None:
    record_thread(tmp_path)
    database = tmp_path / "home/data/threads.db"
    content = database.read_bytes()
    database.write_bytes(content[:8192] + bytes(len(content) - 8192))
    first, second = (mcode(tmp_path, "threads", "list") for _ in range(2))
    assert (first.returncode, "the database was damaged" in first.stderr) == (1, True)
    assert second.returncode == 0
    assert list(database.parent.glob("threads.db.corrupt-*"))


def test_thread_without_changes_has_nothing_to_undo(tmp_path: Path) -> None:
    ended = mcode(tmp_path, "undo", record_thread(tmp_path), "--yes")
    assert "has nothing to undo" in ended.stdout + ended.stderr


def record_thread(folder: Path) -> str:
    row = ThreadIndex(folder / "home").record_thread(
        thread_id=str(UUID(int=5, version=4)),
        title="t",
        folder=str(folder),
        graph="task",
        request="r",
        options={},
    )
    return row.thread_id
