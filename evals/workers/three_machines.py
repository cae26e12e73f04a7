"""A thread begun on machine A, answered on B, run on C, watched on the page of D, undone on A.

    PYTHONPATH=tests/fixtures:evals/interop python evals/workers/three_machines.py

Each machine is a network namespace with a name, a folder and a home of its own (`machines.py`).
They share a PostgreSQL with a password, and a git server. Then C loses its network in the middle of
a second thread, which B goes on with; plugged in again, C writes nothing. Exit code 1 if a step
failed; without root, or Chromium, what was left out is said.
"""

import argparse
import json
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from machines import SERVER, Machine, NoMachinesError, open_machines
from postgres_server import run_server
from provider import Provider, Request
from snapshot_project import git

MCODE = (sys.executable, "-m", "maxagent")
PASSWORD = "Xk9-of-the-database"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WATCH = Path(__file__).with_name("page_watch.py")
PATIENCE = 90.0
EDIT = {"file_path": "count.txt", "old_string": "count 0\n", "new_string": "count 1\n"}
CHANGED = "count 1\nby hand\n"
TURNS: list[dict[str, Any]] = [
    {"text": "SMALL: count.txt"},
    {"tool_calls": [{"name": "read_file", "args": {"path": "count.txt"}}]},
    {"text": "First the counter.", "tool_calls": [{"name": "edit", "args": EDIT}]},
    {"tool_calls": [{"name": "run_command", "args": {"command": "echo by hand >> count.txt"}}]},
    {"text": "Counted to one."},
    {"text": "Accepted."},
]
Line = dict[str, Any]


class Story:
    """What the machines do, and what became of each step."""

    def __init__(self, machines: list[Machine], provider: Provider, workspace: str) -> None:
        self.a, self.b, self.c, self.d = machines
        self.provider, self.workspace = provider, workspace
        self.steps: dict[str, str] = {}

    def record(self, step: str, is_right: bool, detail: object) -> None:
        """Note what became of a step, and print it."""
        self.steps[step] = f"{'done' if is_right else 'failed'}: {detail}"
        print(f"{step}: {self.steps[step]}", flush=True)

    def record_file(
        self,
        step: str,
        machine: Machine,
        thread: str,
        expected: str,
        ended: "subprocess.CompletedProcess[str] | None" = None,
    ) -> None:
        """Note whether a machine has the file as expected, after a command that must succeed."""
        if ended and ended.returncode:
            return self.record(step, False, ended.stderr)
        content = self.read_file(machine, thread)
        self.record(step, content == expected, repr(content))

    def begin(self, mode: str) -> str:
        """Begin a task on A, which runs nothing; return its thread."""
        options = ("--workspace", self.workspace, "--mode", mode, "--apply", "--output", "json")
        ended = self.a.run(*MCODE, "task", "Count to one.", "--queue", *options)
        if ended.returncode:
            raise RuntimeError(ended.stderr)
        return json.loads(ended.stdout)["thread_id"]

    def read_row(self, machine: Machine, thread: str) -> Line:
        """Return the thread as a machine lists it."""
        rows = json.loads(machine.run(*MCODE, "threads", "list", "--all", "--json").stdout)
        return next(row for row in rows if row["thread_id"] == thread)

    def read_file(self, machine: Machine, thread: str) -> str:
        """Return the counter as it is in the thread's folder on a machine."""
        folder = Path(self.read_row(machine, thread)["folder"])
        is_own = folder.is_relative_to(machine.folder)
        return (folder / "count.txt").read_text() if is_own else f"not on {machine.name}: {folder}"


@contextmanager
def start_worker(machine: Machine) -> Iterator["queue.Queue[Line]"]:
    """Run a worker on a machine; the lines that it prints arrive in a queue."""
    process = machine.start(*MCODE, "worker", "--json", "--trust")
    try:
        yield follow_lines(process)
    finally:
        process.send_signal(signal.SIGTERM)
        _, complaint = process.communicate(timeout=PATIENCE)
        if "Traceback" in complaint:
            print(f"the worker on {machine.name}: {complaint}")


def wait_for_end(lines: "queue.Queue[Line]") -> Line:
    """Return the next result; a worker tries a busy thread again by itself."""
    return wait_for(lines, lambda line: line["type"] == "ended" and line["status"] != "busy")


