"""Open the page in Chromium: every view, hostile texts, axe-core, a thread of 1,000 messages.

    python evals/interop/page/page_interop.py [--folder FOLDER] [--pictures FOLDER]

Playwright and axe-core are installed once, in FOLDER; the browser is the one of the system's
packages. The model is scripted. Exit code 1 when a step failed.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acp_client import CANCELLED, AcpClient
from page_attacks import ATTACKS, FIND_TRAPS
from page_server import PageServer
from program import Program
from programs import MissingProgramError, run_installer
from provider import Answer, Provider, Request
from report_page import replace_part

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"
TITLE = "## Browsers\n"
HEAD = """\
The page of `mcode web` with a scripted model, in Chromium driven by Playwright, with axe-core; this
part is of {date}.
"""
SCRIPT = Path(__file__).with_name("page_browser.py")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Calls in one turn of the model, and turns, of the long thread: with the answers 1,000 messages
CALLS, TURNS = 24, 40
CARDS = ("Releases are made on Fridays.", "Deploys need two reviewers.")
NAME = "<img src=x onerror=window.hacked=1>.md"
REPORT = """\
The cart adds tax twice. Two places changed:

| file | what |
|---|---|
| `cart.py` | tax is added once |
| `test_cart.py` | a test of it |

```python
def total(items: list[Item]) -> Decimal:
    return sum(item.price for item in items)
```
"""
WRITE = {"file_path": "cart.py", "content": "def total(items):\n    return sum(items)\n"}
TODOS = [
    {"content": "Read the cart", "status": "completed"},
    {"content": "Add the tax once", "status": "in_progress"},
]

DONE = [{**todo, "status": "completed"} for todo in TODOS]


# Files that a thread writes which goes through every door
DOORS = ("first.txt", "second.txt")


def call(tool: str, **args: Any) -> Mapping[str, Any]:
    """Return one call of an answer."""
    return {"name": tool, "args": args}


class Model:
    """The scripted model: the first line of a conversation says which script it plays."""

    def __init__(self) -> None:
        self._scripts: dict[str, Iterator[Answer]] = {
            "tour": iter(_play_tour()),
            "hostile": iter(_play_attacks()),
            "long": iter(_play_long()),
            "doors": iter(_play_doors()),
            "changed": iter([{"tool_calls": [call("run_command", command="echo a > changed")]}]),
            "planned": iter(_play_plan()),
            "sent": iter(_play_parent()),
            "noted": iter([{"tool_calls": [call("record_note", content=each) for each in CARDS]}]),
            "helper": iter([{"tool_calls": [call("read_file", file_path="f1.txt")]}] * 2),
        }

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        text = json.dumps(request.body["messages"])
        name = next(name for name in self._scripts if f"Script {name}" in text)
        answer = next(self._scripts[name], {"text": "You are welcome."})
        [plan, *_] = re.findall(r"\.llc/plans/[\w-]+\.md", text) or [""]
        return json.loads(json.dumps(answer).replace("PLAN_FILE", plan))


def _play_tour() -> list[Answer]:
    ask = {"question": "Which rate?", "options": ["7 %", "19 %"]}
    return [
        {"thinking": "Where is the tax?", "tool_calls": [call("todowrite", todos=TODOS)]},
        {"tool_calls": [call("run_command", command="echo checked && touch made")]},
        {"tool_calls": [call("ask_user", **ask)]},
        {"tool_calls": [call("write_file", **WRITE)]},
        {"tool_calls": [call("todowrite", todos=DONE)]},
        {"text": REPORT},
        {"text": "A slow answer. " * 40, "portion": 3, "pause": 0.2},
    ]


def _play_attacks() -> list[Answer]:
    text = "\n\n".join(ATTACKS)
    return [
        {"tool_calls": [call("write_file", file_path=NAME, content=text)]},
        {"tool_calls": [call("run_command", command=f"cat {NAME!r}")]},
        {"thinking": text, "text": text},
    ]


def _play_doors() -> Iterator[Answer]:
    for name, end in zip(DOORS, ("Begun.", "Ended."), strict=True):
        yield {"tool_calls": [call("write_file", file_path=name, content="x")]}
        yield {"text": end}


def _play_plan() -> Iterator[Answer]:
    plan = "# Plan\n\n1. Read the cart.\n2. Add the tax *once*.\n"
    yield {"tool_calls": [call("write_file", file_path="PLAN_FILE", content=plan)]}
    yield {"tool_calls": [call("plan_exit")]}
    yield {"text": "The plan is carried out."}


def _play_parent() -> Iterator[Answer]:
    task = {"agent_type": "explore", "task": "Script helper: read the first file."}
    yield {"tool_calls": [call("subagent", tasks=[task])]}
    yield {"text": "All is read."}


def _play_long() -> Iterator[Answer]:
    for turn in range(TURNS):
        names = [f"f{(turn * CALLS + at) % 500}.txt" for at in range(CALLS)]
        yield {
            "text": f"Part {turn}.",
            "tool_calls": [call("read_file", file_path=n) for n in names],
        }
    yield {"text": REPORT}


def install(folder: Path) -> tuple[Path, Path, str]:
    """Install what is needed; return Playwright's Python, axe-core and the browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or not shutil.which("npm"):
        raise MissingProgramError("Chromium, from the system's packages, and npm are needed")
    python, axe = folder / "page" / "bin" / "python", folder / "node_modules/axe-core/axe.min.js"
    if not python.exists():
        run_installer([sys.executable, "-m", "venv", str(folder / "page")])
        run_installer([str(python), "-m", "pip", "install", "--quiet", "playwright"])
    if not axe.exists():
        flags = ["--no-audit", "--no-fund", "--loglevel=error"]
        run_installer(["npm", "install", "--prefix", str(folder), *flags, "axe-core"])
    return python, axe, browser


