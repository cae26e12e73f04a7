"""Kill a conversation with three sub-agents; what has finished never runs again, and it ends.

    python evals/torture/agents_torture.py 200 [--seed S]

A round is a conversation whose model sends two explorers and one that writes. It is killed a few
times: at random moments, at chosen functions, and inside the command of the second child. Each time
it is resumed; in some rounds all three children ask, and are answered in any order. Exit code 1:
something was violated; the folders of such rounds are kept.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any

from agents_victim import PLACES
from leftovers import leftovers
from provider import Answer, Provider, Request
from trial import Process

from maxagent import trust
from maxagent.memory.checkpoints.writes import read_channel_writes
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.sub_runs import SubRuns

VICTIM = [sys.executable, str(Path(__file__).with_name("agents_victim.py"))]
AGENTS = {"one": "explore", "two": "general", "three": "explore"}
# Halves of an effect: a blind repetition doubles the first
COMMAND = "echo begins >> effects.txt; sleep 0.3; echo ends >> effects.txt"
# Calls of a place that a process reaches
RARE = {"sub.begin": 3, "sub.status": 2, "sub.finish": 2, "tool": 4, "journal.begin": 4}
MAX_PROCESSES = 30
LAST_WORDS = "All is done."


@dataclass(frozen=True)
class AgentsKill:
    """One way to die."""

    kind: str
    at: str = ""
    """Place, number and side: see `agents_victim.py`."""
    after: float | None = None
    """Seconds from the first event."""
    inside_tool: bool = False
    """While the command of the second child runs."""


def plan_kill(dice: Random) -> AgentsKill:
    """Plan one kill."""
    luck = dice.random()
    if luck < 0.2:
        return AgentsKill("inside the second child's command", inside_tool=True)
    if luck < 0.5:
        return AgentsKill("a moment while it runs", after=dice.uniform(0, 1.5))
    place, side = dice.choice([*PLACES]), dice.choice(["before", "after"])
    number = dice.randint(1, RARE.get(place, 20))
    return AgentsKill(f"{side} {place}", at=f"{place}:{number}:{side}")


class Model:
    """Answers each agent by how often it has answered, so that a repeated request is the same."""

    def __init__(self, *, asks: bool) -> None:
        self._asks = asks
        self._lock = Lock()
        self.requests: Counter[tuple[str, int]] = Counter()
        """How often each turn of each agent was asked for."""

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        messages = request.body["messages"]
        firsts = [
            str(one.get("content")).partition(" ")[0] for one in messages if one["role"] == "user"
        ]
        name = next((first for first in firsts if first in AGENTS), "parent")
        turn = sum(message["role"] == "assistant" for message in messages)
        with self._lock:
            self.requests[name, turn] += 1
        turns = self._script(name)
        return {"wait": 0.05, **turns[turn]} if turn < len(turns) else {"text": f"turn {turn}?"}

    def _script(self, name: str) -> list[Answer]:
        if name == "parent":
            tasks = [{"agent_type": kind, "task": f"{word} x"} for word, kind in AGENTS.items()]
            return [_call("subagent", {"tasks": tasks}), {"text": LAST_WORDS}]
        if name == "two":
            written = {"path": "two.txt", "content": "two\n"}
            work = [_call("run_command", {"command": COMMAND}), _call("write_file", written)]
        else:
            work = [_call("grep", {"regex": name}), _call("list_files", {})]
            if self._asks:
                work[1] = _call("webfetch", {"url": f"https://{name}.example"})
        return [*work, {"text": f"{name} has reported."}]


def _call(name: str, args: Mapping[str, Any]) -> Answer:
    return {"tool_calls": [{"name": name, "args": args}]}


@dataclass
class Round:
    """One conversation, its processes, and what it has shown."""

    folder: Path
    provider: Provider
    dice: Random
    asks: bool
    events: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    faults: list[str] = field(default_factory=list[str])
    finished: dict[str, int] = field(default_factory=dict[str, int])
    """Requests of each child that had reported before a process ended."""

    def __post_init__(self) -> None:
        self.home, self.project = self.folder / "home", self.folder / "project"
        self.project.mkdir(parents=True)
        self.home.mkdir()
        (self.project / "a.txt").write_text("one two three\n")
        trust(self.project, self.home)
        self.model = Model(asks=self.asks)
        self.provider.script(self.model)

    def play(self, kills: list[AgentsKill]) -> Counter[str]:
        """Play it to its end; return the kills that landed."""
        landed, arguments = Counter[str](), self._begin()
        for number in range(MAX_PROCESSES):
            kill = kills[number] if number < len(kills) else None
            ended = self._run(arguments, kill)
            if kill and ended.killed:
                landed[kill.kind] += 1
            self.events += ended.events
            if ended.code not in (0, 4, -9) or "Traceback" in ended.stderr:
                self.faults.append(f"{kill}: exit code {ended.code}: {ended.stderr[-800:]}")
                return landed
            if ended.code == 0:
                self._judge(landed.total())
                return landed
            self._note_finished()
            arguments = self._go_on(ended.last if ended.code == 4 else {})
        self.faults.append(f"no end in {MAX_PROCESSES} processes")
        return landed

    def _begin(self) -> list[str]:
        mode = "ask" if self.asks else "auto"
        model = ["--model", "openai/served", "--base-url", self.provider.url]
        return ["chat", "go", *model, "--mode", mode, "--output", "stream-json"]

    def _go_on(self, last: Mapping[str, Any]) -> list[str]:
        """Resume, and answer one of the open questions."""
        thread = self.thread
        if not thread:
            return self._begin()
        arguments = ["resume", thread, "--output", "stream-json"]
        if last.get("type") != "question":
            return arguments
        question = self.dice.choice([last, *last["others"]])
        tool = question["action_requests"][0]["name"]
        answer = ["--reject", "no"] if tool == "webfetch" else ["--approve"]
        return [*arguments, "--question", question["id"], *answer]

    def _run(self, arguments: list[str], kill: AgentsKill | None) -> Any:
        environ = {**os.environ, "MAXAGENT_HOME": str(self.home), "OPENAI_API_KEY": "key"}
        environ |= {"KILL_AT": kill.at} if kill and kill.at else {}
        process = Process([*VICTIM, *arguments], self.project, environ)
        if kill and kill.after is not None and process.wait_for("run_started"):
            try:
                process.popen.wait(kill.after)
            except subprocess.TimeoutExpired:
                process.popen.kill()
        if kill and kill.inside_tool:
            self._kill_inside_command(process)
        return process.end()

    def _kill_inside_command(self, process: Process) -> None:
        before = len(self.read_effects())
        while process.popen.poll() is None:
            effects = self.read_effects()
            if len(effects) > before and effects[-1] == "begins":
                process.popen.kill()
                return
            time.sleep(0.005)

    @property
    def thread(self) -> str:
        """The conversation's thread; empty while there is none."""
        rows = ThreadIndex(self.home).list()
        return rows[0].thread_id if rows else ""

    def read_effects(self) -> list[str]:
        """The lines that the command of the second child has left."""
        file = self.project / "effects.txt"
        return file.read_text().split() if file.exists() else []

    def _count_requests(self, name: str) -> int:
        return sum(count for (who, _), count in self.model.requests.items() if who == name)

    def _note_finished(self) -> None:
        """Keep how often the children that have reported had been asked by now."""
        for row in SubRuns(self._database).list_sub_runs(self.thread) if self.thread else ():
            if row.ended_at:
                name = row.title.partition(" ")[0]
                self.finished.setdefault(name, self._count_requests(name))

    @property
    def _database(self) -> Path:
        return self.home / "data" / "threads.db"

    def _judge(self, kills: int) -> None:
        """Compare what is there with what was told."""
        index = ThreadIndex(self.home)
        [row] = index.list()
        if (row.status, row.questions) != ("idle", 0):
            self.faults.append(f"the thread is {row.status} with {row.questions} questions")
        if self.events[-1].get("summary") != LAST_WORDS:
            self.faults.append(f"it ended with {self.events[-1]}")
        rows = SubRuns(self._database).list_sub_runs(row.thread_id)
        if [(one.agent, one.status) for one in rows] != [
            (kind, "done") for kind in AGENTS.values()
        ]:
            self.faults.append(f"sub-agents: {rows}")
        for name, count in self.finished.items():
            if self._count_requests(name) != count:
                self.faults.append(f"`{name}` had reported, and was asked again")
        for (name, turn), count in self.model.requests.items():
            if count > 1 + kills:
                self.faults.append(f"turn {turn} of `{name}` was asked {count} times")
        with closing(connect(self._database)) as connection:
            self._judge_thread(connection, row.thread_id, "", "parent", 2)
            for child in rows:
                name = child.title.partition(" ")[0]
                self._judge_thread(connection, row.thread_id, child.namespace, name, 3)
            states = connection.execute(
                "SELECT call_id, state FROM journal WHERE tool NOT IN ('', 'audit')"
            )
            open_calls = [call for call, state in states if state != "done" and call != "answer"]
            self.faults += [f"{call} was never finished" for call in open_calls]
        self.faults += leftovers(self.folder)

    def _judge_thread(
        self, connection: Any, thread: str, namespace: str, name: str, turns: int
    ) -> None:
        """Each turn once, each call answered once, each effect as often as it was told."""
        messages = [
            write.value
            for write in read_channel_writes(connection, thread, namespace)
            if write.channel == "messages" and write.value
        ]
        said = [one for one in messages if one["type"] == "ai"]
        answers = [one for one in messages if one["type"] == "tool"]
        made = Counter(str(call["id"]) for one in said for call in one["tool_calls"])
        told = Counter(str(one["tool_call_id"]) for one in answers)
        if len(said) != turns or made != told or set(made.values()) - {1}:
            self.faults.append(f"{name}: {len(said)} turns, calls {made}, answers {told}")
        if name == "two":
            first = str(answers[0].get("content")) if answers else ""
            counts = Counter(self.read_effects())
            is_unknown = "Outcome unknown" in first
            if max(counts.values(), default=0) > 1 or (not is_unknown and len(counts) != 2):
                self.faults.append(f"effects {counts}, and the model was told: {first[:200]}")


