"""The cards in LangGraph's server: listed and edited over its API, and read by the next thread."""

from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("langgraph_api") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from langgraph_sdk import get_client
from studio import MCODE, House

from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.listing import read_cards
from maxagent.memory.cards.namespaces import get_namespace, identify_project
from maxagent.memory.cards.store import open_library

WRITE = {"name": "write_file", "args": {"path": "log.txt", "content": "x"}}
DONE = {"name": "attempt_completion", "args": {"result": "nothing to do"}}


async def test_card_edited_in_studio_is_read_by_next_thread(tmp_path: Path) -> None:
    house = House(tmp_path)
    task = house.project("project", [{"tool_calls": [WRITE]}, {"tool_calls": [DONE]}])
    home, folder = tmp_path / "home", Path(task["folder"])
    project = identify_project(folder)
    async with open_library(home, folder) as library:
        card = (await library.add(CardDraft("Use tabs", type="preference"))).card
    namespace = get_namespace("project", project)
    with house.serve(*MCODE, "studio", "--mode", "auto") as (address, _):
        async with get_client(url=address) as client:
            listed = await client.store.search_items(("memory",), limit=100)
            (item,) = listed["items"]
            assert (tuple(item["namespace"]), item["key"]) == (namespace, card.id)
            edited = {**item["value"], "content": "Use four blanks"}
            await client.store.put_item(namespace, card.id, edited)
            await client.store.put_item(namespace, "by-hand", {"content": "Written by hand"})
            thread = (await client.threads.create())["thread_id"]
            ended = await client.runs.wait(thread, "task", input=task)
    told = ended["context_message"]
    assert ("Use four blanks" in told, "Written by hand" in told) == (True, True)
    assert "Use tabs" not in told
    assert {each.content: each.type for each in read_cards(home, project)} == {
        "Use four blanks": "preference",
        "Written by hand": "fact",
    }
