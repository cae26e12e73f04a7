"""A bare agent over httpx that keeps nothing: `httpx_loop.py URL FOLDER`."""

import asyncio
import sys
from pathlib import Path

import httpx
from lean_client import REQUEST, SYSTEM, read_file, turn


async def main(url: str, folder: Path) -> None:
    """Ask and read files until an answer has no call."""
    messages = [SYSTEM, REQUEST]
    async with httpx.AsyncClient() as client:
        while (answer := await turn(client, url, messages))["tool_calls"]:
            messages.append(answer)
            for call in answer["tool_calls"]:
                text = read_file(folder, call["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})


try:
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
except httpx.HTTPStatusError as refused:
    sys.exit(str(refused))
