"""Model servers of this machine."""

import pytest
from provider import Provider

from maxagent.models.local_servers import find_local_servers, has_models

NOWHERE = "http://127.0.0.1:9"
LOCAL = ("OLLAMA", "LMSTUDIO", "VLLM", "LLAMACPP")


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"status": 200, "body": {"data": [{"id": "m"}]}}, True),
        ({"status": 200, "body": {"data": []}}, True),
        ({"status": 200, "body": "<html>"}, False),
        ({"status": 404, "body": []}, False),
        ({"reset": True}, False),
    ],
)
def test_a_server_with_models_is_found(
    provider: Provider, answer: dict[str, object], result: bool
) -> None:
    provider.script(lambda _: answer)
    environ = {f"{name}_BASE_URL": NOWHERE for name in LOCAL} | {"VLLM_BASE_URL": provider.url}
    assert [each.name for each in find_local_servers(environ)] == (["vllm"] if result else [])
    assert provider.requests[0].path == "/v1/models"


def test_an_odd_address_has_no_models() -> None:
    assert not has_models("http://[::1") and not has_models("http://127.0.0.1:x")