def follow_lines(process: "subprocess.Popen[str]") -> "queue.Queue[Line]":
    """Return a queue of the JSON lines that a program prints."""
    lines = queue.Queue[Line]()

    def read() -> None:
        assert process.stdout
        for line in process.stdout:
            lines.put(json.loads(line))

    threading.Thread(target=read, daemon=True).start()
    return lines


def wait_for(lines: "queue.Queue[Line]", is_it: Callable[[Line], bool]) -> Line:
    """Return the first line that is meant; raises TimeoutError with the last one."""
    deadline, line = time.monotonic() + PATIENCE, Line()
    while (left := deadline - time.monotonic()) > 0:
        try:
            line = lines.get(timeout=left)
        except queue.Empty:
            break
        if is_it(line):
            return line
    raise TimeoutError(f"not seen; the last was {json.dumps(line)[:600]}")


@contextmanager
def watch_page(machine: Machine, python: Path, browser: str) -> Iterator["queue.Queue[Line]"]:
    """Serve the page on a machine, and look at it there in a browser."""
    with ExitStack() as held:
        server = machine.start(*MCODE, "web", "--no-open", "--port", "4747")
        held.callback(end, server)
        assert server.stdout
        address = server.stdout.readline().strip()
        watcher = machine.start(str(python), str(WATCH), address, browser)
        held.callback(end, watcher)
        lines = follow_lines(watcher)
        wait_for(lines, lambda line: not line)
        yield lines


def end(process: "subprocess.Popen[str]") -> None:
    """End a program."""
    process.terminate()
    try:
        process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def play(story: Story, page: "queue.Queue[Line] | None") -> None:
    """A begins, C runs, B answers, D watches, A undoes."""
    look = SeenPage(story, page)
    thread = story.begin("ask")
    row = story.read_row(story.b, thread)
    story.record("begun on A", row["status"] == "queued", f"{thread[:8]}, {row['status']} on B")
    look.at("queued", lambda line: "queued" in line["row"].lower())
    answered = 0
    with start_worker(story.c) as results:
        result = wait_for_end(results)
        look.at("the question", lambda line: "count 1" in line["question"])
        while result["status"] == "waiting" and answered < 8:
            shown = story.b.run(*MCODE, "resume", thread)
            option = ("--question", result["id"], "--approve", "--queue")
            given = story.b.run(*MCODE, "resume", thread, *option)
            if given.returncode or shown.returncode != 4:
                story.record("answered on B", False, given.stderr + shown.stderr)
                return
            answered += 1
            result = wait_for_end(results)
        story.record("answered on B", answered > 0, f"{answered} questions")
        is_done = result.get("outcome") == "verified"
        story.record("run on C", is_done, result.get("outcome") or result)
    story.record_file("its files on C", story.c, thread, CHANGED)
    look.at("the end", lambda line: "Counted to one." in line["thread"])
    check_the_way_back(story, thread, look)


def check_the_way_back(story: Story, thread: str, look: "SeenPage") -> None:
    """A sees the change, undoes it and does it again; the record holds on each machine."""
    look.at("its files", lambda line: "by hand" in line["files"])
    diff = story.a.run(*MCODE, "diff", thread)
    story.record("its diff on A", "+by hand" in diff.stdout, diff.stderr.strip())
    undone = story.a.run(*MCODE, "undo", thread, "--yes")
    story.record_file("undone on A", story.a, thread, "count 0\n", undone)
    look.at("undone", lambda line: "by hand" not in line["files"])
    redone = story.b.run(*MCODE, "redo", thread, "--yes")
    story.record_file("done again on B", story.b, thread, CHANGED, redone)
    look.at("done again", lambda line: "by hand" in line["files"])
    for machine in (story.a, story.b, story.c):
        audit = machine.run(*MCODE, "threads", "audit", thread, "--verify")
        text = (audit.stdout + audit.stderr).strip()
        story.record(f"audit on {machine.name.upper()}", audit.returncode == 0, text)


class SeenPage:
    """The page of machine D, if there is a browser."""

    def __init__(self, story: Story, lines: "queue.Queue[Line] | None") -> None:
        self._story, self._lines = story, lines

    def at(self, what: str, is_it: Callable[[Line], bool]) -> None:
        """Wait until it is seen."""
        if self._lines is None:
            return
        start = time.monotonic()
        try:
            wait_for(self._lines, is_it)
        except TimeoutError as error:
            self._story.record(f"seen on the page of D: {what}", False, error)
        else:
            waited = f"within {time.monotonic() - start:.1f} s"
            self._story.record(f"seen on the page of D: {what}", True, waited)


