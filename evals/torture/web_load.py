"""Let 50 threads stream to 100 clients from one server: nothing is lost, no stream ends.

    python evals/torture/web_load.py [--threads 50] [--clients 100] [--slow 10]

Some more clients read nothing at all: they must hold up no other. Prints memory and processor time
of the server. Exit code 1: a client did not get its thread's whole answer.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from page_server import PageServer
from program import Program
from provider import Provider

WORDS, LIMIT = 200, 500.0
ANSWER = " ".join(f"word-{number}" for number in range(WORDS)) + " end"


async def open_stream(server: PageServer, thread: str) -> asyncio.StreamReader:
    """Ask for the events of a thread from the beginning."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=2**24)
    head = [
        f"GET /api/threads/{thread}/events HTTP/1.1",
        f"Host: {server.host}",
        f"Authorization: Bearer {server.token}",
        "Last-Event-ID: 0",
    ]
    writer.write("\r\n".join([*head, "", ""]).encode())
    reader.writer = writer  # pyright: ignore
    return reader


async def follow(server: PageServer, thread: str, limit: float) -> str:
    """Read to the end of the thread's run; return what is wrong."""
    seen = list[str]()
    with suppress(TimeoutError):
        async with asyncio.timeout(limit):
            return await read_to_end(await open_stream(server, thread), seen)
    return f"its run goes on after {limit:.0f} s: {len(seen)} messages, {seen[-3:]}"


async def read_to_end(reader: asyncio.StreamReader, seen: list[str]) -> str:
    """Read to the end of a run; `seen` gets the types of its messages."""
    position, answer = -1, ""
    while line := await reader.readline():
        if not line.startswith(b"data: "):
            continue
        message: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
        number, data = message["meta"]["seq"], message["data"]
        seen.append(message["type"])
        if number <= position:
            return f"{number} came after {position}"
        position = number
        if message["type"] == "history":
            entries = data["entries"]
            answer = "".join(each["text"] for each in entries if each["kind"] == "answer")
        if message["type"] == "output":
            answer += data["text"]
        status = (data.get("thread") or {}).get("status")
        if message["type"] == "completion" or (status == "idle" and not data["is_running"]):
            return "" if answer.strip() == ANSWER else f"its answer has {len(answer)} characters"
    return "its stream ended"


def read_memory(pid: int) -> dict[str, int]:
    """Return the memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    rows = dict(line.split(":", 1) for line in lines)
    return {name: int(rows[name].split()[0]) // 1000 for name in ("VmRSS", "VmHWM")}


def read_cpu(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def play(server: PageServer, threads: int, clients: int, slow: int) -> list[str]:
    """Begin the threads, follow them; return what is wrong."""
    texts = [f"Thread {number}." for number in range(threads)]
    begun = await asyncio.gather(*(asyncio.to_thread(server.begin, text) for text in texts))
    # who never reads: kept open, and not touched again
    idle = [await open_stream(server, begun[number % threads]) for number in range(slow)]
    tasks = [follow(server, begun[number % threads], LIMIT) for number in range(clients)]
    faults = await asyncio.gather(*tasks)
    assert len(idle) == slow
    return [fault for fault in faults if fault]


def main() -> int:
    """Play; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=50)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--slow", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Provider() as provider:
        answer = {"text": ANSWER, "portion": 9, "pause": 0.05}
        provider.script(lambda _: answer)
        environ = {"OPENAI_BASE_URL": provider.url, "LLC_MODEL__DEFAULT": "openai/served"}
        with PageServer(Program(Path(name, "place"), provider.url, environ)) as server:
            pid, started = server.process.pid, time.monotonic()
            before, cpu = read_memory(pid), read_cpu(pid)
            faults = asyncio.run(play(server, given.threads, given.clients, given.slow))
            after, cpu, took = read_memory(pid), read_cpu(pid) - cpu, time.monotonic() - started
    print(f"{given.threads} threads, {given.clients} clients, {given.slow} that never read")
    print(f"{took:.0f} s, {cpu:.1f} s of a core; memory {before['VmRSS']} MB, then", end=" ")
    print(f"{after['VmRSS']} MB, at most {after['VmHWM']} MB")
    print(*(faults or ["every client got the whole answer"]), sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
