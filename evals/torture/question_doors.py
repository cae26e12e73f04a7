"""Type sentences at `mcode` itself, from its start or while its model works: none is consent.

    PYTHONPATH=tests/fixtures:tests/e2e python evals/torture/question_doors.py 20 [--seed S]

Exit code 1: a sentence ran a command, trusted a folder, undid a change, wrote a rule or a setting.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from program import Program
from provider import Provider, Request
from question_torture import Sentence, build_sentences
from terminal import FreshTerminal, Terminal

from maxagent.config.trust.decision import check_trust

MADE = "made"
COMMAND = {"name": "run_command", "args": {"command": f"touch {MADE}", "outside_sandbox": True}}
WRITE = {"name": "write_file", "args": {"path": MADE, "content": "x\n"}}
CHAT_IS_READY = "build"
SECONDS = 1.5
"""How long an answer is waited for after the last key."""


@dataclass
class Door:
    """One `mcode` at a terminal, before which somebody types."""

    words: Sequence[str]
    calls: Sequence[dict[str, object]] = ()
    """The calls of one turn of the model, which comes in the middle of the sentence."""
    turns_before: int = 0
    """How many turns come before that one."""
    text: str = ""
    """Files of the project: nothing, or what a question of trust is about."""
    is_new: bool = False
    """Whether there is neither key nor model."""

    def find_fault(self, program: Program) -> str:
        """Return what the sentence was taken for; empty: nothing."""
        made = (program.project / MADE).exists()
        if made != (WRITE in self.calls):
            return "a change was undone" if WRITE in self.calls else "a command ran"
        if self.text and check_trust(program.project, program.home).trusted:
            return "the folder is trusted"
        kept = [
            path
            for path in program.home.rglob("*")
            if path.name in ("rules.json", "credentials.json")
        ]
        return f"{kept[0].name} was written" if kept else ""


DOORS = {
    "chat": Door(("chat",), [COMMAND]),
    "task": Door(("task", "Write it."), [COMMAND], turns_before=1),
    "review of a task": Door(("task", "Write it.", "--mode", "auto"), [WRITE], turns_before=1),
    "trust": Door(("trust",), text="task: {test_command: touch made}\n"),
    "first run": Door((), is_new=True),
}


def type_at_door(name: str, sentence: Sentence, dice: Random) -> tuple[str, bool]:
    """Type a sentence at a door; return what it was wrongly taken for, and whether it was heard."""
    door, speed = DOORS[name], dice.uniform(5, 15)
    at, is_due = dice.randint(0, len(sentence.keys)), threading.Event()

    def answer(request: Request) -> dict[str, object]:
        number = len(provider.requests) - 1
        if number != door.turns_before:
            return {"text": "SMALL" if number < door.turns_before else "Accepted."}
        is_due.wait(60)
        return {"text": "I do it.", "tool_calls": door.calls}

    with tempfile.TemporaryDirectory() as folder, Provider() as provider:
        provider.script(answer)
        program = open_program(Path(folder), provider, door)
        argv = [sys.executable, "-m", "maxagent", *door.words]
        with FreshTerminal(argv, program.project, program.environ) as terminal:
            if name == "chat":
                terminal.until(CHAT_IS_READY)
                terminal.type("hello\r")
            reader = threading.Thread(target=terminal.end, daemon=True)
            reader.start()
            wait_until(lambda: not door.calls or len(provider.requests) > door.turns_before)
            type_keys(terminal, sentence.keys[:at], speed)
            is_due.set()
            type_keys(terminal, [*sentence.keys[at:], "\r"], speed)
            reader.join(SECONDS)
            fault = door.find_fault(program)
        heard = any(sentence.text in str(request.whole) for request in provider.requests)
    return fault and f"{name}: {sentence.text!r} at {at}, {speed:.0f} keys a second: {fault}", heard


def open_program(folder: Path, provider: Provider, door: Door) -> Program:
    """Make a home and a project as the door needs them."""
    settings = {"LLC_MODEL": "openai/served", "LLC_BASE_URL": provider.url}
    program = Program(folder, provider.url, {} if door.is_new else settings)
    if door.is_new:
        del program.environ["OPENAI_API_KEY"]
    if door.text:
        (program.project / ".llc.yaml").write_text(door.text)
    return program


def type_keys(terminal: Terminal, keys: Sequence[str], speed: float) -> None:
    """Type keys at that many a second."""
    for key in keys:
        time.sleep(1 / speed)
        terminal.type(key)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until it is so; a minute at most."""
    deadline = time.monotonic() + 60
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)


def play(count: int, seed: int, at_once: int) -> tuple[list[str], Counter[str]]:
    """Type that many sentences, at one door after the other; return faults, and who was heard."""
    dice = Random(seed)
    sentences = dice.sample(build_sentences(), count)
    names = [list(DOORS)[number % len(DOORS)] for number in range(count)]
    with ThreadPoolExecutor(at_once) as pool:
        ends = pool.map(type_at_door, names, sentences, [Random(seed + at) for at in range(count)])
        outcomes = list(zip(names, ends, strict=True))
    faults = [fault for _, (fault, _) in outcomes if fault]
    return faults, Counter(name for name, (_, heard) in outcomes if heard)


def main() -> int:
    """Type, and say what happened."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faults, heard = play(given.count, given.seed, at_once=4)
    for fault in faults:
        print("VIOLATED", fault)
    print(f"{given.count} sentences at {len(DOORS)} doors; heard by the model: {dict(heard)}")
    print(f"{len(faults)} violated")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
