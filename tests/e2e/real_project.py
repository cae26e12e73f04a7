"""A task of more than fifty tool calls on a real project, with every fault on the way.

Run it by hand: `python tests/e2e/real_project.py`. It fetches the project's source from the package
index, makes an environment for its tests, breaks something, and lets `mcode task` repair it against
a real server that fails again and again. Everything is in a temporary folder.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from faults import ACCEPTED, ANSWERED, ENDING, REPEATED, Answer
from program import Ended, Program
from real_task import BREAKS, NEEDS, PACKAGE, REQUEST, VERSION, turns

FAULTS = [
    fault
    for group in zip_longest(REPEATED, ENDING, [*ANSWERED, *ACCEPTED])
    for fault in group
    if fault and not fault.writes and fault.retries is None
]
"""Those that write nothing, of each kind in turn."""
PROVIDER = Path(__file__).parents[1] / "fixtures" / "provider.py"
LONGEST = 60
"""Processes that may be needed."""


def main() -> None:
    """Do it all; exit code 1 when anything is not as it should be."""
    with tempfile.TemporaryDirectory(prefix="maxagent-real-") as name:
        folder = Path(name)
        python = make_environment(folder)
        with serve(folder, mixed(turns())) as url:
            program = Program(folder / "run", url, surroundings(python))
            fetch(folder, program.project)
            run(
                folder,
                str(python),
                "-m",
                "pip",
                "install",
                "-q",
                "--editable",
                str(program.project),
            )
            full_text = suite(program.project, python)
            break_it(program.project)
            broken = suite(program.project, python)
            say("project", f"{PACKAGE} {VERSION}; its own tests: {full_text}")
            say("broken", broken)
            say("faults", f"{len(FAULTS)}: {', '.join(fault.name for fault in FAULTS)}")
            runs = drive(program)
        report(runs, len((folder / "requests").read_bytes().splitlines()))
        say("its own tests now", suite(program.project, python))
    sys.exit(0 if runs[-1].outcome == "verified" and calls(runs).total() >= 50 else 1)


def mixed(good: list[Answer]) -> list[Answer]:
    """The good answers with a fault before each; there are more of them than faults."""
    pairs = zip_longest([fault.answers for fault in FAULTS], good)
    return [answer for faulty, item in pairs for answer in (*(faulty or ()), item)]


def make_environment(folder: Path) -> Path:
    """A fresh virtual environment with what the project's tests need; its Python."""
    run(folder, sys.executable, "-m", "venv", "venv")
    python = folder / "venv" / "bin" / "python"
    run(folder, str(python), "-m", "pip", "install", "-q", *NEEDS)
    return python


def surroundings(python: Path) -> dict[str, str]:
    """What a user has set who works in that environment."""
    return {"VIRTUAL_ENV": str(python.parents[1]), "PATH": f"{python.parent}:{os.environ['PATH']}"}


def fetch(folder: Path, project: Path) -> None:
    """Put the source distribution into the project."""
    which = ["--no-deps", "--no-binary", PACKAGE, f"{PACKAGE}=={VERSION}"]
    run(folder, sys.executable, "-m", "pip", "download", "-q", *which)
    (archive,) = folder.glob(f"{PACKAGE}-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (folder / f"{PACKAGE}-{VERSION}").rename(project)


def break_it(project: Path) -> None:
    """Break what the task is to repair, and commit it."""
    for name, old, new in BREAKS:
        text = (project / name).read_text()
        assert text.count(old) == 1, name
        (project / name).write_text(text.replace(old, new))
    (project / ".gitignore").write_text("__pycache__/\n")
    run(project, "git", "init", "-qb", "main")
    run(project, "git", "add", ".")
    run(project, "git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "As it is")


def suite(project: Path, python: Path) -> str:
    """The last line of the project's own tests, run without MaxAgent."""
    command = [str(python), "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[-1]


@contextmanager
def serve(folder: Path, answers: list[Answer]) -> Generator[str]:
    """The server in a process of its own; its address."""
    (folder / "scenario.json").write_text(json.dumps(answers))
    command = [sys.executable, str(PROVIDER), "scenario.json", "--requests", "requests"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def drive(program: Program) -> list[Ended]:
    """Start the task; resume it in a new process as often as a fault ends it."""
    options = ("--mode", "auto", "--apply", "--trust")
    runs = [program.end(program.start("task", REQUEST, *options))]
    while runs[-1].last["type"] == "error" and len(runs) < LONGEST:
        runs.append(program.resume(runs[0].events[0]["thread_id"]))
    return runs


def calls(runs: list[Ended]) -> Counter[str]:
    """The tool calls of all runs, by tool."""
    return Counter(event["tool"] for each in runs for event in each.told("tool_call"))


def report(runs: list[Ended], requests: int) -> None:
    """The figures."""
    events = [event for each in runs for event in each.events]
    kinds = Counter(event["type"] for event in events)
    answers = [event for event in events if event["type"] == "tool_result"]
    failed = Counter(event["tool"] for event in answers if not event["ok"])
    codes = Counter(each.code for each in runs)
    say("tool calls", f"{calls(runs).total()}: {listed(calls(runs))}")
    say("answered", f"{len(answers)}, each once: {len({e['id'] for e in answers}) == len(answers)}")
    say("answered with an error", f"{failed.total()}: {listed(failed)}")
    say("requests", f"{requests}, of them repeated after a fault: {kinds['retry']}")
    say("processes", f"{len(runs)}; exit codes: {listed(codes)}")
    say("said on stderr", repr("".join(each.stderr for each in runs)))
    say("tests by the graph", " → ".join(e["reason"] for e in events if e["type"] == "evidence"))
    say("outcome", runs[-1].outcome)


def listed(counts: Counter[str] | Counter[int]) -> str:
    """Counts in words, the most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def say(text: str, sentence: str) -> None:
    """One line of the report."""
    print(f"{text:<24}{sentence}", flush=True)


def run(folder: Path, *command: str) -> None:
    """Run a command that must succeed; what it says is shown when it does not."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
