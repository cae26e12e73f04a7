"""A task whose tools leave marks: every call with an effect writes lines that nothing else writes.

An errand is made from a seed: the scenario that the scripted model plays, and the files that an
undisturbed run leaves, where each line knows the call that wrote it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

CallPlace = tuple[str, int, int]
"""Role, number of the turn, number of the call in it."""
Call = dict[str, Any]
Turn = dict[str, Any]

CHECK = 'sleep 0.1; test -z "$(sort log.txt notes.txt | uniq -d)"'
"""The project's own test: no line is there twice."""
LAST_NOTE = "end of notes"
DONE = {"name": "todowrite", "args": {"action": "mark_completed", "todos": ["1"]}}
"""A task that is open at the end is asked for once more."""


@dataclass(frozen=True)
class Line:
    """A line of a file; `call` wrote it, None when it was there before."""

    text: str
    call: CallPlace | None = None


@dataclass(frozen=True)
class Step:
    """Calls that belong together, and what each writes: lines by file."""

    calls: list[Call]
    writes: dict[int, dict[str, list[str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Errand:
    """The scenario, and the files of an undisturbed run."""

    scenario: dict[str, list[Turn]]
    files: dict[str, list[Line]]


def errand(seed: int, turns: int = 7) -> Errand:
    """The errand of a seed, with that many working turns of the coder."""
    dice, names = Random(seed), (f"token-{number:03}" for number in count(1))
    files = {"log.txt": [Line("# log")], "notes.txt": [Line("# notes")]}
    work = [_turn("coder", turn, _steps(dice, names), files) for turn in range(turns)]
    tester = [_turn("tester", 0, [_look(names), _quick(names)], files)]
    files["notes.txt"].append(Line(LAST_NOTE))
    scenario = {
        "architect": [
            _turn("architect", 0, [_look(names), _remember(names)], files),
            {"text": "SMALL: every token has a call of its own."},
        ],
        "coder": [*work, {"text": "", "tool_calls": [DONE]}, _last_turn(dice)],
        "tester": [*tester, {"text": "Accepted: no line is there twice."}],
    }
    return Errand(scenario, files)


def untouched(files: dict[str, list[Line]]) -> dict[str, str]:
    """The files before the task, by name."""
    before = {name: [line.text for line in lines if not line.call] for name, lines in files.items()}
    return {name: "".join(f"{text}\n" for text in texts) for name, texts in before.items() if texts}


def _turn(role: str, number: int, steps: list[Step], files: dict[str, list[Line]]) -> Turn:
    calls: list[Call] = []
    for step in steps:
        for index, written in step.writes.items():
            place = (role, number, len(calls) + index)
            for name, texts in written.items():
                files.setdefault(name, []).extend(Line(text, place) for text in texts)
        calls += step.calls
    return {"text": f"Turn {number} of the {role}.", "tool_calls": calls}


def _last_turn(dice: Random) -> Turn:
    if dice.random() < 0.5:
        return {"text": "Every token is in its place."}
    completion = {"name": "attempt_completion", "args": {"result": "Every token is in its place."}}
    return {"text": "", "tool_calls": [completion]}


def _steps(dice: Random, names: Iterator[str]) -> list[Step]:
    return [dice.choice(KINDS)(names) for _ in range(dice.randint(1, 3))]


def _quick(names: Iterator[str]) -> Step:
    name = next(names)
    return Step([_command(f"echo {name} >> log.txt")], {0: {"log.txt": [name]}})


def _slow(names: Iterator[str]) -> Step:
    """Half-done for a while: a blind repetition doubles the first half; an orphan stays long."""
    name = next(names)
    halves = f"echo {name} begins >> log.txt; sleep 0.2; echo {name} ends >> log.txt"
    command = f"sleep 60 > /dev/null 2>&1 & {halves}"
    return Step([_command(command)], {0: {"log.txt": [f"{name} begins", f"{name} ends"]}})


def _edit(names: Iterator[str]) -> Step:
    name = next(names)
    edit = {
        "file_path": "notes.txt",
        "old_string": LAST_NOTE,
        "new_string": f"{name}\n{LAST_NOTE}",
    }
    calls = [_read("notes.txt"), {"name": "edit", "args": edit}]
    return Step(calls, {1: {"notes.txt": [name]}})


def _write(names: Iterator[str]) -> Step:
    name = next(names)
    file = f"{name}.txt"
    written = {"path": file, "content": f"{name}\n"}
    return Step([{"name": "write_file", "args": written}], {0: {file: [name]}})


def _look(names: Iterator[str]) -> Step:
    """Calls that run side by side and may run again."""
    grep = {"name": "grep", "args": {"pattern": "token"}}
    glob = {"name": "glob", "args": {"pattern": "*.txt"}}
    return Step([_read("log.txt"), {"name": "list_files", "args": {}}, glob, grep])


def _remember(names: Iterator[str]) -> Step:
    todo = {"action": "create", "todos": [{"id": "1", "content": "Append every token"}]}
    return Step([{"name": "todowrite", "args": todo}])


KINDS: list[Callable[[Iterator[str]], Step]] = [_quick, _slow, _slow, _edit, _write, _look]


def _command(command: str) -> Call:
    return {"name": "run_command", "args": {"command": command}}


def _read(file: str) -> Call:
    return {"name": "read_file", "args": {"path": file}}