def lose_network(story: Story) -> None:
    """C loses its network while its model answers; B goes on; C comes back and writes nothing."""
    asked, released = threading.Event(), threading.Event()
    turns = iter([*TURNS[:3], *TURNS[2:]])

    def answer(_: Request) -> Line:
        turn = next(turns)
        if turn is TURNS[2] and not asked.is_set():
            asked.set()
            released.wait(300)
        return turn

    story.provider.script(answer)
    with start_worker(story.c) as lost:
        thread = story.begin("auto")
        assert asked.wait(PATIENCE), "C has not begun"
        story.c.plug(False)
        start = time.monotonic()
        with start_worker(story.b) as results:
            result = wait_for_end(results)
            seconds = time.monotonic() - start
            is_done = result.get("outcome") == "verified"
            story.record("C loses its network, B goes on", is_done, f"ended after {seconds:.0f} s")
            story.record_file("its files on B", story.b, thread, CHANGED)
            before = story.read_row(story.a, thread)
            story.c.plug(True)
            released.set()
            late = wait_for_end(lost)
            after = story.read_row(story.a, thread)
            is_same = before == after and story.read_file(story.b, thread) == CHANGED
            story.record("C is back and writes nothing", is_same, late.get("error") or late)
    jobs = json.loads(story.a.run(*MCODE, "queue", "list", "--all", "--json").stdout)
    worker = next(job["worker"] for job in jobs if job["thread_id"] == thread)
    story.record("the result is B's", worker.startswith("b-"), worker)


@contextmanager
def open_servers(folder: Path) -> Iterator[tuple[dict[str, str], Provider, str]]:
    """Run what the machines share; return their settings, the model, and the repository."""
    project = folder / "draft"
    project.mkdir()
    git(project, "init", "--quiet", "-b", "main")
    (project / "count.txt").write_text("count 0\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "first")
    served = folder / "served"
    served.mkdir()
    git(served, "clone", "--quiet", "--bare", str(project), "shop.git")
    git(served, "init", "--quiet", "--bare", "threads.git")
    listen = [f"--listen={SERVER}", "--reuseaddr", "--export-all", "--enable=receive-pack"]
    daemon = subprocess.Popen(["git", "daemon", *listen, f"--base-path={served}", str(served)])
    with run_server(PASSWORD, SERVER) as server, Provider(host=SERVER) as provider:
        provider.script(TURNS)
        settings = {
            "LLC_DATABASE": server.create_schema().replace(f":{PASSWORD}@", "@"),
            "PGPASSWORD": PASSWORD,
            "LLC_STORAGE": f"git://{SERVER}/threads.git",
            "LLC_MODEL__DEFAULT": "openai/served",
            "LLC_LITELLM__BASE_URL": provider.url,
            "OPENAI_API_KEY": "x",
            "LLC_THREADS__TITLES": "false",
            "LLC_TASK__TEST_COMMAND": "grep -q count count.txt",
        }
        try:
            yield settings, provider, f"git://{SERVER}/shop.git#main"
        finally:
            daemon.terminate()
            daemon.wait()


def main() -> int:
    """Play both stories; return the exit code."""
    parser = argparse.ArgumentParser()
    tools = Path(tempfile.gettempdir()) / "acp-interop/page/bin/python"
    parser.add_argument("--playwright", type=Path, default=tools, help="a Python that has it")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # with the namespaces taken down
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        try:
            # the servers need the bridge's address
            machines = held.enter_context(open_machines(folder, "abcd"))
        except NoMachinesError as error:
            print(f"skipped: {error}")
            return 0
        settings, provider, workspace = held.enter_context(open_servers(folder))
        for machine in machines:
            machine.environ.update(settings)
        story = Story(machines, provider, workspace)
        page = None
        if browser and options.playwright.exists():
            page = held.enter_context(watch_page(story.d, options.playwright, browser))
        else:
            print("skipped: the page; `make interop` installs Playwright, Chromium is the system's")
        play(story, page)
        lose_network(story)
    failed = [name for name, end in story.steps.items() if not end.startswith("done")]
    print(f"{len(story.steps)} steps, {len(failed)} failed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
