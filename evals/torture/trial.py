"""One run under torture: a fresh project and home, started once and resumed until it ends."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from errand import CHECK, Errand, untouched
from warm_start import LANG, RunningProgram, start_python

from maxagent import trust
from maxagent.memory.threads.index import ThreadIndex

REQUEST = "Append every token."
PATIENCE = 90.0
"""Seconds after which a process counts as hung."""
HUNG = -1000
COLD = ("env",)
"""A wrapper of a program that loads its libraries itself."""
VICTIM = [sys.executable, str(Path(__file__).with_name("victim.py"))]

Event = dict[str, Any]


@dataclass(frozen=True)
class Ended:
    """How one process ended."""

    code: int
    events: list[Event]
    stderr: str
    seconds: float
    """From its start to its end."""

    @property
    def killed(self) -> bool:
        """Whether SIGKILL ended it."""
        return self.code == -9

    @property
    def last(self) -> Event:
        """The last event; empty when there was none."""
        return self.events[-1] if self.events else {}


class Process:
    """A running `mcode`, its events collected as they come."""

    def __init__(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        self.events: list[Event] = []
        self._changed = Condition()
        self._over = False
        self._stderr: list[str] = []
        self._began = time.monotonic()
        self.popen = _start(command, cwd, environ)
        self._readers = [Thread(target=self._read_events), Thread(target=self._read_stderr)]
        for reader in self._readers:
            reader.start()

    def wait_for(self, kind: str) -> bool:
        """Wait for an event of this kind; False when the process ended without."""
        return self._wait(lambda: any(event["type"] == kind for event in self.events))

    def wait_for_words(self, words: str) -> bool:
        """Wait for words on stderr; False when the process ended without."""
        return self._wait(lambda: words in "".join(self._stderr))

    def end(self, timeout: float = PATIENCE) -> Ended:
        """Wait for the end; a process that hangs is killed, and its code is `HUNG`."""
        try:
            code = self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            code = HUNG
        for reader in self._readers:
            reader.join()
        self._close()
        return Ended(code, self.events, "".join(self._stderr), time.monotonic() - self._began)

    def _close(self) -> None:
        for pipe in (self.popen.stdout, self.popen.stderr):
            if pipe:
                pipe.close()

    def _wait(self, condition: Any) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: condition() or self._over, PATIENCE)
            return condition()

    def _read_events(self) -> None:
        for line in self.popen.stdout or ():
            if line.endswith("\n"):  # a killed process leaves half a line
                self._note(self.events, json.loads(line))
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _read_stderr(self) -> None:
        for line in self.popen.stderr or ():
            self._note(self._stderr, line)

    def _note(self, notes: list[Any], note: Any) -> None:
        with self._changed:
            notes.append(note)
            self._changed.notify_all()


def _start(command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> RunningProgram:
    """Fork what is Python, if that is possible; to load all libraries would take longest."""
    python, *arguments = command
    if python == sys.executable:
        return start_python(arguments, cwd, environ, session="own")
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


class Trial:
    """A project, a home and a scenario in a folder of their own."""

    def __init__(
        self, folder: Path, errand: Errand, mode: str = "auto", writable: Sequence[Path] = ()
    ) -> None:
        """`writable` are folders outside the project that the errand's commands need."""
        self.folder, self.errand, self.mode = folder, errand, mode
        self.asked = ""
        """The question that the task waits for: the next process says yes to it."""
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir(parents=True)
        self.home.mkdir()
        (folder / "scenario.json").write_text(json.dumps(errand.scenario, indent=1))
        config = {
            "task": {"test_command": CHECK},
            "sandbox": {"writable": [str(one) for one in writable]},
        }
        (self.home / "config.yaml").write_text(json.dumps(config))  # which is YAML too
        for name, text in untouched(errand.files).items():
            (self.project / name).write_text(text)
        trust(self.project, self.home)

    def arguments(self, output: str = "stream-json") -> list[str]:
        """How to begin the task, or to go on with it once there is a thread."""
        if thread := self.thread_id:
            yes = ["--approve", "--question", self.asked] if self.asked else []
            return ["resume", thread, "--output", output, *yes]
        model = f"scripted/{self.folder / 'scenario.json'}"
        options = ["--model", model, "--mode", self.mode, "--apply", "--output", output]
        return ["task", REQUEST, "--folder", str(self.project), *options]

    def start(
        self,
        *,
        output: str = "stream-json",
        wrapper: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> Process:
        """Begin or go on, in a process of its own."""
        surroundings = {
            **os.environ,
            "LANG": LANG,
            "MAXAGENT_HOME": str(self.home),
            **(environ or {}),
        }
        command = [*wrapper, *VICTIM, *self.arguments(output)]
        return Process(command, self.project, surroundings)

    def visit(self) -> None:
        """Look into the database as another `mcode` would, which must not disturb a running one."""
        ThreadIndex(self.home).list()

    @property
    def database(self) -> Path:
        """The home's database."""
        return self.home / "data" / "threads.db"

    @property
    def thread_id(self) -> str:
        """The task's thread; empty while there is none."""
        found = self.rows("SELECT thread_id FROM threads ORDER BY created_at DESC LIMIT 1")
        return found[0][0] if found else ""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database answers; nothing while it or its tables are not there."""
        if not self.database.exists():
            return []
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            try:
                return connection.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []
