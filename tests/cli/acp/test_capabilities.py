"""The first message of a client, answered before anything heavy is imported."""

import json
import os

import pytest

from maxagent.cli.acp.capabilities import answer_initialize

KNOWN = {"fs": {"readTextFile": True}}


def build_frame(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", **fields}).encode()


@pytest.mark.parametrize(
    ("params", "version", "capabilities"),
    [
        ({"protocolVersion": 1}, 1, {}),
        ({"protocolVersion": 1, "clientCapabilities": KNOWN}, 1, KNOWN),
        ({"protocolVersion": 2, "capabilities": KNOWN}, 2, KNOWN),
        ({"protocolVersion": 2, "clientCapabilities": KNOWN}, 2, {}),
        ({"protocolVersion": 99}, 2, {}),
        ({"protocolVersion": 0}, 1, {}),
    ],
)
def test_a_client_is_greeted(
    params: dict[str, object], version: int, capabilities: dict[str, object]
) -> None:
    read, write = os.pipe()
    assert answer_initialize(build_frame(id="a", params=params), write) == (version, capabilities)
    os.close(write)
    with open(read, "rb") as lines:
        [answer] = lines
    greeting = json.loads(answer)
    assert (greeting["id"], greeting["result"]["protocolVersion"]) == ("a", version)


@pytest.mark.parametrize(
    "frame",
    [
        b"nonsense",
        b"[]",
        build_frame(method="session/new", params={"cwd": "/"}),
        build_frame(params={"protocolVersion": True}),
        build_frame(params={"protocolVersion": "1"}),
        build_frame(params=[]),
        build_frame(),
        b'{"method": "initialize", "params": {"protocolVersion": 1}}',
    ],
)
def test_other_messages_are_left_to_the_connection(frame: bytes) -> None:
    read, write = os.pipe()
    assert answer_initialize(frame, write) is None
    os.close(write)
    with open(read, "rb") as lines:
        assert lines.read() == b""
