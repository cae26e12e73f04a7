from importlib.util import find_spec

import pytest

if find_spec("starlette") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from starlette.datastructures import Headers

from maxagent.sdk.studio.access_control import is_local

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
