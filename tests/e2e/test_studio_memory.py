"""Memory and long threads in LangGraph's server: cards are edited there, `compact` works there."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("langgraph_api") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from langgraph_sdk import get_client
from provider import Provider
from studio import MCODE, House

from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.listing import read_cards
from maxagent.memory.cards.namespaces import get_namespace, identify_project
from maxagent.memory.cards.store import open_library

WRITE = {"name": "write_file", "args": {"path": "log.txt", "content": "x"}}
KEY = "sk-for-these-tests"
DONE = {"name": "attempt_completion", "args": {"result": "nothing to do"}}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> House:
    house = House(tmp_path_factory.mktemp("studio"))
    home = house.folder / "home"
    home.mkdir(mode=0o700)
    settings = {
        "litellm": {"base_url": provider.url, "api_key": KEY},
        "context": {"model": "none", "compact_tokens": 15_000},
    }
    (home / "config.yaml").write_text(json.dumps(settings))
    return house


@pytest.fixture(scope="module")
def address(house: House) -> Iterator[str]:
    with house.serve(*MCODE, "studio", "--mode", "auto") as (address, _):
        yield address


async def test_card_edited_in_studio_is_read_by_next_thread(house: House, address: str) -> None:
    task = house.project("project", [{"tool_calls": [WRITE]}, {"tool_calls": [DONE]}])
    home, folder = house.folder / "home", Path(task["folder"])
    project = identify_project(folder)
    async with open_library(home, folder) as library:
        card = (await library.add(CardDraft("Use tabs", type="preference"))).card
    namespace = get_namespace("project", project)
    async with get_client(url=address) as client:
        items = await client.store.search_items(("memory", "project"), limit=100)
        (item,) = items["items"]
        assert (tuple(item["namespace"]), item["key"]) == (namespace, card.id)
        edited = {**item["value"], "content": "Use four blanks"}
        await client.store.put_item(namespace, card.id, edited)
        await client.store.put_item(namespace, "by-hand", {"content": "Written by hand"})
        thread = (await client.threads.create())["thread_id"]
        ended = await client.runs.wait(thread, "task", input=task)
    message = ended["context_message"]
    assert ("Use four blanks" in message, "Written by hand" in message) == (True, True)
    assert "Use tabs" not in message
    assert {each.content: each.type for each in read_cards(home, project)} == {
        "Use four blanks": "preference",
        "Written by hand": "fact",
    }


async def test_compact_does_its_work_in_studio(
    house: House, address: str, provider: Provider
) -> None:
    reads = [{"name": "read_file", "args": {"path": f"f{number}.txt"}} for number in range(18)]
    answers = [{"tool_calls": [call]} for call in (*reads, WRITE, DONE)]
    provider.script([{"text": "SMALL: log.txt"}, *answers, {"text": "ACCEPTED"}])
    task = house.project("long", [])
    task["options"] = {"model": "openai/any", "apply": True}
    for number in range(18):
        lines = (f"line {number}.{line} says nothing of interest\n" for line in range(110))
        Path(task["folder"], f"f{number}.txt").write_text("".join(lines))
    async with get_client(url=address) as client:
        thread = (await client.threads.create())["thread_id"]
        ended = await client.runs.wait(thread, "task", input=task)
        states = await client.threads.get_history(thread, limit=200)
    assert (ended["outcome"], Path(task["folder"], "log.txt").read_text()) == ("verified", "x")
    assert any("compact" in state["next"] for state in states)
    cut = ended["cuts"]["coder"]
    assert cut["made_by"] in ("bridge", "prune") and cut["after"] < cut["before"]
    results = [message for message in ended["messages"] if message["type"] == "tool"]
    assert len(results) >= len(reads)