def play_round(
    folder: Path, kills: list[AgentsKill], dice: Random, *, asks: bool
) -> tuple[Counter[str], list[str]]:
    """Play a round; return the kills that landed, and what is wrong."""
    with Provider() as provider:
        played = Round(folder, provider, dice, asks)
        landed = played.play(kills)
    return landed, played.faults


def torture(kills: int, dice: Random, folder: Path) -> tuple[Counter[str], int, list[str]]:
    """Play rounds until that many kills have landed; return them by kind, rounds and faults."""
    landed, faults, rounds = Counter[str](), list[str](), 0
    while landed.total() < kills:
        place, asks = folder / f"round-{rounds}", dice.random() < 0.3
        planned = [plan_kill(dice) for _ in range(dice.randint(1, 5))]
        died, wrong = play_round(place, planned, dice, asks=asks)
        landed += died
        faults += [f"{place}: {planned}: {fault}" for fault in wrong]
        print(f"round {rounds}: {died.total()} kills, {len(wrong)} faults", flush=True)
        print(*wrong, sep="\n", end="\n" if wrong else "", flush=True)
        if not wrong:
            shutil.rmtree(place)
        rounds += 1
    return landed, rounds, faults


def main() -> int:
    """Play the rounds that the arguments ask for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 2**32
    folder = Path(tempfile.mkdtemp(prefix="agents-torture-"))
    began = time.monotonic()
    landed, rounds, faults = torture(chosen.kills, Random(seed), folder)
    for kind, count in sorted(landed.items()):
        print(f"{kind:50}{count:>6}")
    seconds = f"{time.monotonic() - began:.0f} s"
    print(
        f"{landed.total()} kills in {rounds} rounds, {len(faults)} faults, {seconds}, seed {seed}"
    )
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
