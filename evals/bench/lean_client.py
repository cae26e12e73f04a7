"""What both yardsticks share: one streamed turn over httpx, and one tool that reads a file."""

import json
from pathlib import Path
from typing import Any

import httpx

Message = dict[str, Any]

SYSTEM: Message = {"role": "system", "content": "You are a coding agent. Read what you need."}
REQUEST: Message = {"role": "user", "content": "Make the numbers right"}
READ_FILE = {
    "name": "read_file",
    "description": "Read a file of the project",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}
TOOLS = [{"type": "function", "function": READ_FILE}]


async def turn(client: httpx.AsyncClient, url: str, messages: list[Message]) -> Message:
    """Ask once and gather the stream; raises httpx.HTTPStatusError for a refusal."""
    body = {"model": "bench", "stream": True, "tools": TOOLS, "messages": messages}
    text, calls = "", dict[int, dict[str, Any]]()
    async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
        if response.is_error:
            await response.aread()
        response.raise_for_status()
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    text += choice["delta"].get("content") or ""
                    _gather(calls, choice["delta"].get("tool_calls", ()))
    return {"role": "assistant", "content": text, "tool_calls": list(calls.values())}


def _gather(calls: dict[int, dict[str, Any]], pieces: list[dict[str, Any]]) -> None:
    for piece in pieces:
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call = calls.setdefault(piece["index"], empty)
        call["id"] += piece.get("id", "")
        for part, more in piece["function"].items():
            call["function"][part] += more


def read_file(folder: Path, arguments: str) -> str:
    """The tool."""
    return (folder / json.loads(arguments)["path"]).read_text()
