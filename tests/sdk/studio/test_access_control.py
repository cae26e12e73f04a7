import asyncio
from importlib.util import find_spec
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from maxagent.config import paths
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.studio.access_control import (
    READ_SECONDS,
    AccessControl,
    ThreadListing,
    build_secret_address,
    is_local,
)


class Unreadable(ThreadListing):
    """A list whose server is away."""

    tries = 0
    enough = asyncio.Event()

    async def update(self) -> None:
        self.tries += 1
        if self.tries == 3:
            self.enough.set()
        raise OSError("the server is away")


if find_spec("starlette") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

HERE = "127.0.0.1:2024"


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        (HERE, None, True),
        ("localhost:2024", None, True),
        ("[::1]:2024", None, True),
        (HERE, "https://smith.langchain.com", True),
        (HERE, "https://eu.smith.langchain.com", True),
        (HERE, "http://localhost:3000", True),
        (HERE, "https://evil.example", False),
        (HERE, "null", False),
        (HERE, "", False),
        (HERE, "https://smith.langchain.com.evil.example", False),
        (HERE, "https://evil.example/smith.langchain.com", False),
        (HERE, "http://smith.langchain.com", False),
        (HERE, "http://localhost.evil.example", False),
        ("evil.example:2024", None, False),
        ("evil.example:2024", "http://evil.example:2024", False),
        ("", None, False),
    ],
)
def test_only_localhost_and_studio_page_are_allowed(
    host: str, origin: str | None, allowed: bool
) -> None:
    headers = {"host": host} if origin is None else {"host": host, "origin": origin}
    assert is_local(Headers(headers)) is allowed


SECRET = "SECRET"


@pytest.mark.parametrize(
    ("path", "authorization", "expected"),
    [
        ("/SECRET/ok", None, "/ok"),
        ("/ok", "Bearer SECRET", "/ok"),
        ("/ok", None, None),
        ("/ok", "Bearer wrong", None),
        ("/ok", "SECRET", None),
        ("/wrong/ok", None, None),
        ("/ok/SECRET", None, None),
    ],
)
async def test_secret_is_in_path_or_header(
    path: str, authorization: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGGRAPH_API_URL", "http://127.0.0.1:2024")
    secret = build_secret_address().rpartition("/")[2]
    passed, sent = list[Scope](), list[Message]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope)

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", HERE.encode())]
    if authorization is not None:
        headers.append((b"authorization", authorization.replace(SECRET, secret).encode()))
    scope: Scope = {"type": "http", "path": path.replace(SECRET, secret), "headers": headers}
    await AccessControl(app)(scope, receive, send)
    assert [each["path"] for each in passed] == ([expected] if expected else [])
    assert all(b"authorization" not in dict(each["headers"]) for each in passed)
    assert [each["status"] for each in sent[:1]] == ([] if expected else [403])


async def test_failed_reading_is_soon_tried_again(tmp_path: Path) -> None:
    await asyncio.to_thread(lambda: ThreadIndex(tmp_path).list())
    assert paths.locate_database(tmp_path).exists()
    listing = Unreadable(tmp_path)
    following = asyncio.create_task(listing.follow())
    await asyncio.wait_for(listing.enough.wait(), READ_SECONDS)
    following.cancel()
    await asyncio.wait((following,))
