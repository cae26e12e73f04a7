"""Workers with homes of their own, one PostgreSQL, one storage, and tasks whose end is known.

A task works in a clone of one repository. Its model is a script: it counts up in a file by edits,
each of which fails if it runs twice, and writes a file that nothing else writes.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snapshot_project import git
from warm_start import RunningProgram, start_python

from maxagent.memory.database.connection import connect_server

STEPS = 4
REPOSITORY = "project.git"


def write_script(file: Path, token: str) -> None:
    """Write what the model says: `STEPS` edits of a counter, and one new file."""
    edits = [
        {
            "name": "edit",
            "args": {
                "file_path": "count.txt",
                "old_string": f"count {step}\n",
                "new_string": f"count {step + 1}\n{token} {step + 1}\n",
            },
        }
        for step in range(STEPS)
    ]
    write = {"name": "write_file", "args": {"path": f"{token}.txt", "content": f"{token}\n"}}
    look = {"name": "read_file", "args": {"path": "count.txt"}}
    coder = [{"text": "Looking.", "tool_calls": [look]}]
    coder += [{"text": "Counting.", "tool_calls": [call]} for call in (*edits, write)]
    scenario = {
        "architect": [{"text": "SMALL: count.txt"}],
        "coder": [*coder, {"text": "Counted."}],
        "tester": [{"text": "Accepted."}],
    }
    file.write_text(json.dumps(scenario))


def build_files(token: str) -> dict[str, str]:
    """Return the files of an undisturbed run."""
    marks = "".join(f"{token} {step}\n" for step in range(STEPS, 0, -1))
    return {"count.txt": f"count {STEPS}\n{marks}", f"{token}.txt": f"{token}\n"}


@dataclass
class Fleet:
    """The homes of the workers, and what they share."""

    folder: Path
    database: str
    """The address of PostgreSQL; empty: all workers have one home, with SQLite."""
    homes: int
    environ: dict[str, str] = field(init=False)
    workers: list[RunningProgram] = field(default_factory=list[RunningProgram])

    def __post_init__(self) -> None:
        project = self.folder / "draft"
        project.mkdir(parents=True)
        git(project, "init", "--quiet", "-b", "main")
        (project / "count.txt").write_text("count 0\n")
        git(project, "add", ".")
        git(project, "commit", "--quiet", "-m", "first")
        git(self.folder, "clone", "--quiet", "--bare", str(project), REPOSITORY)
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "LLC_THREADS__TITLES": "false",
            "LLC_TASK__TEST_COMMAND": "grep -q count count.txt",
            "MAXAGENT_SERVER__WARM": "off",
            "MAXAGENT_SANDBOX__MODE": "off",
            "LLC_STORAGE": str(self.folder / "storage"),
        }
        if self.database:
            self.environ["LLC_DATABASE"] = self.database

    def locate_home(self, number: int) -> Path:
        """Return the home of a worker."""
        return self.folder / f"home-{number if self.database else 0}"

    def run(self, *arguments: str, home: int = 0) -> str:
        """Run `mcode`; return what it printed."""
        environ = {**self.environ, "MAXAGENT_HOME": str(self.locate_home(home))}
        command = [sys.executable, "-m", "maxagent", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 4):
            raise RuntimeError(f"{arguments}: {done.stderr}")
        return done.stdout

    def start_worker(self, number: int, *options: str) -> RunningProgram:
        """Start a worker in its home."""
        environ = {**self.environ, "MAXAGENT_HOME": str(self.locate_home(number))}
        command = ["-m", "maxagent", "worker", "--json", "--trust", *options]
        self.workers.append(start_python(command, self.folder, environ))
        return self.workers[-1]

    def end(self) -> None:
        """Kill the workers that still run."""
        for worker in self.workers:
            kill(worker)
            worker.wait()

    def submit(self, count: int) -> list[str]:
        """Queue tasks; return their threads."""
        lines = list[str]()
        for number in range(count):
            token = f"token-{number:04}"
            script = self.folder / f"{token}.json"
            write_script(script, token)
            options = {"model": f"scripted/{script}", "mode": "auto", "apply": True}
            lines.append(json.dumps({"task": f"Count {token}.", "id": token, "options": options}))
        (self.folder / "tasks.jsonl").write_text("\n".join(lines))
        workspace = f"{self.folder / REPOSITORY}#main"
        self.run("queue", "batch", "tasks.jsonl", "--workspace", workspace, "--no-wait")
        return [row["thread_id"] for row in self.list_jobs()]

    def list_jobs(self) -> list[dict[str, Any]]:
        """Return every run that the queue has had."""
        return json.loads(self.run("queue", "list", "--all", "--json"))

    def count_open(self) -> int:
        """Return how many jobs are not done, as the queue's table says."""
        states = "('ENQUEUED', 'DELAYED', 'PENDING')"
        query = "SELECT COUNT(*) FROM {}workflow_status WHERE status IN " + states
        if self.database:
            schema = self.database.rpartition("%3D")[2] + "_queue."
            with closing(connect_server(self.database)) as connection:
                return connection.execute(query.format(schema)).fetchone()[0]
        file = self.locate_home(0) / "data/queue.db"
        with closing(sqlite3.connect(file, timeout=60)) as connection:
            return connection.execute(query.format("")).fetchone()[0]

    def connect(self) -> sqlite3.Connection:
        """Open the database of the threads."""
        if self.database:
            return connect_server(self.database)
        return sqlite3.connect(self.locate_home(0) / "data/threads.db")


