"""Hostile texts in every place of the page, in a real browser: none is more than text.

The table is `ATTACKS` in each of `PLACES`.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from page_attacks import ATTACKS, FIND_TRAPS, LINES, NAMES, TEXT
from page_server import PageServer
from program import Program
from provider import Answer, Provider, Request

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the page is not attacked: `pip install playwright`"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="the page is not attacked: install Chromium (`apt-get install chromium`)"
)
Json = dict[str, Any]
HOSTILE = Path(__file__).parents[1] / "fixtures" / "mcp_servers" / "hostile.py"
OPEN = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"


def call(name: str, **args: Any) -> Json:
    return {"name": name, "args": args}


def turn(*calls: Json, **texts: str) -> Json:
    return {"tool_calls": [*calls], **texts}


@dataclass(frozen=True)
class Place:
    """Where texts are shown: how they come there, and what must be read there as it is."""

    turns: Any
    selector: str
    texts: Sequence[str] = ()
    message: str = "Go."
    tab: str = "talk"
    end: str = "idle"
    body: Mapping[str, str] = field(default_factory=dict[str, str])
    later: str = ""
    """A message that is sent while the page looks on."""


END = {"text": "The end."}
TASK = {"agent_type": "explore", "task": TEXT}
TODOS = [{"content": line, "status": "completed"} for line in LINES]
MCP: Json = {"server_name": "evil", "tool_name": "echo", "arguments": {"text": TEXT}}
PLACES = {
    "message": Place([END], ".human pre", ATTACKS, TEXT),
    "title": Place([END], "h1", LINES[:1], LINES[0]),
    "answer": Place([{"text": TEXT}], ".answer .markdown"),
    "thinking": Place([{"thinking": TEXT, "text": "x"}], ".thinking pre", ATTACKS),
    "arguments": Place(
        [turn(*(call("read_file", file_path=line) for line in LINES)), END], ".call .about", LINES
    ),
    "unknown tool": Place([turn(call(NAMES[0], x=TEXT)), END], ".call b"),
    "tool output": Place(
        [turn(call("run_command", command="cat evil.txt")), END], ".output", ATTACKS
    ),
    "diff": Place([turn(call("write_file", file_path="a.txt", content=TEXT)), END], ".talk .diff"),
    "svg file": Place(
        [turn(call("write_file", file_path="a.svg", content=TEXT)), END],
        ".files .diff",
        tab="files",
    ),
    "file names": Place(
        [turn(*(call("write_file", file_path=name, content="x") for name in NAMES)), END],
        ".files code",
        NAMES,
        tab="files",
    ),
    "question": Place(
        [turn(call("ask_user", question=TEXT, options=LINES[:9])), END],
        ".question .choices button",
        LINES[:9],
        end="question",
    ),
    "inbox": Place(
        [turn(call("ask_user", question=TEXT, options=["a"])), END], ".row .asks", end="question"
    ),
    "todos": Place([turn(call("todowrite", todos=TODOS)), END], ".todos li", LINES),
    "sub-agent": Place(
        {"build": [turn(call("subagent", tasks=[TASK])), END], "explore": [{"text": TEXT}]},
        ".child",
    ),
    "steps": Place([turn(call("list_files", path="."), text=TEXT), END], ".steps", tab="steps"),
    "refused by the provider": Place(None, ".error", LINES[:3], later="Script refused."),
    "plan": Place(None, ".question .markdown", body={"mode": "plan"}, end="question"),
    "mcp result": Place([turn(call("use_mcp_tool", **MCP)), END], ".call .output", LINES[:20]),
    "mcp question": Place(
        [turn(call("use_mcp_tool", **{**MCP, "tool_name": "asked_effect"})), END],
        ".question .form label",
        LINES[:1],
        end="question",
    ),
}


def answer_or_refuse(request: Request) -> Answer:
    """Answer as a provider that refuses with hostile texts, or as a model with such a plan."""
    request_text = json.dumps(request.body["messages"])
    if "Script refused" in request_text:
        return {"status": 400, "body": {"error": {"message": " ".join(LINES[:3])}}}
    [plan, *_] = re.findall(r"\.llc/plans/[\w-]+\.md", request_text) or [""]
    if "plan mode" not in request_text:
        return END
    if '"tool"' in request_text:
        return turn(call("plan_exit"))
    return turn(call("write_file", file_path=plan, content=TEXT))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    with Provider() as provider:
        provider.script(answer_or_refuse)
        environ = {"OPENAI_BASE_URL": f"{provider.url}/v1", "LLC_MODEL__DEFAULT": "openai/served"}
        program = Program(tmp_path_factory.mktemp("attacks"), provider.url, environ)
        (program.project / "evil.txt").write_text(TEXT)
        says = {"MCP_SAYS": LINES[0], "MCP_MODE": "new"}
        evil = {"type": "stdio", "command": sys.executable, "args": [str(HOSTILE)], "env": says}
        file = Path(program.environ["HOME"]) / ".config" / "maxagent" / "mcp_servers.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"servers": {"evil": evil}}))
        with PageServer(program, LLC_SECURITY__MODE="auto") as opened:
            yield opened


@pytest.fixture(scope="module")
def page(server: PageServer) -> Iterator[Any]:
    with playwright.sync_playwright() as opened:
        browser = opened.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.foreign = []
        tab.on("request", lambda sent: tab.foreign.append(sent.url))
        tab.on("dialog", lambda dialog: tab.foreign.append("a dialog"))
        tab.on("popup", lambda popup: tab.foreign.append("a window"))
        tab.on("pageerror", lambda error: tab.foreign.append(str(error)))
        tab.goto(server.address)
        tab.wait_for_selector(".inbox")
        yield tab
        browser.close()


def begin(server: PageServer, spot: Place, folder: Path) -> str:
    """Bring the texts into a thread; return it."""
    script = folder / "turns.json"
    script.write_text(json.dumps(spot.turns))
    model = {"model": f"scripted/{script}"} if spot.turns else {}
    thread = server.begin(spot.message, **{"mode": "auto", **model, **spot.body})
    server.read_to(thread, [spot.end, "completion", "question", "error", "waiting"])
    return thread


def check_page(page: Any, server: PageServer) -> None:
    assert page.evaluate(FIND_TRAPS) == []
    assert [url for url in page.foreign if not url.startswith(f"http://{server.host}/")] == []
    assert page.url.startswith(f"http://{server.host}/#/")


@pytest.mark.parametrize("name", PLACES)
def test_a_hostile_text_is_text(name: str, server: PageServer, page: Any, tmp_path: Path) -> None:
    spot = PLACES[name]
    thread = begin(server, spot, tmp_path)
    page.evaluate("(hash) => { location.hash = hash; }", f"#/t/{thread}")
    page.wait_for_selector(".talk > *")
    if spot.later:
        server.post(f"/api/threads/{thread}/messages", text=spot.later)
    button = page.locator(f"#tab-{spot.tab}[aria-pressed=false]")
    if button.count():
        button.click()
    page.wait_for_selector(spot.selector, state="attached")
    page.evaluate(OPEN)
    page.wait_for_timeout(300)  # what would run, has run
    seen = "\n".join(
        page.eval_on_selector_all(spot.selector, "all => all.map((n) => n.textContent)")
    )
    assert seen.strip()
    assert [text for text in spot.texts if strip(text) not in strip(seen)] == []
    check_page(page, server)


def strip(text: str) -> str:
    """Drop what a terminal or a file may not be sent, and blanks."""
    return re.sub(r"[\s\u202e\u2066]", "", text)


def test_hostile_titles_and_folders_are_text(server: PageServer, page: Any, tmp_path: Path) -> None:
    folder = tmp_path / NAMES[0]
    folder.mkdir()
    (tmp_path / "turns.json").write_text(json.dumps([END]))
    model = f"scripted/{tmp_path / 'turns.json'}"
    thread = server.begin("Go.", mode="auto", model=model, folder=str(folder))
    server.read_to(thread, ["completion", "idle"])
    for line in [line for line in LINES if len(line) <= 60 and "\u202e" not in line][::4]:
        server.post(f"/api/threads/{thread}/name", name=line)
    page.evaluate("(hash) => { location.hash = hash; }", f"#/t/{thread}")
    page.reload()
    page.wait_for_function("(name) => document.body.innerText.includes(name)", arg=folder.name)
    page.wait_for_selector(f".row[href='#/t/{thread}']")
    assert page.inner_text("h1 >> nth=0").strip()
    page.fill("#search", LINES[0])
    page.wait_for_timeout(400)
    page.fill("#search", "")
    page.evaluate("location.hash = '#/new'")
    page.wait_for_selector(".field option >> nth=1", state="attached")
    check_page(page, server)


def test_a_hostile_card_is_text(server: PageServer, page: Any, tmp_path: Path) -> None:
    notes = [call("record_note", content=f"Note {line}") for line in LINES[::6]]
    (folder := tmp_path / "empty").mkdir()  # another one is not trusted
    begin(server, Place([turn(*notes), END], "", body={"folder": str(folder)}), tmp_path)
    page.evaluate("location.hash = '#/memory'")
    page.wait_for_selector(".question textarea")
    page.reload()
    page.wait_for_selector(".question textarea")
    texts = page.eval_on_selector_all("textarea", "all => all.map((each) => each.value)")
    assert f"Note {LINES[0]}" in texts
    check_page(page, server)


def test_the_table_is_long_enough() -> None:
    assert len(ATTACKS) * len(PLACES) >= 1_000
