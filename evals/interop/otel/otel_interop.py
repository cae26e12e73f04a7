"""Traces and metrics of real runs, judged by OpenTelemetry's own decoder in its own environment.

A conversation with a sub-agent, a run that is killed and resumed, and a compaction. Each run must
be one trace with one root, and each parent a span of the same trace. Prints what was received;
exits with 1 if something is wrong.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

PACKAGES = ("opentelemetry-proto>=1.40",)
RECEIVER = Path(__file__).with_name("receiver.py")
MCODE = (sys.executable, "-m", "maxagent")
Line = dict[str, Any]


def call(name: str, **args: Any) -> Line:
    """Return an answer that calls one tool."""
    return {"text": "I look.", "tool_calls": [{"name": name, "args": args}]}


class Runs:
    """Runs `mcode` in a project of its own, with a receiver."""

    def __init__(self, folder: Path, port: str) -> None:
        self.folder = folder
        (folder / "project").mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "MAXAGENT_HOME": str(folder / "home"),
            "LANG": "C.UTF-8",
            "LLC_THREADS__TITLES": "false",
            "LLC_OTEL__ENDPOINT": f"http://127.0.0.1:{port}",
        }

    def start(self, answers: Any, *arguments: str) -> "subprocess.Popen[str]":
        """Start `mcode` with these answers of the model."""
        script = self.folder / "script.json"
        script.write_text(json.dumps(answers))
        environ = {**self.environ, "LLC_MODEL__DEFAULT": f"scripted/{script}"}
        return subprocess.Popen(
            [*MCODE, *arguments],
            cwd=self.folder / "project",
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, answers: Any, *arguments: str) -> None:
        """Run `mcode` to its end."""
        with self.start(answers, *arguments) as process:
            output, _ = process.communicate(timeout=120)
            last = output.strip().splitlines()[-1:] or [""]
            print(" ".join(arguments)[:60], process.returncode, last[0][:80])


def make_runs(runs: Runs) -> None:
    """Let everything happen that a trace has to show."""
    options = ("--mode", "auto", "--output", "stream-json", "-p")
    child = {"build": [call("task", agent="explore", task="Look."), {"text": "Seen."}]}
    child["explore"] = [call("list_files", path="."), {"text": "One folder."}]
    runs.run(child, "chat", "Send someone.", "--name", "sent", *options)
    wait = "while [ ! -e go ]; do sleep 0.1; done"
    slow = [call("run_command", command=wait), {"text": "Waited."}]
    process = runs.start(slow, "chat", "Wait.", "--name", "killed", *options)
    assert process.stdout
    next(line for line in process.stdout if '"tool_call"' in line)
    process.send_signal(signal.SIGKILL)
    with process:
        process.communicate()
    (runs.folder / "project" / "go").write_text("")
    runs.run(slow, "resume", "killed", "--output", "json")
    runs.run([*slow, {"text": "A summary."}], "threads", "compact", "killed", "--output", "json")
    more = [*slow, {"text": "More."}, {"text": "More."}]
    runs.run(more, "chat", "More.", "--resume", "killed", *options)


def find_faults(lines: Sequence[Line]) -> list[str]:
    """Return what is wrong with what was received."""
    faults = [line["error"] for line in lines if "error" in line]
    spans = [line for line in lines if "span" in line]
    by_id = {span["id"]: span for span in spans}
    roots = Counter(span["trace"] for span in spans if not span["parent"])
    faults += [f"trace {trace} has {count} roots" for trace, count in roots.items() if count != 1]
    faults += [f"trace {span['trace']} has no root" for span in spans if not roots[span["trace"]]]
    for span in spans:
        parent = by_id.get(span["parent"])
        if span["parent"] and (parent is None or parent["trace"] != span["trace"]):
            faults.append(f"`{span['span']}` has a parent that is not in its trace")
        if span["sizes"] != [16, 8] or not span["in_order"]:
            faults.append(f"`{span['span']}` has a wrong ID or time")
    inner = [span for span in spans if span["span"] == "invoke_agent explore"]
    if not inner or any(
        not by_id[span["parent"]]["span"].startswith("execute_tool") for span in inner
    ):
        faults.append("the sub-agent is not below the call that sent it")
    if not any("metric" in line for line in lines):
        faults.append("no metric came")
    faults += [
        f"`{line['metric']}` counts wrongly" for line in lines if not line.get("counted", True)
    ]
    return faults


def main() -> int:
    """Run all; return the exit code."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        subprocess.run([sys.executable, "-m", "venv", folder / "own"], check=True)
        python = folder / "own" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        receiver = subprocess.Popen([python, RECEIVER], stdout=subprocess.PIPE, text=True)
        assert receiver.stdout
        port, lines = receiver.stdout.readline().strip(), list[Line]()
        reader = Thread(target=lambda: lines.extend(map(json.loads, receiver.stdout or ())))
        reader.start()
        make_runs(Runs(folder, port))
        time.sleep(1)
        receiver.terminate()
        receiver.wait()
        reader.join()
    faults = find_faults(lines)
    spans = [line for line in lines if "span" in line]
    print(f"{len(spans)} spans in {len({span['trace'] for span in spans})} traces")
    print(Counter(span["span"] for span in spans), Counter(line.get("metric") for line in lines))
    print("\n".join(faults) or "nothing is wrong")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