def open_pages(tools: tuple[Path, Path, str], work: Path, pictures: Path) -> dict[str, str]:
    """Serve the threads, and look at them; return what each step ended with."""
    python, axe, browser = tools
    with Provider() as provider:
        provider.script(Model())
        environ = {"OPENAI_BASE_URL": provider.url, "LLC_MODEL__DEFAULT": "openai/served"}
        program = Program(work, provider.url, environ)
        for number in range(500):
            (program.project / f"f{number}.txt").write_text(f"line {number}\n" * 3)
        (empty := work / "empty").mkdir()  # another folder is not trusted to be remembered
        doors = begin_in_editor(program, provider.url)
        with PageServer(program) as server:
            threads = {
                "doors": doors,
                "tour": server.begin("Script tour: the cart adds tax twice.", mode="ask"),
                "hostile": server.begin(
                    "Script hostile " + ATTACKS[1] + "\n".join(ATTACKS), mode="auto"
                ),
                "long": server.begin("Script long: read everything.", mode="auto"),
            }
            threads |= {
                "changed": server.begin("Script changed: write a.", mode="ask"),
                "planned": server.begin("Script planned: plan it.", mode="plan"),
                "sent": server.begin("Script sent: read.", mode="auto"),
                "noted": server.begin("Script noted: note it.", mode="auto", folder=str(empty)),
            }
            for name, end in (
                ("changed", "question"),
                ("planned", "question"),
                ("sent", "idle"),
                ("noted", "idle"),
            ):
                server.read_to(threads[name], [end, "waiting", "completion"])
            server.read_to(threads["tour"], ["question", "waiting"])
            server.read_to(threads["hostile"], ["completion", "idle"])
            server.read_to(threads["long"], ["completion", "idle", "limit"])
            place = {
                "traps": FIND_TRAPS,
                "address": server.address,
                "axe": str(axe),
                "browser": browser,
                **threads,
            }
            with PageServer(program, LANG="zh_CN.UTF-8") as chinese:
                place |= {"pictures": str(pictures), "chinese": chinese.address}
                ended = subprocess.run(
                    [str(python), str(SCRIPT), json.dumps(place)],
                    capture_output=True,
                    text=True,
                    timeout=400,
                )
        if ended.returncode:
            return {"start": f"failed: {ended.stderr[-1500:]}"}
        steps = json.loads(ended.stdout.splitlines()[-1])
        return {**steps, "undone in the editor": undo_in_editor(program, provider.url, doors)}


def begin_in_editor(program: Program, url: str) -> str:
    """Begin a thread over ACP, whose question the terminal answers; return its ID."""
    editor = AcpClient(program, url, answer=lambda method, params: CANCELLED)
    folder = str(program.project)
    thread: str = editor.call("session/new", cwd=folder, mcpServers=[])["sessionId"]
    editor.wait(editor.prompt(thread, "Script doors: begin."))
    editor.close()
    question = json.loads(program.run("resume", thread, "--output", "json").stdout)["id"]
    program.run("resume", thread, "--question", question, "--approve")
    return thread


def undo_in_editor(program: Program, url: str, thread: str) -> str:
    """Undo over ACP what the other doors have done."""
    editor = AcpClient(program, url)
    editor.call("session/load", sessionId=thread, cwd=str(program.project), mcpServers=[])
    for name in reversed(DOORS):
        if not (program.project / name).exists():
            return f"failed: {name} was not written"
        editor.wait(editor.prompt(thread, "/undo"))
        if (program.project / name).exists():
            return f"failed: {name} is still there"
    editor.close()
    return "done"


def main() -> int:
    """Look at all; return 1 when a step failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "acp-interop")
    parser.add_argument("--pictures", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        try:
            tools = install(given.folder)
            pictures = given.pictures or work / "pictures"
            pictures.mkdir(parents=True, exist_ok=True)
            steps = open_pages(tools, work / "place", pictures)
        except MissingProgramError as error:
            print(f"skipped: {error}")
            return 0
    part = render(steps)
    replace_part(PAGE, TITLE, part)
    print(part)
    return any(end.startswith("failed") for end in steps.values())


def render(steps: Mapping[str, str]) -> str:
    """Return the part of the report."""
    lines = [
        TITLE,
        HEAD.format(date=f"{datetime.now(UTC):%Y-%m-%d}"),
        "| step | result |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| {name} | {end} |" for name, end in steps.items())]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
