"""Who is measured: MaxAgent and two yardsticks, each a process of its own on the same project."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gauge import Gauge, Ran
from provider import Answer

HERE = Path(__file__).parent
MCODE = [sys.executable, "-m", "maxagent"]
TURNS = 1000
"""Model turns that a run may take here: more than any measure needs."""


@dataclass(frozen=True)
class Contender:
    """A program that plays an agent."""

    name: str
    start: Sequence[str]
    resume: Sequence[str] = ()
    opening: Sequence[Answer] = ()
    """Answers before the steps that are measured."""
    config: str = ""
    """More settings, as YAML."""
    warm: bool = False
    """Whether a server forks it that has everything loaded."""

    def run(
        self,
        gauge: Gauge,
        project: Path,
        home: Path,
        answers: Sequence[Answer] = (),
        *,
        again: bool = False,
    ) -> Ran:
        """Start, or go `again` on with what `home` keeps; the model refuses after its answers."""
        home.mkdir(exist_ok=True)
        (home / ".llc").mkdir(exist_ok=True)
        settings = f"model:\n  max_iterations: {TURNS}\n{self.config}"
        (home / ".llc" / "config.yaml").write_text(settings)
        given = {"URL": gauge.url, "PROJECT": str(project), "DB": str(home / "threads.db")}
        argv = [given.get(word, word) for word in (self.resume if again else self.start)]
        script = answers if again else [*self.opening, *answers]
        own = {"MAXAGENT_SERVER__WARM": "on" if self.warm else "off"}
        return gauge.run(argv, project, {**environment(home), **own}, script)

    @property
    def first_step(self) -> int:
        """The request that the first measured step begins with."""
        return len(self.opening)


def environment(home: Path) -> dict[str, str]:
    """What every program gets: nothing of the user's, and a key, which a conversation needs."""
    key = {"ANTHROPIC_API_KEY": "for-a-server-here"}
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **key}


HTTPX = Contender("bare httpx", [sys.executable, str(HERE / "httpx_loop.py"), "URL", "PROJECT"])
LANGGRAPH = Contender(
    "bare LangGraph",
    [sys.executable, str(HERE / "langgraph_loop.py"), "URL", "PROJECT", "DB"],
    [sys.executable, str(HERE / "langgraph_loop.py"), "URL", "PROJECT", "DB", "--resume"],
)
MAXAGENT = Contender(
    "mcode",
    [
        *MCODE,
        *("task", "Make the numbers right", "--skip-tests", "--apply"),
        *("--model", "openai/bench", "--base-url", "URL"),
    ],
    [*MCODE, "resume", "--base-url", "URL"],
    opening=[{"text": "SMALL"}],
)
CHAT = Contender(
    "a conversation",
    [*MCODE, "chat", "-p", "Look.", "--trust", "--model", "openai/bench", "--base-url", "URL"],
)
WARM = replace(MAXAGENT, name="mcode, forked", warm=True)
CONTENDERS = [HTTPX, LANGGRAPH, MAXAGENT]


def make_project(folder: Path) -> Path:
    """A project of a hundred small files; steps read or edit `notes.txt`."""
    project = folder / "project"
    (project / "src").mkdir(parents=True)
    for number in range(100):
        (project / "src" / f"part_{number}.py").write_text(f"VALUE = {number}\n" * 60)
    lines = (f"{number}: the number is {number * 7}\n" for number in range(20))
    (project / "notes.txt").write_text("".join(lines))
    return project


def reading(number: int, text: str = "") -> Answer:
    """A turn that reads the small file; no two are the same, or they would be a loop."""
    return _turn(number, text, "read_file", {"path": "notes.txt", "end_line": 100 + number})


def editing(number: int, text: str = "") -> Answer:
    """A turn that changes one line of the small file, and back at every second time."""
    changed = f"7: the number is {1000 + number - number % 2}"
    old, new = ("7: the number is 49", changed)[:: -1 if number % 2 else 1]
    changes = {"file_path": "notes.txt", "old_string": old, "new_string": new}
    return _turn(number, text, "edit", changes)


def _turn(number: int, text: str, tool: str, arguments: dict[str, Any]) -> Answer:
    said = text or f"Step {number}: I look at the notes again to be sure about the numbers."
    call = {"id": f"call_{number}", "name": tool, "args": arguments}
    return {"text": said, "tool_calls": [call], "portion": max(12, len(said) // 20)}


EDITOR = replace(MAXAGENT, opening=[*MAXAGENT.opening, reading(-1)])
"""Has read the file that its steps edit."""
