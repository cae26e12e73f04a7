"""What requests carry, and how much of each the next one repeats."""

import json
import os
from collections.abc import Sequence

from provider import Request

MESSAGES = b'"messages":['


def system_characters(request: Request) -> int:
    """Characters of the system prompt."""
    messages = request.body["messages"]
    return sum(len(m["content"]) for m in messages if m["role"] == "system")


def tool_sizes(request: Request) -> dict[str, int]:
    """Characters of each tool, the largest first."""
    sizes = {
        tool["function"]["name"]: len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")))
        for tool in request.body["tools"]
    }
    return dict(sorted(sizes.items(), key=lambda pair: -pair[1]))


def measure_parts(request: Request) -> dict[str, int]:
    """Bytes of the system prompt, the tools, the other messages and the rest; the sum is all."""
    messages = request.body["messages"]
    system = [message for message in messages if message["role"] == "system"]
    parts = {
        "system prompt": system,
        "tools": request.body["tools"],
        "other messages": [message for message in messages if message not in system],
    }
    sizes = {name: len(_to_bytes(part)) for name, part in parts.items()}
    return {**sizes, "rest": len(request.raw) - sum(sizes.values())}


def _to_bytes(part: object) -> bytes:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode()


def share_repeated(requests: Sequence[Request]) -> float:
    """The smallest share of a request's bytes that the next request begins with; 1.0 is all.

    A request ends with its messages, so all of it but the closing brackets can come again.
    """
    bodies = [request.raw for request in requests]
    if any(body.find(MESSAGES) < 0 or not body.endswith(b"]}") for body in bodies):
        raise ValueError("a request does not end with its messages")
    return min(_share(*pair) for pair in zip(bodies, bodies[1:], strict=False))


def _share(earlier: bytes, later: bytes) -> float:
    whole = earlier.removesuffix(b"]}")
    return len(os.path.commonprefix([whole, later])) / len(whole)
