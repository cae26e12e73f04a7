"""What a thread lists of its notes, it finds by searching, too."""

from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from maxagent.memory.cards.card import SCOPES, Source
from maxagent.memory.cards.library import CardDraft, CardLibrary
from maxagent.tools.builtin.notes.memory_tools import recall_notes, record_note, search_memory
from maxagent.tools.card_access import CardAccess
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


class Notebook:
    """The tools of notes over cards in memory, for any thread."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.library = CardLibrary(InMemoryStore(), folder, "0123456789abcdef")

    async def call(self, tool: object, thread: str = "mine", **args: object) -> str:
        access = CardAccess(self.library, Source(thread, by="model"), SCOPES)
        run = ToolRun(self.workspace, "c", self.workspace.root, cards=access)
        result = await invoke(tool, args, run)
        return result.output or result.error


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path)


@pytest.mark.parametrize(
    ("content", "category", "query"),
    [
        ("The importer reads CSV with semicolons.", "general", "csv"),
        ("Integration tests need Redis.", "fact", "redis tests"),
        ("Ship on Tuesdays only.", "decision", "decision"),
        ("Keep the wire format of v1.", "constraint", "constraints"),
        ("The configuration is read once.", "general", "config"),
        ("Auth tokens last an hour.", "auth", "authentication"),
        ("导入工具只读取分号分隔的文件", "general", "分"),
        ("Переводы лежат в каталоге i18n", "перевод", "переводы"),
    ],
)
async def test_note_that_is_listed_is_found(
    notebook: Notebook, content: str, category: str, query: str
) -> None:
    await notebook.call(record_note, content=content, category=category)
    await notebook.call(record_note, content="Line length is 88.", category="style")
    assert content in await notebook.call(recall_notes, category=category)
    hits = await notebook.call(search_memory, query=query)
    assert content in hits and "proposed" in hits and "Line length" not in hits


async def test_other_threads_find_no_undecided_note(notebook: Notebook) -> None:
    await notebook.call(record_note, content="The importer reads CSV.")
    for tool, args in ((recall_notes, {}), (search_memory, {"query": "importer"})):
        assert "CSV" not in await notebook.call(tool, "another", **args)


async def test_dropped_note_is_neither_listed_nor_found(notebook: Notebook) -> None:
    source = Source("mine", by="model")
    added = await notebook.library.add(CardDraft("It reads CSV.", scope="notes", source=source))
    await notebook.library.retire(added.card.id)
    assert await notebook.call(recall_notes) == "there are no notes"
    assert await notebook.call(search_memory, query="CSV") == "nothing found"


async def test_search_without_hit_names_the_list(notebook: Notebook) -> None:
    await notebook.call(record_note, content="Use pnpm.")
    answer = await notebook.call(search_memory, query="package manager")
    assert answer == "nothing found by these words; `recall_notes` lists all notes (1)"
