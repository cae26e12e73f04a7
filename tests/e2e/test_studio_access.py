"""Who may use an open Studio, and what a client of it may choose: the server as another process."""

import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2
import pytest

if find_spec("langgraph_api") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from provider import Provider
from studio import LANGGRAPH_DEV, MCODE, House
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from maxagent import trust

KEY = "sk-a-key-of-the-user"
WRITE = {"tool_calls": [{"name": "run_command", "args": {"command": "echo x >> ../outside.txt"}}]}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """The endpoint that the user's own configuration names."""
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def foreign() -> Iterator[Provider]:
    """An endpoint that somebody else would like the key to go to."""
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> House:
    house = House(tmp_path_factory.mktemp("access"))
    configured(house.folder / "home", provider)
    return house


@pytest.fixture(scope="module")
def address(house: House) -> Iterator[str]:
    with house.serve(*MCODE, "studio") as (address, _):
        yield address


@pytest.fixture
async def client(address: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=address) as client:
        yield client


def configured(home: Path, provider: Provider) -> None:
    home.mkdir(mode=0o700)
    text = json.dumps({"litellm": {"base_url": provider.url, "api_key": KEY}})
    (home / "config.yaml").write_text(text)


def task_with(house: House, name: str, **options: Any) -> dict[str, Any]:
    """A task for the configured model in a new project; its model is asked over HTTP."""
    task = house.project(name, [])
    task["options"] = {"model": "openai/any", **options}
    return task


async def failure(client: LangGraphClient, task: dict[str, Any], **value: Any) -> str:
    thread = (await client.threads.create())["thread_id"]
    with pytest.raises(Exception) as error:
        await client.runs.wait(thread, "task", input=task, **value)
    return str(error.value)


@pytest.mark.parametrize("secret", ["", "/wrong"])
def test_without_the_secret_every_route_refuses(address: str, secret: str) -> None:
    server = address.rpartition("/")[0]
    routes = httpx2.get(f"{address}/openapi.json").json()["paths"]
    hidden = dict.fromkeys(("/", "/ok", "/metrics", "/docs", "/ui"), ["get"])
    with httpx2.Client() as anybody:
        answers = {
            (method, path): anybody.request(method, server + secret + re.sub(r"\{.*?\}", "x", path))
            for path, methods in {**routes, **hidden, "/openapi.json": ["get"]}.items()
            for method in [*methods, "options"]
        }
    assert len(routes) > 30
    assert {key: answer.status_code for key, answer in answers.items()} == dict.fromkeys(
        answers, 403
    )
    assert len({answer.text for answer in answers.values()}) == 1  # nor does one say more


def test_a_socket_without_the_secret_is_refused(address: str) -> None:
    server = address.rpartition("/")[0].replace("http", "ws")
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"{server}/threads/x/stream")


@pytest.mark.parametrize(
    ("origin", "code"),
    [("https://smith.langchain.com", 200), ("https://evil.example", 403)],
)
def test_with_the_secret_only_studios_page_is_answered(
    address: str, origin: str, code: int
) -> None:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    assert httpx2.options(f"{address}/threads", headers=headers).status_code == code
    assert httpx2.post(f"{address}/threads", json={}, headers=headers).status_code == code


def test_each_start_has_another_secret(tmp_path: Path, address: str) -> None:
    with House(tmp_path).serve(*LANGGRAPH_DEV) as (other, _):
        server, _, secret = other.rpartition("/")
        assert secret != address.rpartition("/")[2]
        assert httpx2.get(f"{server}/info").status_code == 403
        assert httpx2.get(f"{other}/info").status_code == 200


async def test_client_cannot_choose_endpoint_for_the_key(
    client: LangGraphClient, house: House, foreign: Provider
) -> None:
    names = task_with(house, "options", base_url=foreign.url)
    assert "not an endpoint in your configuration" in await failure(client, names)

    by_project = task_with(house, "by-project")
    folder = Path(by_project["folder"])
    (folder / ".llc.yaml").write_text(json.dumps({"litellm": {"base_url": foreign.url}}))
    trust(folder, house.folder / "home")
    assert "not an endpoint in your configuration" in await failure(client, by_project)

    by_form = task_with(house, "by-form")
    await failure(client, by_form, context={"base_url": foreign.url})
    await failure(client, by_form, config={"configurable": {"base_url": foreign.url}})
    await client.assistants.create("task", context={"base_url": foreign.url}, name="preset")
    assert foreign.connections == 0


async def test_a_client_cannot_name_another_home(
    client: LangGraphClient, house: House, provider: Provider, foreign: Provider
) -> None:
    configured(other := house.folder / "other", foreign)
    before = len(provider.requests)
    await failure(client, task_with(house, "homely"), context={"home": str(other)})
    assert provider.requests[before].headers["Authorization"] == f"Bearer {KEY}"
    assert (foreign.connections, os.listdir(other)) == (0, ["config.yaml"])


@pytest.mark.parametrize("context", [{}, {"mode": "auto"}])
async def test_a_client_cannot_choose_a_looser_mode(
    client: LangGraphClient, house: House, context: dict[str, str]
) -> None:
    task = house.project(f"looser-{len(context)}", [WRITE, {"text": "Done."}])
    task["options"]["mode"] = "auto"
    thread = (await client.threads.create())["thread_id"]
    asked = await client.runs.wait(thread, "task", input=task, context=context)
    (question,) = asked["__interrupt__"]
    assert question["value"]["action_requests"][0]["name"] == "run_command"
    assert not (house.folder / "outside.txt").exists()


async def test_terminal_thread_keeps_its_endpoint_after_refusal(
    client: LangGraphClient, house: House, foreign: Provider
) -> None:
    task = house.project("terminal", [WRITE, *[{"text": "Done."}] * 5])
    asked = house.mcode(
        *("task", "x", "--folder", task["folder"], "--model", task["options"]["model"]),
        *("--base-url", foreign.url, "--output", "json"),
    )
    thread = asked.last["thread_id"]
    await client.threads.create(thread_id=thread, graph_id="task", if_exists="do_nothing")
    refused = await client.runs.wait(
        thread, "task", command={"resume": {"decisions": [{"type": "approve"}]}}, raise_error=False
    )
    assert "not an endpoint in your configuration" in str(refused)
    assert not (house.folder / "outside.txt").exists()

    again = house.mcode("resume", thread, "--reject", "no", "--output", "json")
    assert (again.last["thread_id"], again.last["type"]) == (thread, "completion")
    assert not (house.folder / "outside.txt").exists()
