"""Cut the connection of a page, and kill its server, N times during runs: no event is lost.

    python evals/torture/web_torture.py 100 [--seed S]

A thread has turn after turn. The client reads as the page does, and at random moments its
connection is cut, it stays away, it begins anew, or the server is killed and started again; it
reads now in English, now in Chinese. With `--database` the threads are kept there. The
numbers must only grow; what the page's own reducer makes of all that the client was sent (by Node,
if it is here) must be what it makes of the thread that the database has; each message must be there
once, and no call may have run twice. Exit code 1: something was violated; the folder is kept.
"""

import argparse
import json
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from page_server import PageServer
from program import Program
from provider import Answer, Provider, Request
from service_users import read_text

REDUCER = Path(__file__).parents[2] / "cli" / "web" / "page" / "reducer.js"
# Prints what the page shows: no thoughts, which a half answer may have begun
REDUCE = """
import { readFileSync } from "node:fs";
const { EMPTY, reduce } = await import(process.argv[1]);
const lines = readFileSync(0, "utf8").trim().split("\\n").map((line) => JSON.parse(line));
const { items } = lines.reduce(reduce, EMPTY);
const shown = items.filter((item) => ["human", "answer", "call"].includes(item.kind));
const rows = shown.map((item) => [item.kind, (item.text || item.id).trim(), item.ok ?? null]);
console.log(JSON.stringify(rows));
"""
CUTS = ("cut", "cut", "sleep", "reload", "kill")
CALLS, PATIENCE = 3, 90.0
ENDED = ("idle", "waiting", "failed", "limit")


@dataclass
class Reader:
    """The client: what it was sent, which begins again with each message of type `history`."""

    thread: str
    position: int = 0
    shown: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    faults: list[str] = field(default_factory=list[str])
    is_over: bool = False
    count: int = 0

    def take(self, message: dict[str, Any]) -> None:
        """Take one message."""
        number, kind, data = message["meta"]["seq"], message["type"], message["data"]
        self.count += 1
        if number < self.position or (number == self.position and kind != "history"):
            self.faults.append(f"{kind} {number} came after {self.position}")
        if kind == "history":
            self.shown.clear()
        self.shown.append(message)
        self.position = number
        status = (data.get("thread") or {}).get("status") if kind == "history" else ""
        self.is_over = kind in ("completion", "question", "error") or (
            status in ENDED and not data["is_running"]
        )

    def reload(self) -> None:
        """Forget everything, as a tab that is loaded again."""
        self.position, self.is_over = 0, False
        self.shown.clear()


def answer_turn(request: Request) -> Answer:
    """Be the model: some calls with an effect, a long answer at the end; all of it takes time."""
    texts = [read_text(each) for each in request.body["messages"] if each["role"] == "user"]
    turn = [match for text in texts if (match := re.search(r"Turn (\d+)\.", text))][-1][1]
    messages = request.body["messages"]
    begin = max(
        at
        for at, each in enumerate(messages)
        if each["role"] == "user" and f"Turn {turn}." in read_text(each)
    )
    step = sum(bool(each.get("tool_calls")) for each in messages[begin:])
    if step == CALLS:
        return {"text": f"The end of turn {turn}. " + "word " * 60, "portion": 9, "pause": 0.01}
    args = {"command": f"echo {turn}.{step} >> log"}
    call = {"name": "run_command", "args": args, "id": f"t{turn}c{step}"}
    return {"text": f"Step {turn}.{step}.", "tool_calls": [call], "portion": 4, "pause": 0.01}


