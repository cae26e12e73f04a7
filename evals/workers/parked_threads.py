"""Park many threads, and print what they cost while a worker waits for their answers.

    PYTHONPATH=tests/fixtures python evals/workers/parked_threads.py --threads 10000

One thread is really run until it asks; the others are copies of all its rows. Then a worker starts,
some of them are answered, and it must end exactly those.
"""

import argparse
import json
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from fleet import Fleet, write_script
from postgres_server import run_server
from warm_start import RunningProgram

from maxagent.memory.database.connection import connect_server
from maxagent.memory.database.copy import TABLES

TOKEN = "token-0000"
ANSWERED = 5


def main() -> int:
    """Park, measure, answer; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=10_000)
    options = parser.parse_args()
    with run_server() as server, tempfile.TemporaryDirectory() as name:
        fleet = Fleet(Path(name), server.create_schema(), 1)
        thread, question = park_one(fleet)
        report_costs(fleet, "1 thread is parked")
        ids = copy_thread(fleet, thread, options.threads - 1)
        report_costs(fleet, f"{options.threads} threads are parked")
        for command in (("queue", "list"), ("threads", "show", thread[:13]), ("db", "status")):
            start = time.monotonic()
            fleet.run(*command)
            print(f"  mcode {' '.join(command[:2])}: {time.monotonic() - start:.1f} s")
        return answer_some(fleet, ids[:ANSWERED], question)


def park_one(fleet: Fleet) -> tuple[str, str]:
    """Run a thread until it asks; return it and its question."""
    script = fleet.folder / f"{TOKEN}.json"
    write_script(script, TOKEN)
    options = {"model": f"scripted/{script}", "mode": "ask", "apply": True}
    task = {"task": f"Count {TOKEN}.", "id": TOKEN, "options": options}
    (fleet.folder / "tasks.jsonl").write_text(json.dumps(task))
    workspace = f"{fleet.folder / 'project.git'}#main"
    fleet.run("queue", "batch", "tasks.jsonl", "--workspace", workspace, "--no-wait")
    printed, complaint = fleet.start_worker(0, "--until-empty").communicate()
    result = json.loads(printed.splitlines()[-1])
    if result["status"] != "waiting":
        raise RuntimeError(f"{result} {complaint}")
    return result["thread_id"], result["id"]


def copy_thread(fleet: Fleet, thread: str, count: int) -> list[str]:
    """Copy all rows of a thread, those of the queue too; return the new threads."""
    schema = fleet.database.rpartition("%3D")[2]
    with closing(connect_server(fleet.database)) as connection:
        connection.execute(
            "CREATE TABLE ids AS SELECT gen_random_uuid()::text AS id FROM"
            f" generate_series(1, {count})"
        )
        for table, key in [
            *((table, "thread_id") for table in TABLES),
            (f"{schema}_queue.workflow_status", "workflow_uuid"),
        ]:
            name = table.rpartition(".")[2]
            columns = [
                column
                for (column,) in connection.execute(
                    "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
                    " AND table_schema IN (?, ?) AND column_name NOT IN ('rowid')"
                    " AND is_generated = 'NEVER'",
                    (name, schema, f"{schema}_queue"),
                )
            ]
            suffix = " || ':1'" if key == "workflow_uuid" else ""
            values = ", ".join(
                f"ids.id{suffix}" if each == key else f"old.{each}" for each in columns
            )
            where = f"old.{key} = '{thread}" + (":1'" if suffix else "'")
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)})"
                f" SELECT {values} FROM {table} AS old, ids WHERE {where}"
            )
        return [row[0] for row in connection.execute("SELECT id FROM ids ORDER BY id")]


def report_costs(fleet: Fleet, title: str) -> None:
    """Print what a worker that waits needs."""
    worker = fleet.start_worker(0)
    time.sleep(12)  # its start, and two signs of life
    before = read_seconds(worker)
    time.sleep(10)
    used = read_seconds(worker) - before
    status = Path(f"/proc/{worker.pid}/status").read_text()
    memory = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    with closing(connect_server(fleet.database)) as connection:
        query = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
        connections = connection.execute(query).fetchone()[0] - 1
    worker.terminate()
    worker.communicate()
    print(
        f"{title}: 1 process, {int(memory) / 1024:.0f} MB, {connections} connections,"
        f" {used * 10:.0f} % of a processor while it waits"
    )


def read_seconds(worker: RunningProgram) -> float:
    """Return the processor seconds of a process."""
    fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def answer_some(fleet: Fleet, threads: list[str], question: str) -> int:
    """Answer some, let a worker go on with them, and look whether only these have moved."""
    start = time.monotonic()
    for thread in threads:
        fleet.run("resume", thread, "--approve", "--question", question, "--queue")
    queued = time.monotonic() - start
    printed, complaint = fleet.start_worker(0, "--until-empty").communicate()
    results = [json.loads(line) for line in printed.splitlines()]
    ended = [line["thread_id"] for line in results if line["type"] == "ended"]
    seconds = time.monotonic() - start - queued
    print(f"  {len(threads)} answers: queued in {queued:.1f} s, gone on with in {seconds:.1f} s")
    statuses = {line["status"] for line in results if line["type"] == "ended"}
    right = sorted(ended) == sorted(threads) and statuses == {"waiting"}
    if not right:
        print(results[-3:], complaint[-2000:])
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
