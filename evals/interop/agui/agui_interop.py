"""Drive `/agui` of `mcode web` with the client of AG-UI, and keep the report.

    python evals/interop/agui/agui_interop.py [--folder FOLDER] [--only STEP]

The client is installed once, in FOLDER; it checks every event by the protocol's schema, and their
order. The models are scripted. Exit code 1 when a step failed, or the client complained.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from page_server import PageServer
from program import Program
from programs import MissingProgramError, run_installer
from provider import Answer, Provider, Request
from report_page import replace_part

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"
TITLE = "## Front-ends\n"
HEAD = """\
`/agui` of `mcode web`, driven by `@ag-ui/client` {version}; it checks each event by the
protocol's schema, and the order of all; models are scripted. {count} events of {kinds} types,
complaints of the client: {complaints}. This part is of {date}.
"""
PACKAGE = "@ag-ui/client"
SCRIPT = Path(__file__).with_name("agui_client.mjs")
# Model turns that a run may take
LIMITED = {"LLC_MODEL__MAX_ITERATIONS": "6"}
TODOS = [
    {"content": "Read the cart", "status": "completed"},
    {"content": "Add the tax once", "status": "completed"},
]
PLAN = "# Plan\n\n1. Read the cart.\n2. Add the tax once.\n"
WHOLE = "This is the whole answer, from its begin to its end."
TASKS = [{"agent_type": "explore", "task": f"look at {name}"} for name in ("one", "two", "three")]


def call(tool: str, **args: Any) -> dict[str, Any]:
    """Return one call of an answer."""
    return {"name": tool, "args": args}


def turn(*calls: Mapping[str, Any], **more: str) -> dict[str, Any]:
    """Return an answer with calls."""
    return {"tool_calls": [*calls], **more}


def run(command: str) -> dict[str, Any]:
    """Return a call of a command."""
    return call("run_command", command=command)


WRITE = call("write_file", file_path="agui.txt", content="line of the file\n")
SCRIPTS: Mapping[str, Any] = {
    "talk": [{"thinking": "They greet me.", "text": "Hello to you."}, {"text": "And again."}],
    "calls": [
        turn(call("todowrite", todos=TODOS), thinking="First a list."),
        turn(WRITE, text="I write it."),
        turn(run("cat agui.txt")),
        {"text": "Written."},
    ],
    "broken": [turn(call("read_file", file_path="no-such-file")), {"text": "It is not there."}],
    "task": {
        "architect": [{"text": "SMALL: agui.txt"}],
        "coder": [turn(WRITE), turn(call("attempt_completion", result="Written."))],
        "tester": [{"text": "Accepted."}],
    },
    "ask": [turn(run("touch asked-for")), {"text": "Touched."}],
    "pair": [turn(run("touch one"), run("touch two")), {"text": "Both."}],
    "words": [
        turn(call("ask_user", question="Which rate?", options=["7 %", "19 %"])),
        {"text": "Then that."},
    ],
    "children": {
        "build": [turn(call("subagent", tasks=TASKS)), {"text": "All told."}],
        "explore": [turn(call("webfetch", url="https://page.example")), {"text": "I was told."}],
    },
    "sent": {
        "build": [turn(call("subagent", tasks=TASKS[:2])), {"text": "All read."}],
        "explore": [
            turn(call("list_files", path=".")),
            {"thinking": "So.", "text": "I have read."},
        ],
    },
    "sleep": [turn(run("sleep 60")), {"text": "Slept."}],
    "pause": [turn(run("sleep 2")), {"text": "Waited."}],
    "limit": [turn(run(f"echo {number}")) for number in range(7)] + [{"text": "Turned."}],
}


class Model:
    """The model of the HTTP provider: it breaks off, refuses, or plans."""

    def __init__(self) -> None:
        self._cut = iter([{"text": WHOLE, "portion": 5, "cut_after": 5}, {"text": WHOLE}])
        self._plan = iter(
            [
                turn(call("write_file", file_path="PLAN_FILE", content=PLAN)),
                turn(call("plan_exit")),
                {"text": "It is carried out."},
            ]
        )

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        words = json.dumps(request.body["messages"])
        if "Script refused" in words:
            return {"status": 400, "body": {"error": {"message": "refused by the server"}}}
        answer = next(self._cut if "Script cut" in words else self._plan, {"text": "Done."})
        [plan, *_] = re.findall(r"\.llc/plans/[\w-]+\.md", words) or [""]
        return json.loads(json.dumps(answer).replace("PLAN_FILE", plan))


def install(folder: Path) -> tuple[Path, str]:
    """Install the client; return its modules and its version."""
    modules = folder / "node_modules"
    if not (modules / PACKAGE).exists():
        flags = ["--no-audit", "--no-fund", "--loglevel=error"]
        run_installer(["npm", "install", "--prefix", str(folder), *flags, PACKAGE])
    described = json.loads((modules / PACKAGE / "package.json").read_text())
    return modules, described["version"]


def drive(modules: Path, work: Path, only: str) -> Mapping[str, Any]:
    """Let the client do every step; return what it saw."""
    with Provider() as provider:
        provider.script(Model())
        environ = {"OPENAI_BASE_URL": provider.url, "LLC_MODEL__DEFAULT": "openai/served"}
        program = Program(work, provider.url, environ)
        scripts = {name: f"scripted/{write_script(work, name)}" for name in SCRIPTS}
        with PageServer(program, **LIMITED) as server:
            url = f"http://{server.host}"
            place = {"url": url, "token": server.token, "scripts": scripts, "only": only}
            command = ["node", str(SCRIPT), str(modules), json.dumps(place)]
            ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=900)
    if ended.returncode or not ended.stdout.strip():
        return {
            "steps": {"start": f"failed: exit code {ended.returncode}"},
            "types": {},
            "complaints": [],
        }
    return json.loads(ended.stdout.splitlines()[-1])


def write_script(work: Path, name: str) -> Path:
    """Write the scenario of a scripted model."""
    file = work / f"{name}.json"
    file.write_text(json.dumps(SCRIPTS[name]))
    return file


def render(seen: Mapping[str, Any], version: str) -> str:
    """Return the part of the report."""
    head = HEAD.format(
        version=version,
        count=sum(seen["types"].values()),
        kinds=len(seen["types"]),
        complaints=len(seen["complaints"]) or "none",
        date=f"{datetime.now(UTC):%Y-%m-%d}",
    )
    lines = [TITLE, head, "| step | result |", "|---|---|"]
    steps: Sequence[str] = [f"| {name} | {end} |" for name, end in seen["steps"].items()]
    return "\n".join([*lines, *steps]) + "\n"


def main() -> int:
    """Drive all; return 1 when a step failed or the client complained."""
    parser = argparse.ArgumentParser()
    default = Path(tempfile.gettempdir()) / "agui-interop"
    parser.add_argument("--folder", type=Path, default=default)
    parser.add_argument("--only", default="", help="a part of the names of steps")
    given = parser.parse_args()
    try:
        modules, version = install(given.folder)
    except MissingProgramError as error:
        print(f"skipped: {error}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        seen = drive(modules, Path(name) / "place", given.only)
    part = render(seen, version)
    if not given.only:
        replace_part(PAGE, TITLE, part)
    print(part, *seen["complaints"], json.dumps(seen["types"]), sep="\n")
    return bool(seen["complaints"]) or any(end != "done" for end in seen["steps"].values())


if __name__ == "__main__":
    sys.exit(main())