class WebTrial:
    """One thread, its server, and who cuts them."""

    def __init__(self, folder: Path, dice: Random, cuts: int, database: str = "") -> None:
        self.dice, self.done = dice, Counter[str]()
        self.plan = [dice.choice(CUTS) for _ in range(cuts)]
        self.provider = Provider()
        environ = {"OPENAI_BASE_URL": self.provider.url, "LLC_MODEL__DEFAULT": "openai/served"}
        environ |= {"LLC_DATABASE": database} if database else {}
        self.program = Program(folder, self.provider.url, environ)
        self.turns = 0

    def play(self) -> list[str]:
        """Play until all cuts are made; return what is wrong."""
        with self.provider:
            self.provider.script(answer_turn)
            self.server = PageServer(self.program)
            try:
                return self._play()
            finally:
                self.server.end()

    def _play(self) -> list[str]:
        thread = self.server.begin("Turn 1.", mode="auto")
        self.reader, self.turns = Reader(thread), 1
        while True:
            self._follow_turn()
            faults = [*self.reader.faults, *self._compare()]
            if faults or not self.plan:
                return faults
            self.turns += 1
            self.reader.is_over = False
            self.server.post(f"/api/threads/{thread}/messages", text=f"Turn {self.turns}.")

    def _follow_turn(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.reader.is_over:
            if time.monotonic() > deadline:
                self.reader.faults.append(f"turn {self.turns} did not end in {PATIENCE:.0f} s")
                return
            self._read(self.dice.randint(0, 60) if self.plan else -1, deadline)
            if not self.reader.is_over and self.plan:
                self._cut(self.plan.pop(0))

    def _cut(self, kind: str) -> None:
        self.done[kind] += 1
        if kind == "kill":
            self.server.end(signal.SIGKILL)
            self.server = PageServer(self.program, port=self.server.port)
        elif kind == "reload":
            self.reader.reload()
        else:
            time.sleep(self.dice.uniform(0.5, 2) if kind == "sleep" else self.dice.uniform(0, 0.1))

    def _read(self, count: int, deadline: float) -> None:
        """Read so many messages, or to the turn's end; the connection is then reset."""
        with closing(self.server.connect()) as connection:
            headers = {
                "Authorization": f"Bearer {self.server.token}",
                "Last-Event-ID": str(self.reader.position),
                "mcode-language": self.dice.choice(("en", "zh")),
            }
            path = f"/api/threads/{self.reader.thread}/events"
            connection.request("GET", path, headers=headers)
            response, own = connection.getresponse(), connection.sock
            if own:
                reset = struct.pack("ii", 1, 0)
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            while count and time.monotonic() < deadline and (line := response.readline()):
                if line.startswith(b"data: "):
                    self.reader.take(json.loads(line.removeprefix(b"data: ")))
                    count -= 1
                    if self.reader.is_over:
                        return

    def _compare(self) -> list[str]:
        """Return where the client, the thread and the effects do not agree."""
        fresh = Reader(self.reader.thread)
        live, self.reader = self.reader, fresh
        self._read(1, time.monotonic() + PATIENCE)
        self.reader = live
        entries = fresh.shown[0]["data"]["entries"]
        said = [entry["text"] for entry in entries if entry["kind"] == "human"]
        faults = list[str]()
        if said != [f"Turn {number}." for number in range(1, self.turns + 1)]:
            faults.append(f"the messages are {said}")
        if not entries[-1].get("text", "").startswith(f"The end of turn {self.turns}."):
            faults.append(f"turn {self.turns} ends with {entries[-1]}")
        effects = Counter(self.program.lines("log"))
        faults += [f"{name} ran {count} times" for name, count in effects.items() if count > 1]
        return faults + _compare_pages(live.shown, fresh.shown)


def _compare_pages(live: list[Any], fresh: list[Any]) -> list[str]:
    if not shutil.which("node"):
        return []
    shown, stored = reduce_messages(live), reduce_messages(fresh)
    if shown == stored:
        return []
    at = next(
        (at for at, pair in enumerate(zip(shown, stored, strict=False)) if pair[0] != pair[1]),
        min(len(shown), len(stored)),
    )
    return [f"at {at} the page shows {shown[at : at + 2]}, not {stored[at : at + 2]}"]


def reduce_messages(messages: list[Any]) -> list[Any]:
    """Return what the page shows after these messages, by its own reducer."""
    command = ["node", "--input-type=module", "--eval", REDUCE, REDUCER.as_uri()]
    lines = "\n".join(json.dumps(message) for message in messages)
    ended = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)


def main() -> int:
    """Play; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cuts", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns())
    parser.add_argument("--database", default="", help="a URL; default: a file of its own")
    given = parser.parse_args()
    folder, started = Path(tempfile.mkdtemp(prefix="web-torture-")), time.monotonic()
    trial = WebTrial(folder / "place", Random(given.seed), given.cuts, given.database)
    faults = trial.play()
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(trial.done.items()))
    print(f"seed {given.seed}: {kinds}; {trial.turns} turns, {trial.reader.count} messages")
    print(f"{time.monotonic() - started:.0f} s; Node compared: {bool(shutil.which('node'))}")
    print(*(faults or ["nothing was lost, nothing was repeated"]), sep="\n")
    if faults:
        print(f"the place is kept: {folder}")
    else:
        shutil.rmtree(folder)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
