"""Stop a worker beyond its lease, let another one take over, then let the first one go on.

    PYTHONPATH=tests/fixtures python evals/workers/stopped_worker.py

The first one must write nothing, leave the lease of its successor alone, and overwrite no result.
"""

import json
import signal
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from fleet import Fleet
from postgres_server import run_server
from provider import Provider, Request

SECONDS = 40.0
"""Longer than a lease, and than a worker may be silent."""
EDIT = {"old_string": "count 0\n", "new_string": "count 1\n", "file_path": "count.txt"}
FILE = {"path": "new.txt", "content": "new\n"}
TURNS = [
    {"text": "SMALL: count.txt"},
    {"tool_calls": [{"name": "read_file", "args": {"path": "count.txt"}}]},
    {"tool_calls": [{"name": "edit", "args": EDIT}]},
    {"tool_calls": [{"name": "write_file", "args": FILE}]},
    {"text": "Counted."},
    {"text": "Accepted."},
]
HANGS = 3
"""The turn at which both workers wait for the model."""


class Model:
    """Plays the turns by what each role has answers; at one turn it waits."""

    def __init__(self) -> None:
        self.asked = [threading.Event(), threading.Event()]
        self.released = [threading.Event(), threading.Event()]
        self.waits = 0
        self.turn = 0

    def answer(self, request: Request) -> dict[str, Any]:
        """Answer a request."""
        messages = request.whole["messages"]
        answers = sum(message["role"] == "assistant" for message in messages)
        turn = next(number for number, each in enumerate(TURNS) if number >= self.turn and each)
        if turn == HANGS and self.waits < 2:
            number, self.waits = self.waits, self.waits + 1
            self.asked[number].set()
            self.released[number].wait(300)
            if number == 0:
                return {"text": f"Never read {answers}."}
        self.turn = turn + 1
        return TURNS[turn]


def main() -> int:
    """Run the story; return the exit code."""
    model = Model()
    with run_server() as server, Provider() as provider, tempfile.TemporaryDirectory() as name:
        provider.script(model.answer)
        fleet = Fleet(Path(name), server.create_schema(), 2)
        fleet.environ |= {"OPENAI_API_KEY": "x", "LLC_LITELLM__BASE_URL": provider.url}
        options = {"model": "openai/served", "mode": "auto", "apply": True}
        task = json.dumps({"task": "Count.", "id": "one", "options": options})
        (fleet.folder / "tasks.jsonl").write_text(task)
        workspace = f"{fleet.folder / 'project.git'}#main"
        fleet.run("queue", "batch", "tasks.jsonl", "--workspace", workspace, "--no-wait")
        return play(fleet, model)


def play(fleet: Fleet, model: Model) -> int:
    """Stop the first worker, let the second take over, wake the first; return the exit code."""
    faults = list[str]()
    first = fleet.start_worker(0)
    assert model.asked[0].wait(120), "the first worker has not asked"
    first.send_signal(signal.SIGSTOP)
    model.released[0].set()
    print(f"the first worker is stopped for {SECONDS:.0f} s")
    second = fleet.start_worker(1)
    start = time.monotonic()
    assert model.asked[1].wait(180), "nobody has taken over"
    print(f"taken over after {time.monotonic() - start:.0f} s")
    time.sleep(max(0.0, SECONDS - (time.monotonic() - start)))
    before = read_rows(fleet)
    first.send_signal(signal.SIGCONT)
    time.sleep(12)
    after = read_rows(fleet)
    faults += compare(before, after, "while its successor runs")
    if "-" + str(second.pid) + "-" not in "-".join([fleet.list_jobs()[-1]["worker"], ""]):
        faults.append(f"the job is not the successor's: {fleet.list_jobs()}")
    model.released[1].set()
    while fleet.count_open():
        time.sleep(0.5)
    ended = read_rows(fleet)
    job = fleet.list_jobs()[-1]
    if job["result"].get("outcome") != "verified":
        faults.append(f"the result is {job['result']}")
    first.send_signal(signal.SIGTERM)
    _, complaint = first.communicate(timeout=60)
    faults += compare(ended, read_rows(fleet), "after the end")
    second.terminate()
    second.communicate(timeout=60)
    faults += ["traceback: " + complaint] if "Traceback" in complaint else []
    print(f"{len(faults)} faults")
    for fault in faults:
        print("  " + fault)
    return int(bool(faults))


def read_rows(fleet: Fleet) -> dict[str, list[Any]]:
    """Return what the thread has in each table; of the lease its number and who holds it."""
    rows = dict[str, list[Any]]()
    with closing(fleet.connect()) as connection:
        for table in ("threads", "file_history", "checkpoints", "writes"):
            rows[table] = sorted(map(str, connection.execute(f"SELECT * FROM {table}").fetchall()))
        query = (
            "SELECT call_id, tool, state, pid, CASE WHEN call_id = 'lease' AND finished_at != ''"
            " THEN 'held' ELSE COALESCE(finished_at, '') END, COALESCE(result, '') FROM journal"
        )
        rows["journal"] = sorted(map(str, connection.execute(query).fetchall()))
    return rows


def compare(before: dict[str, list[Any]], after: dict[str, list[Any]], when: str) -> list[str]:
    """Return the tables whose rows have changed."""
    changed = [table for table in before if before[table] != after[table]]
    return [
        f"{when} {table} has changed: {set(after[table]) ^ set(before[table])}"[:600]
        for table in changed
    ]


if __name__ == "__main__":
    sys.exit(main())
