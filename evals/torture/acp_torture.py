"""Kill `mcode acp`, or its client, at random moments; nothing may run twice, no question be lost.

    python evals/torture/acp_torture.py [KILLS] [SEED]

A conversation of four commands, each asked for and each with an effect that a second run would
show. After each kill a new editor opens the thread, answers what it is asked, and goes on. A kill
falls after a random number of messages, so that it meets each phase however slow the machine is.
"""

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_client import YES, AcpClient, Json
from program import Program

COMMANDS = 4
# Messages after which a kill falls; a whole conversation has about as many
MESSAGES = 30
# Seconds that it falls later: a command takes about as long
LATER = 0.05
# Attempts to end one conversation after its last kill, and seconds for each
PATIENCE, SECONDS = 5, 60


def write_script(file: Path) -> None:
    """Write the model's answers: a command each, then the end."""
    answers: list[dict[str, Any]] = [
        {"tool_calls": [{"name": "run_command", "args": {"command": f"echo {number} >> log"}}]}
        for number in range(COMMANDS)
    ]
    file.write_text(json.dumps([*answers, {"text": "The end."}]), encoding="utf-8")


class Conversation:
    """One thread, through as many editors as it needs."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        script = folder / "script.json"
        self.program = Program(folder, "", {"LLC_MODEL__DEFAULT": f"scripted/{script}"})
        write_script(script)
        self._chance, self.session = chance, ""
        self.kills = list[str]()
        """The phase that each has met."""

    def work(self, *, is_killed: bool) -> None:
        """Open an editor, go on with the thread, and perhaps end it with a kill."""
        client = AcpClient(
            self.program, "http://127.0.0.1:9/v1", self._chance.choice([1, 2]), answer
        )
        location = {"cwd": str(self.program.project), "mcpServers": []}
        if self._is_begun():  # a session without a message is gone with its agent
            resumes = (
                "session/load" if client.greeting["protocolVersion"] == 1 else "session/resume"
            )
            client.call(resumes, sessionId=self.session, **location)
        else:
            self.session = client.call("session/new", **location)["sessionId"]
        client.prompt(self.session, "/resume" if self._is_begun() else "Count.")
        if is_killed:
            moment = self._chance.randint(0, MESSAGES)
            self._wait(lambda: len(client.updates) + len(client.asked) >= moment)
            time.sleep(self._chance.uniform(0, LATER))
            self.kills.append(find_phase(client))
            if self._chance.random() < 0.5:
                client.close()
        else:
            self._wait(lambda: False)
        client.end()

    def _wait(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so or the thread has ended."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not is_so() and not self.is_over():
            time.sleep(0.02)

    def read_log(self) -> list[str]:
        """Return what the commands have written."""
        log = self.program.project / "log"
        return log.read_text("utf-8").split() if log.exists() else []

    def is_over(self) -> bool:
        """Return whether the thread has ended."""
        return self.read_status() == "idle"

    def read_status(self) -> str:
        """Return the thread's status; empty where there is none yet."""
        from maxagent.memory.threads.index import ThreadIndex

        rows = {row.thread_id: row for row in ThreadIndex(self.program.home).list()}
        row = rows.get(self.session)
        return row.status if row else ""

    def find_untold(self) -> list[str]:
        """Return the commands that have not written, and of which the model was not told so."""
        from maxagent.memory.threads.index import ThreadIndex
        from maxagent.sdk.threads.transcript import read_transcript

        row, written = ThreadIndex(self.program.home).get(self.session), self.read_log()
        entries = read_transcript(row, self.program.home)
        lines = {str(entry.args["command"]): entry for entry in entries if entry.kind == "call"}
        missing = [
            f"echo {number} >> log" for number in range(COMMANDS) if str(number) not in written
        ]
        return [
            line for line in missing if line not in lines or "unknown" not in lines[line].result
        ]

    def _is_begun(self) -> bool:
        return bool(self.read_status())


def find_phase(client: AcpClient) -> str:
    """Return what the last message was about."""
    if len(client.asked) > sum(update.get("status") == "completed" for update in client.updates):
        return "asked"
    last = client.updates[-1] if client.updates else {"sessionUpdate": "opening"}
    return str(last.get("state") or last.get("status") or last["sessionUpdate"])


def answer(method: str, params: Json) -> Json | None:
    """Say yes to each call."""
    return YES


def torture(kills: int, seed: int) -> int:
    """Kill so often; return how many conversations were violated."""
    chance, violated, phases = random.Random(seed), 0, Counter[str]()
    while phases.total() < kills:
        with tempfile.TemporaryDirectory() as name:
            conversation = Conversation(Path(name), chance)
            for _ in range(chance.randint(1, 6)):
                if not conversation.is_over():
                    conversation.work(is_killed=True)
            for _ in range(PATIENCE):
                if not conversation.is_over():
                    conversation.work(is_killed=False)
            phases.update(conversation.kills)
            written = conversation.read_log()
            twice = sorted({line for line in written if written.count(line) > 1})
            if twice or not conversation.is_over() or conversation.find_untold():
                violated += 1
                status = conversation.read_status()
                print(f"violated: {written}, the thread is {status or 'unknown'}", flush=True)
            print(f"{phases.total()} kills, {violated} violated", flush=True)
    print(", ".join(f"{phase}: {count}" for phase, count in phases.most_common()))
    return violated


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    total = numbers[0] if numbers else 200
    sys.exit(1 if torture(total, numbers[1] if len(numbers) > 1 else 1) else 0)
