"""`mcode` as people run it: a process of its own, with a project and a home of its own."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confinement import SURROUNDINGS, UNASKED
from event_schema import checked
from warm_start import PATIENCE, RunningProgram, run_mcode, start_python

from maxagent.memory.checkpoints.row_compression import expand_row

KEY = "Zq8-the-key-that-nobody-may-see"
"""Of no provider's shape: only who knows it can hide it."""
MODE = [word for name, value in UNASKED.items() for word in (f"--{name}", value)]

Event = dict[str, Any]


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def events(self) -> list[Event]:
        """What `--output stream-json` or `json` said, each as the documented schema has it."""
        return [checked(line) for line in self.stdout.splitlines()]

    @property
    def last(self) -> Event:
        """The last event."""
        return self.events[-1]

    def told(self, kind: str) -> list[Event]:
        """The events of one kind."""
        return [event for event in self.events if event["type"] == kind]

    @property
    def outcome(self) -> str:
        """How the task ended; what happened instead when it did not."""
        return self.last.get("outcome") or json.dumps(self.last)


class Program:
    """Runs `mcode` against one endpoint; what it is given is the same each time."""

    def __init__(
        self, folder: Path, url: str, environ: Mapping[str, str] | None = None, key: str = KEY
    ) -> None:
        self.project, self.home, self._url = folder / "project", folder / "home", url
        self.project.mkdir(parents=True)
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "MAXAGENT_HOME": str(self.home),
            "OPENAI_API_KEY": key,
            "LLC_THREADS__TITLES": "false",  # a title is a request more, at no certain moment
            **SURROUNDINGS,
            **(environ or {}),
        }

    def task(
        self,
        *options: str,
        request: str = "Write the lines.",
        output: str = "stream-json",
        **environ: str,
    ) -> Ended:
        """Start a task and wait for its end."""
        model = ["--model", "openai/served", "--base-url", self._url]
        names = ["task", request, "--output", output, *model, *MODE, *options]
        return self.run(*names, **environ)

    def chat(
        self, *options: str, stdin: str = "", output: str = "stream-json", **environ: str
    ) -> Ended:
        """Say something, with the server's model; what is piped is all there at once."""
        names = ["--model", "openai/served", "--base-url", self._url, "--output", output]
        return self.run("chat", *options, *names, stdin=stdin, **environ)

    def resume(
        self, thread: str, *options: str, output: str = "stream-json", **environ: str
    ) -> Ended:
        """Go on with a thread and wait for its end."""
        return self.run("resume", thread, "--output", output, *options, **environ)

    def start(
        self, command: str, text: str, *options: str, output: str = "stream-json", **environ: str
    ) -> RunningProgram:
        """Start `mcode task` or `mcode resume`; a task's model is the server's."""
        model = ["--model", "openai/served", "--base-url", self._url]
        own = [*model, *MODE] if command == "task" else []
        names = ["--output", output, *own, *options]
        return self._popen([command, text, *names], environ)

    def run(self, *arguments: str, stdin: str = "", **environ: str) -> Ended:
        """Run any other command of `mcode`; what it may read is all there at once."""
        ended = run_mcode(arguments, self.project, {**self.environ, **environ}, stdin)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def talk(self, *options: str, **environ: str) -> RunningProgram:
        """Start a conversation to whose stdin lines are written, with the server's model."""
        model = ["--model", "openai/served", "--base-url", self._url]
        names = ["chat", "--input", "stream-json", "--output", "stream-json", *model, *options]
        return self._popen(names, environ, subprocess.PIPE)

    def _popen(
        self,
        arguments: Sequence[str],
        environ: Mapping[str, str],
        stdin: int = subprocess.DEVNULL,
    ) -> RunningProgram:
        environs = {**self.environ, **environ}
        return start_python(["-m", "maxagent", *arguments], self.project, environs, stdin)

    def end(self, process: RunningProgram) -> Ended:
        """Wait for the end; a process that hangs is killed and raises TimeoutExpired."""
        with process:
            try:
                stdout, stderr = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Ended(process.returncode, stdout, stderr)

    def lines(self, name: str = "log.txt") -> list[str]:
        """The lines of a file of the project."""
        return (self.project / name).read_text().splitlines()

    def files_with(self, text: str) -> list[Path]:
        """The files of the home whose bytes, or whose database's rows, hold these words."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        return [path for path in files if _holds(path, text.encode())]


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file holds the words; the rows of a database are compressed."""
    if content in path.read_bytes():
        return True
    if path.suffix != ".db":
        return False
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        return any(
            content in expand_row(value)
            for (table,) in tables
            for row in connection.execute(f'SELECT * FROM "{table}"')
            for value in row
            if isinstance(value, bytes)
        )
