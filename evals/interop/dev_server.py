"""Try a development server in the background: vite, in the sandbox, as a model would use it.

    python evals/interop/dev_server.py

Exit code 1 when something was tried and not shown; a machine without npm is said.
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from program import Program
from programs import MissingProgramError, run_installer
from provider import Provider

PORT = 5199
GONE_SECONDS = 5.0
PAGE = '<!doctype html><div id="app"></div><script type="module" src="/main.js"></script>\n'
FETCH = (
    f"for n in $(seq 100); do curl -sf http://127.0.0.1:{PORT}/main.js && break; sleep 0.1; done"
)
Events = Sequence[dict[str, Any]]


def install_vite(project: Path) -> str:
    """Make a project with vite in it; return vite's version."""
    (project / "package.json").write_text('{"name": "page", "private": true, "type": "module"}\n')
    (project / "index.html").write_text(PAGE)
    (project / "main.js").write_text("document.title = 'from vite'\n")
    flags = ["--no-audit", "--no-fund", "--loglevel=error"]
    run_installer(["npm", "install", "--prefix", str(project), *flags, "vite"])
    package = project / "node_modules" / "vite" / "package.json"
    return str(json.loads(package.read_text(encoding="utf-8"))["version"])


def build_call(name: str, **args: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


class Talk:
    """A conversation whose model is scripted."""

    def __init__(self, program: Program, provider: Provider) -> None:
        self._provider = provider
        self.process = program.talk("--mode", "auto")

    def play(self, call: dict[str, Any]) -> tuple[Events, dict[str, Any]]:
        """Let the model make one call; return the turn's events and the call's result."""
        self._provider.script([call, {"text": "Done."}])
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write('{"type": "user", "text": "go on"}\n')
        self.process.stdin.flush()
        events: list[dict[str, Any]] = []
        for line in self.process.stdout:
            events.append(json.loads(line))
            if events[-1]["type"] in ("completion", "question", "error"):
                break
        results = [event for event in events if event["type"] == "tool_result"]
        return events, results[-1] if results else {"output": "", "error": str(events[-1:])}


def list_servers(project: Path) -> str:
    """Return the command lines of what still runs from the project."""
    shown = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    marks = (str(project / "node_modules"), f"--port {PORT}")
    lines = [line for line in shown.splitlines() if any(mark in line for mark in marks)]
    return "\n".join(lines)


def try_vite(program: Program, provider: Provider) -> dict[str, str]:
    """Return what is wrong with each thing that is tried; empty: it was shown."""
    serve = build_call(
        "run_command", command=f"npx vite --port {PORT} --strictPort", run_in_background=True
    )
    talk, faults = Talk(program, provider), dict[str, str]()
    events, result = talk.play(serve)
    job = next((one["id"] for one in events if one["type"] == "background_started"), "")
    faults["started in the background"] = "" if job else str(result)
    _, result = talk.play(build_call("run_command", command=FETCH))
    faults["reached by a later curl"] = "" if "from vite" in result["output"] else str(result)
    _, result = talk.play(build_call("command_output", id=job, start_line=1))
    faults["output read"] = "" if f":{PORT}" in result["output"] else str(result)
    _, result = talk.play(build_call("command_kill", id=job))
    left = list_servers(program.project)
    faults["killed, nothing left"] = left if result["output"].startswith("Killed") else str(result)
    talk.play(serve)
    talk.play(build_call("run_command", command=FETCH))
    faults["runs again"] = "" if list_servers(program.project) else "no process"
    talk.process.send_signal(signal.SIGKILL)
    began = time.monotonic()
    program.end(talk.process)
    while (left := list_servers(program.project)) and time.monotonic() - began < GONE_SECONDS:
        time.sleep(0.05)
    faults[f"gone {time.monotonic() - began:.1f} s after SIGKILL"] = left
    return faults


def main() -> int:
    with tempfile.TemporaryDirectory() as work, Provider() as provider:
        program = Program(Path(work), provider.url)
        try:
            version = install_vite(program.project)
        except MissingProgramError as error:
            print(f"vite could not be had: {error}", file=sys.stderr)
            return 0
        faults = try_vite(program, provider)
    for name, fault in faults.items():
        print(f"vite {version}: {name}: {fault or 'yes'}", flush=True)
    return any(faults.values())


if __name__ == "__main__":
    sys.exit(main())