def kill(process: RunningProgram, number: int = signal.SIGKILL) -> None:
    """Send a signal to a worker, if it still runs."""
    if process.poll() is None:
        process.send_signal(number)


def check(fleet: Fleet, threads: Sequence[str]) -> dict[str, list[str]]:
    """Return what is wrong, by invariant; each has a list, mostly empty."""
    faults: dict[str, list[str]] = {name: [] for name in INVARIANTS}
    with closing(fleet.connect()) as connection:
        rows = dict(connection.execute("SELECT thread_id, status FROM threads").fetchall())
        requests = dict(connection.execute("SELECT thread_id, request FROM threads").fetchall())
        for thread in threads:
            token = requests[thread].removeprefix("Count ").removesuffix(".")
            for name, fault in _check_thread(fleet, connection, thread, token, rows[thread]):
                faults[name].append(f"{token} ({thread}): {fault}")
    open_jobs = fleet.count_open()
    if open_jobs:
        faults["the queue is empty"].append(f"{open_jobs} jobs")
    jobs = fleet.list_jobs()
    ended = [job["thread_id"] for job in jobs if _has_completed(job)]
    for thread in threads:
        if ended.count(thread) != 1:
            results = [job["result"] for job in jobs if job["thread_id"] == thread]
            faults["it ends once"].append(f"{thread}: {ended.count(thread)} times: {results}")
    return faults


INVARIANTS = (
    "it is done",
    "it ends once",
    "files as undisturbed",
    "each call is done once",
    "no call is left open",
    "each entry of the history is done",
    "no outcome is unknown",
    "the storage has the last snapshot",
    "nobody holds it",
    "the queue is empty",
    "no traceback on stderr",
)


def _has_completed(job: Mapping[str, Any]) -> bool:
    return job["result"].get("type") == "completion"


def _check_thread(
    fleet: Fleet, connection: sqlite3.Connection, thread: str, token: str, status: str
) -> Iterator[tuple[str, str]]:
    if status != "done":
        yield "it is done", status
    files = _read_files(fleet, thread)
    if files != build_files(token):
        yield "files as undisturbed", str(files)
    calls = connection.execute(
        "SELECT tool, state, result, call_id FROM journal WHERE thread_id = ?", (thread,)
    ).fetchall()
    effects = [tool for tool, *_ in calls if tool in ("edit", "write_file")]
    if len(effects) != STEPS + 1:
        yield "each call is done once", f"{len(effects)} of {STEPS + 1}"
    if unfinished := [
        name
        for tool, state, _, name in calls
        if state != "done" and tool not in ("", "audit") and name not in ("lease", "answer")
    ]:
        yield "no call is left open", ", ".join(unfinished)
    for tool, _, result, _ in calls:
        if "utcome unknown" in (result or ""):
            yield "no outcome is unknown", f"{tool}: {result}"
    history = connection.execute(
        "SELECT state, after_tree, kind FROM file_history WHERE thread_id = ? ORDER BY number",
        (thread,),
    ).fetchall()
    tools = [row for row in history if row[2] == "tool"]
    if len(tools) != STEPS + 1 or any(row[0] != "done" for row in history):
        yield "each entry of the history is done", str([(row[0], row[2]) for row in history])
    shared = _read_git(fleet, "rev-parse", f"refs/maxagent/{thread}:files").strip()
    if history and shared != history[-1][1]:
        yield "the storage has the last snapshot", f"{shared} instead of {history[-1][1]}"
    lease = connection.execute(
        "SELECT finished_at FROM journal WHERE thread_id = ? AND call_id = 'lease'", (thread,)
    ).fetchone()
    if fleet.database and lease and lease[0]:
        yield "nobody holds it", str(lease)


def _read_files(fleet: Fleet, thread: str) -> dict[str, str]:
    names = _read_git(fleet, "ls-tree", "-r", "--name-only", f"refs/maxagent/{thread}:files")
    tools = [name for name in names.split() if not name.startswith(".")]
    return {
        name: _read_git(fleet, "show", f"refs/maxagent/{thread}:files/{name}") for name in tools
    }


def _read_git(fleet: Fleet, *arguments: str) -> str:
    command = ["git", "-C", str(fleet.folder / "storage/threads.git"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
