"""The page of `mcode web` in a real browser; skipped where Playwright or Chromium is missing."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_server import PageServer
from program import Program
from provider import Answer, Provider, Request

from maxagent.cli.i18n.catalogs import load_catalog
from maxagent.cli.rendering.tool_summary import VERBS

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the page is not tried: `pip install playwright`"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="the page is not tried: install Chromium (`apt-get install chromium`)"
)
SCRIPTS = [
    "<script>window.broken=1</script>",
    "<img src=x onerror='window.broken=1'>",
    "<svg onload='window.broken=1'><script>window.broken=1</script></svg>",
    "[link](javascript:window.broken=1)",
    "[link](data:text/html,<script>window.broken=1</script>)",
    '![picture](x" onerror="window.broken=1)',
    "<a href='javascript:window.broken=1'>link</a>",
    "<iframe srcdoc='<script>parent.broken=1</script>'></iframe>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.broken=1>",
    "<form action='javascript:window.broken=1'><input type=submit id=search></form>",
    "`` `<img src=x onerror=window.broken=1>` ``",
    '```html"><img src=x onerror=window.broken=1>\n<script>window.broken=1</script>\n```',
    "<details open ontoggle='window.broken=1'>",
    "<style>@import 'http://127.0.0.1:1/x.css'</style>",
    "<base href='http://127.0.0.1:1/'>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:1/'>",
    "<object data='javascript:window.broken=1'></object>",
    "|<img src=x onerror=window.broken=1>|b|\n|---|---|\n|<script>window.broken=1</script>|c|",
    "<div id=app name=location>clobbered</div>",
    "[x]: <javascript:window.broken=1>\n\n[x]",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as opened:
        launched = opened.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def write_script(folder: Path, *answers: Any) -> dict[str, str]:
    """Return the environment in which the model gives these answers."""
    script = folder / "script.json"
    script.write_text(json.dumps(answers))
    return {"LLC_MODEL__DEFAULT": f"scripted/{script}"}


def open_page(browser: Any, server: PageServer, width: int, scheme: str = "light") -> Any:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(server.address)
    page.wait_for_selector(".inbox", state="attached")
    return page


def catalogue_words(language: str) -> list[str]:
    """Return the words of the page in a language."""
    messages = load_catalog("mcode", language).list_messages().items()
    return [word for key, word in messages if key.startswith(("web.", "acp.call."))]


def show_pane(page: Any, name: str) -> None:
    """Show files or steps, or for `talk` neither."""
    for each in ("files", "steps"):
        is_shown = page.get_attribute(f"#tab-{each}", "aria-pressed") == "true"
        if is_shown != (each == name):
            page.click(f"#tab-{each}")


def begin(page: Any, text: str) -> None:
    page.evaluate("location.hash = '#/new'")
    page.fill(".new textarea", text)
    page.click(".new button.primary")


@pytest.mark.parametrize(
    ("width", "scheme", "language", "database"),
    [
        (1400, "dark", "en", "sqlite"),
        (360, "light", "zh", "sqlite"),
        (1400, "light", "zh", "postgres"),
        (360, "dark", "en", "postgres"),
    ],
)
def test_a_conversation_is_held_on_the_page(
    browser: Any,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    width: int,
    scheme: str,
    language: str,
    database: str,
) -> None:
    write = {"name": "write_file", "args": {"file_path": "a.py", "content": "a = 1\n"}}
    ask = {"name": "ask_user", "args": {"question": "Which name?", "options": ["Ada", "Grace"]}}
    answers = [
        {"thinking": "First a file.", "text": "A *file*.", "tool_calls": [write]},
        {"tool_calls": [ask]},
        {"text": "```python\ndef done(): return 'Ada'\n```"},
    ]
    environ = write_script(tmp_path, *answers)
    if database == "postgres":
        environ["LLC_DATABASE"] = request.getfixturevalue("postgres").create_schema()
    program = Program(tmp_path, "", environ)
    with PageServer(program, LLC_LANG=language, LLC_SECURITY__MODE="ask") as server:
        page = open_page(browser, server, width, scheme)
        assert server.token not in page.url
        begin(page, "Write <b>it</b>.")
        page.click(".question .primary")
        page.click(".question button:has-text('Ada')")
        page.wait_for_selector(".hljs-keyword")
        assert page.inner_text(".human pre") == "Write <b>it</b>."
        assert page.inner_text(".thinking pre", timeout=1000) in ("", "First a file.")
        page.reload()
        page.wait_for_selector(".hljs-keyword")
        show_pane(page, "files")
        page.wait_for_selector(".files .diff .add")
        page.click(".files .choices button >> nth=0")
        page.wait_for_selector(".files .note")
        assert not (program.project / "a.py").exists()
        show_pane(page, "steps")
        page.click(".steps li:nth-child(2) > .what")  # on a phone what can be done is folded
        page.click(".steps li:nth-child(2) .choices button:nth-child(2)")
        page.wait_for_selector(".talk .call")
        page.evaluate("location.hash = '#/'")
        page.fill("#search", "Write it")
        page.wait_for_selector(".list .row >> nth=1")  # the thread and its fork
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.documentElement.lang").startswith(language)
        assert page.problems == []


def list_visible_words(page: Any) -> set[str]:
    """Return all that a person reads or is read on the page."""
    return set(
        page.evaluate("""() => [...document.querySelectorAll("body *")].flatMap((node) => [
          ...[...node.childNodes].filter((each) => each.nodeType === 3).map((each) => each.data),
          node.ariaLabel, node.placeholder, node.title,
        ].filter(Boolean).map((text) => text.trim()))""")
    )


def test_the_language_changes_everything_on_the_page(browser: Any, tmp_path: Path) -> None:
    read = {"name": "read_file", "args": {"file_path": "no/such/file"}}
    ask = {"name": "run_command", "args": {"command": "echo a > a"}}
    program = Program(
        tmp_path, "", write_script(tmp_path, *({"tool_calls": [each]} for each in (read, ask)))
    )
    texts = {
        language: set(catalogue_words(language)) - {"{mode}", "MaxAgent"}
        for language in ("en", "zh")
    }
    with PageServer(program, LLC_LANG="en", LLC_SECURITY__MODE="ask") as server:
        page = open_page(browser, server, 1400)
        begin(page, "Hello.")
        page.wait_for_selector(".question")
        page.fill(".question input", "half a message")
        english = page.text_content(".call pre >> nth=0")
        page.select_option(".language", "zh")
        page.wait_for_selector(".question button:has-text('拒绝')")
        page.wait_for_function("(text) => !document.body.textContent.includes(text)", arg=english)
        assert page.input_value(".question input") == "half a message"
        for tab in ("files", "steps", "talk"):
            show_pane(page, tab)
            page.wait_for_selector(f".{tab}")
            assert list_visible_words(page) & (texts["en"] - texts["zh"]) == set()
        page.reload()
        page.wait_for_selector(".question button:has-text('拒绝')")
        assert page.evaluate("document.documentElement.lang") == "zh-CN"
        page.select_option(".language", "en")
        page.wait_for_selector(".question button:has-text('No')")
        page.wait_for_function("(text) => document.body.textContent.includes(text)", arg=english)
        assert list_visible_words(page) & (texts["zh"] - texts["en"]) == set()
        assert page.text_content(".call pre >> nth=0") == english
        assert page.problems == []


def test_a_call_is_edited_before_it_runs(browser: Any, tmp_path: Path) -> None:
    run = {"name": "run_command", "args": {"command": "echo a >> log"}}
    # the whole of it is shown as JSON, since another argument is a list
    write = {"file_path": "a.txt", "edits": [{"old_string": "y", "new_string": "x"}]}
    calls = [run, {"name": "read_file", "args": {"file_path": "a.txt"}}]
    answers = [{"tool_calls": [each]} for each in [*calls, {"name": "edit", "args": write}]]
    program = Program(tmp_path, "", write_script(tmp_path, *answers, {"text": "The end."}))
    (program.project / "a.txt").write_text("y")
    with PageServer(program, LLC_SECURITY__MODE="ask") as server:
        page, other = open_page(browser, server, 1000), open_page(browser, server, 360)
        begin(page, "Count.")
        page.click("text=Edit the command first")
        other.evaluate("(hash) => { location.hash = hash }", page.evaluate("location.hash"))
        assert page.input_value(".edit textarea") == "echo a >> log"
        page.fill(".edit textarea", "echo b >> log && sleep 1")
        page.click(".edit .primary")
        for each in (page, other):
            each.wait_for_selector(".call:has-text('echo b'):has-text('changed by you')")
        page.click(".question .link")
        for wrong, reason in (("{", "not JSON"), ("[]", "one JSON object"), ("{}", "file_path")):
            page.fill(".edit textarea", wrong)
            page.click(".edit .primary")
            page.wait_for_selector(f".question [role=alert]:has-text('{reason}')")
            assert page.input_value(".edit textarea") == wrong
        edited = {**write, "edits": [{"old_string": "y", "new_string": "z"}]}
        page.fill(".edit textarea", json.dumps(edited))
        page.click(".edit .primary")
        page.wait_for_selector("text=The end.")
        page.reload()
        page.wait_for_selector(".call:has-text('echo b'):has-text('changed by you')")
        assert page.problems == other.problems == []
    assert program.lines("log") == ["b"]
    assert (program.project / "a.txt").read_text() == "z"


def test_a_call_is_asked_with_all_it_sends(browser: Any, tmp_path: Path) -> None:
    run = {"name": "run_command", "args": {"command": "touch made", "cwd": "sub"}}
    fetch = {"url": "https://docs.example.org/page", "format": "text"}
    answers = [{"tool_calls": [each]} for each in [run, {"name": "webfetch", "args": fetch}]]
    program = Program(tmp_path, "", write_script(tmp_path, *answers, {"text": "The end."}))
    (program.project / "sub").mkdir()
    with PageServer(program, LLC_SECURITY__MODE="ask") as server:
        page = open_page(browser, server, 360)
        begin(page, "Fetch.")
        page.wait_for_selector(".question .command:has-text('touch made')")
        assert page.inner_text(".question .arguments").split() == ["cwd", "sub"]
        page.click(".question .option >> nth=0")
        page.wait_for_selector(".question:has-text('docs.example.org/page')")
        assert "text" in page.inner_text(".question .arguments").split()
        assert page.problems == []


def test_an_edit_outlives_an_answer_from_elsewhere(browser: Any, tmp_path: Path) -> None:
    run = {"name": "run_command", "args": {"command": "echo a >> log"}}
    program = Program(
        tmp_path, "", write_script(tmp_path, {"tool_calls": [run]}, {"text": "The end."})
    )
    with PageServer(program, LLC_SECURITY__MODE="ask") as server:
        page = open_page(browser, server, 1000)
        begin(page, "Count.")
        page.click("text=Edit the command first")
        page.fill(".edit textarea", "echo mine >> log")
        thread = page.evaluate("location.hash").rpartition("/")[2]
        [question] = server.get(f"/api/threads/{thread}/questions")["questions"]
        ended = program.resume(thread, "--question", question["id"], "--reject", "no")
        assert ended.code == 0
        page.wait_for_selector(".question:has-text('answered elsewhere') pre")
        assert page.inner_text(".question pre") == "echo mine >> log"
        page.click(".question .link")
        assert page.locator(".question").count() == 0
        assert page.problems == []


def make_plan(request: Request) -> Answer:
    """Answer as a model that writes a plan, shows it, and carries it out once it may."""
    text = json.dumps(request.body["messages"])
    [plan, *_] = re.findall(r"\.llc/plans/[\w-]+\.md", text) or [""]
    if "You are in build mode" in text or "Step of mine" in text:
        return {"text": "Carried out."}
    if '"tool"' in text:
        return {"tool_calls": [{"name": "plan_exit", "args": {}}]}
    write = {"file_path": plan, "content": "# Plan\n\n1. All of *it*.\n"}
    return {"tool_calls": [{"name": "write_file", "args": write}]}


def test_a_plan_is_edited_and_carried_out(browser: Any, tmp_path: Path) -> None:
    with Provider() as provider:
        provider.script(make_plan)
        environ = {"OPENAI_BASE_URL": f"{provider.url}/v1", "LLC_MODEL__DEFAULT": "openai/served"}
        program = Program(tmp_path, provider.url, environ)
        with PageServer(program, LLC_SECURITY__MODE="ask") as server:
            page = open_page(browser, server, 1000)
            page.evaluate("location.hash = '#/new'")
            page.fill(".new textarea", "Plan it.")
            page.select_option(".new .choice:has-text('Mode') select", "plan")
            page.click(".new button.primary")
            page.wait_for_selector(".question .markdown li em")
            page.select_option(".question select", "edits")
            page.click("text=Edit the plan first")
            page.fill(".edit textarea", " ")
            page.click(".edit .primary")
            page.wait_for_selector(".question [role=alert]:has-text('empty')")
            page.fill(".edit textarea", "# Plan\n\n1. Step of mine.\n")
            show_pane(page, "files")
            show_pane(page, "talk")
            assert page.input_value(".edit textarea") == "# Plan\n\n1. Step of mine.\n"
            page.click(".edit .primary")
            page.wait_for_selector(".question .markdown li:has-text('Step of mine.')")
            assert page.input_value(".question select") == "edits"
            page.click(".question .primary >> nth=0")
            page.wait_for_selector(".answer:has-text('Carried out.')")
            page.wait_for_selector(".note:has-text('build')")
            assert page.problems == []
        [plan] = (program.project / ".llc" / "plans").iterdir()
        assert plan.read_text().strip() == "# Plan\n\n1. Step of mine."
        assert "Step of mine" in json.dumps(provider.requests[-1].body["messages"])


def test_calls_of_sub_agents_open_below_their_row(browser: Any, tmp_path: Path) -> None:
    tasks = [{"agent_type": "explore", "task": f"look at {name}"} for name in ("one", "two")]
    read, fetch = (
        {"tool_calls": [{"name": name, "args": args}]}
        for name, args in (
            ("read_file", {"file_path": "a.txt"}),
            ("webfetch", {"url": "https://page.example"}),
        )
    )
    script = {
        "build": [
            {"tool_calls": [{"name": "subagent", "args": {"tasks": tasks}}]},
            {"text": "The end."},
        ],
        "explore": [read, fetch, {"text": "A *report*."}],
    }
    program = Program(tmp_path, "", write_script(tmp_path))
    (tmp_path / "script.json").write_text(json.dumps(script))
    (program.project / "a.txt").write_text("content of a")
    with PageServer(program) as server:
        page = open_page(browser, server, 1000)
        begin(page, "Look.")
        page.wait_for_selector(".question >> nth=1")
        assert page.locator(".talk > .call:has-text('a.txt')").count() == 0
        page.click(".child >> nth=0 >> summary")
        page.wait_for_selector(".child >> nth=0 >> .call:has-text('Read')")
        for _ in tasks:
            page.click(".question .refuse >> nth=0")
            page.wait_for_selector(".busy", state="detached")
        page.wait_for_selector("text=The end.")
        live = read_children(page)
        page.reload()
        page.wait_for_selector("text=The end.")
        page.click(".child >> nth=0 >> summary")
        page.wait_for_selector(".child >> nth=0 >> .answer em")
        assert read_children(page) == live
        assert live == [
            ["explore-1 look at one", "Read a.txt", "Fetch https://page.example failed"]
        ]
        page.click(".child .call >> nth=0 >> summary")
        assert "content of a" in page.inner_text(".child .call .output >> nth=0")
        assert page.problems == []


def read_children(page: Any) -> list[list[str]]:
    """Return the calls below each row of a sub-agent that is open."""
    return page.eval_on_selector_all(
        ".child[open]",
        """all => all.map((one) => [...one.querySelectorAll(".call summary")]
          .map((each) => each.innerText.replace(/\\s+/g, " ").trim()))""",
    )


def press_to(page: Any, selector: str) -> None:
    """Go with the Tab key to what fits, and press Enter there."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(name) => document.activeElement.matches(name)", selector):
            return page.keyboard.press("Enter")
    raise AssertionError(f"no key leads to {selector}")


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1400, "light")])
def test_steps_are_a_tree_for_the_keyboard(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    write = {"name": "write_file", "args": {"file_path": "a.txt", "content": "x"}}
    answers = [{"text": "I write.", "tool_calls": [write]}, {"text": "Written."}, {"text": "More."}]
    program = Program(tmp_path, "", write_script(tmp_path, *answers))
    with PageServer(program, LLC_SECURITY__MODE="edits") as server:
        page = open_page(browser, server, width, scheme)
        begin(page, "Begin.")
        page.wait_for_selector("text=Written.")
        page.wait_for_selector(".busy", state="detached")
        press_to(page, "#tab-steps")
        page.wait_for_selector(".steps .here > .number:has-text('2')")
        press_to(page, ".steps li:nth-child(1) .choices button:first-child")
        press_to(page, ".steps .danger")
        page.wait_for_selector(".steps .here > .number:has-text('0')")
        assert not (program.project / "a.txt").exists()
        press_to(page, ".branch summary")
        page.wait_for_selector(".branch li:has-text('Written.')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        press_to(page, ".branch li:nth-child(2) .choices button:first-child")
        press_to(page, ".branch .danger")
        page.wait_for_selector(".steps .here > .number:has-text('2')")
        assert (program.project / "a.txt").read_text() == "x"
        address = page.url
        press_to(page, ".steps li:nth-child(2) .choices button:nth-child(2)")
        page.wait_for_function("(old) => location.href !== old", arg=address)
        page.wait_for_selector(".talk .call")
        show_pane(page, "steps")
        page.click(".steps > .branch a")
        page.wait_for_selector("text=Written.")
        show_pane(page, "steps")
        page.wait_for_selector(".steps li:nth-child(2) .branch a")
        assert page.problems == []


@pytest.mark.parametrize(("width", "language"), [(1400, "en"), (360, "zh")])
def test_one_file_is_undone_alone(browser: Any, tmp_path: Path, width: int, language: str) -> None:
    writes = [
        {"name": "write_file", "args": {"file_path": name, "content": "x\n"}}
        for name in ("a.py", "b.py")
    ]
    answers = [{"tool_calls": writes}, {"text": "Written."}]
    program = Program(tmp_path, "", write_script(tmp_path, *answers))
    with PageServer(program, LLC_LANG=language, LLC_SECURITY__MODE="auto") as server:
        page, redo = open_page(browser, server, width), ".closing button:nth-of-type(2)"
        begin(page, "Write both.")
        show_pane(page, "files")
        page.wait_for_selector(".files .undoable >> nth=1")
        assert page.locator(redo).count() == 0
        page.click(".undoable button >> nth=0")
        page.wait_for_selector(".files .undoable >> nth=1", state="detached")
        assert [(program.project / each).exists() for each in ("a.py", "b.py")] == [False, True]
        show_pane(page, "talk")
        page.wait_for_selector(".talk .result strong:has-text('1')")  # the other is still changed
        show_pane(page, "files")
        page.click(redo)
        page.wait_for_selector(".files .undoable >> nth=1")
        page.wait_for_selector(redo, state="detached")
        assert (program.project / "a.py").exists()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.problems == []


@pytest.mark.parametrize("width", [1400, 360])
def test_the_list_says_what_runs_and_failed(browser: Any, tmp_path: Path, width: int) -> None:
    commands = ["exit 3", "touch begun; sleep 600"]
    calls = [
        {"tool_calls": [{"name": "run_command", "args": {"command": each}}]} for each in commands
    ]
    program = Program(tmp_path, "", write_script(tmp_path, *calls))
    with PageServer(program, LLC_SECURITY__MODE="auto") as server:
        page = open_page(browser, server, width)
        begin(page, "Try it.")
        page.wait_for_selector(".call.run:has-text('Running touch begun')")
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector(".row .doing:has-text('Running touch begun')")
        [row] = server.get("/api/threads")["threads"]
        server.post(f"/api/threads/{row['thread_id']}/stop")
        page.wait_for_selector(".row:not(:has(.doing)) .failed:has-text('1 failed')")
        assert page.problems == []


@pytest.mark.parametrize("width", [1400, 360])
def test_an_ended_turn_shows_failure_and_question(browser: Any, tmp_path: Path, width: int) -> None:
    """The last failure is open, one that was mended is not; a question at the end waits."""
    commands = ["test -e made || exit 4", "touch made", "test -e made || exit 4", "exit 3"]
    answers = [
        {"tool_calls": [{"name": "run_command", "args": {"command": each}}]} for each in commands
    ]
    program = Program(tmp_path, "", write_script(tmp_path, *answers, {"text": "No. Go on?"}))
    with PageServer(program, LLC_SECURITY__MODE="auto") as server:
        page = open_page(browser, server, width)
        begin(page, "Try it.")
        page.wait_for_selector("text=No. Go on?")
        for _ in range(2):
            page.wait_for_selector(".call[open]:has-text('exit code 3')")
            marks = page.eval_on_selector_all(".call .mark", "all => all.map((n) => n.className)")
            assert marks == [f"mark {name}" for name in ("mended", "good", "good", "bad")]
            assert page.locator(".call[open]").count() == 1
            assert "Ran" in page.inner_text(".call.bad summary b")
            assert page.locator(".quick button").all_inner_texts() == []
            hint = "Answer: Go on?" if width == 1400 else "Your answer"
            assert page.get_attribute(".composer textarea", "placeholder") == hint
            assert page.inner_text(".head .failed") == "1 failed"
            page.wait_for_selector(".head .status.waiting")
            usage = page.text_content(".head .usage")
            assert usage.startswith("context ") and "$" not in usage
            page.reload()
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector(".waiting .row:has-text('1 failed') .asks:has-text('Asks: Go on?')")
        assert page.problems == []


QUICK = {
    "It is 3.9. Shall I raise it?": True,
    "So, is **this** what you meant?": True,
    "要提高到 3.10 吗？": True,
    "Which of both?": False,
    "Shall I use 3.10 or 3.11?": False,
    "要用 3.10 还是 3.11？": False,
    "Done.": None,
}


@pytest.mark.parametrize("width", [1400, 360])
def test_yes_and_no_answer_a_question(browser: Any, tmp_path: Path, width: int) -> None:
    program = Program(tmp_path, "")
    with PageServer(program) as server:
        page, seen = open_page(browser, server, width), dict[str, bool | None]()
        for number, answer in enumerate(QUICK):
            (folder := tmp_path / str(number)).mkdir()
            model = write_script(folder, {"text": answer}, {"text": "Good."})
            thread = server.begin("Look.", model=model["LLC_MODEL__DEFAULT"])
            server.read_to(thread, ["completion", "idle"])
            page.evaluate("(id) => { location.hash = `#/t/${id}`; }", thread)
            page.wait_for_selector(f".answer:has-text('{answer.split()[0]}')")
            is_asked = page.locator(".composer .asked-for").count() == 1
            seen[answer] = page.locator(".quick button").count() == 2 if is_asked else None
            if seen[answer]:
                page.click(".quick button >> nth=0")
                page.wait_for_selector("text=Good.")
                assert page.locator(".human").last.inner_text() in ("Yes", "是")
        assert seen == QUICK
        assert page.problems == []


@pytest.mark.parametrize("width", [1400, 360])
def test_an_ended_turn_says_what_its_tests_say(browser: Any, tmp_path: Path, width: int) -> None:
    def run(command: str) -> Any:
        return {"name": "run_command", "args": {"command": command}}

    write = {"name": "write_file", "args": {"file_path": "a.txt", "content": "x"}}
    passing, failing = run("python3 -m unittest -h"), run("python3 -m unittest no.such")
    turns: dict[str, list[Any]] = {
        "✓ Tests passed": [failing, passing],
        "✗ Tests failed": [passing, failing],
        "1 file +1": [passing, write],  # older than the change
        "✓ Tests passed 1 file +1": [write, passing],
        "": [run("python3 -m unittest no.such | cat")],
        "✗ Failed: ls /no/such": [run("ls /no/such")],
        "✗ Failed: ls /no/such 1 file +1": [passing, write, run("ls /no/such")],
    }
    with PageServer(Program(tmp_path, ""), LLC_SECURITY__MODE="auto") as server:
        page, seen = open_page(browser, server, width), list[str]()
        for number, calls in enumerate(turns.values()):
            (folder := tmp_path / str(number)).mkdir()
            answers = [*({"tool_calls": [each]} for each in calls), {"text": "The end."}]
            model = write_script(folder, *answers)["LLC_MODEL__DEFAULT"]
            thread = server.begin("Try it.", model=model, folder=str(folder))
            server.read_to(thread, ["completion", "idle"])
            page.evaluate("(id) => { location.hash = `#/t/${id}`; }", thread)
            page.wait_for_selector("text=The end.")
            if list(turns)[number]:
                page.wait_for_selector(".talk .result small:has-text('s')")
            result = page.locator(".talk .result :is(strong, .delta)")
            seen.append(" ".join(result.all_inner_texts()).strip())
        assert seen == list(turns)
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector(".row .status >> nth=6")
        listed = [" ".join(text.split()) for text in page.locator(".row .status").all_inner_texts()]
        good = ["answered", "✓ Tests +1", "+1"]
        assert listed == ["failed", "failed", *good, "failed", "✓ Tests"]
        assert page.problems == []


@pytest.mark.parametrize("width", [1400, 360])
def test_an_answer_leads_to_the_next(browser: Any, tmp_path: Path, width: int) -> None:
    ask = {"name": "ask_user", "args": {"question": "Which?", "options": ["This", "That"]}}
    program = Program(tmp_path, "", write_script(tmp_path, {"tool_calls": [ask]}, {"text": "So."}))
    with PageServer(program) as server:
        page = open_page(browser, server, width)
        threads = [server.begin(f"Task {number}.") for number in range(3)]
        for thread in threads:
            server.read_to(thread, ["question"])
        page.evaluate("(id) => { location.hash = `#/t/${id}`; }", threads[0])
        for left in (2, 1, 0):
            page.wait_for_selector(".question .option")
            assert page.locator(".next").count() == 0
            page.click(".question .option >> nth=0")
            page.wait_for_selector("text=So.")
            if left:
                page.click(".next")
        page.wait_for_selector(".next", state="detached")
        assert page.problems == []


def test_a_running_command_shows_its_tail(browser: Any, tmp_path: Path) -> None:
    command = "for i in $(seq 60); do echo line $i; done; sleep 600"
    call = {"name": "run_command", "args": {"command": command}}
    program = Program(tmp_path, "", write_script(tmp_path, {"tool_calls": [call]}))
    with PageServer(program, LLC_SECURITY__MODE="auto") as server:
        page = open_page(browser, server, 1400)
        begin(page, "Try it.")
        page.wait_for_selector(".call .tail:has-text('line 60')")
        at_end = "n => n.scrollTop > 0 && n.scrollHeight - n.scrollTop - n.clientHeight < 2"
        page.wait_for_function(f"({at_end})(document.querySelector('.tail'))")
        for area in (".call", ".head"):
            assert re.fullmatch(r"\d+:\d\d", page.inner_text(f"{area} .elapsed"))
        page.click(".composer .danger")
        page.wait_for_selector(".elapsed", state="detached")
        assert page.problems == []


@pytest.mark.parametrize(("width", "language"), [(1400, "zh"), (360, "en")])
def test_a_folder_is_picked_or_typed(
    browser: Any, tmp_path: Path, width: int, language: str
) -> None:
    program = Program(tmp_path, "", write_script(tmp_path, {"text": "Here."}))
    (other := tmp_path / "other").mkdir()
    with PageServer(program, LLC_LANG=language) as server:
        page = open_page(browser, server, width)
        page.evaluate("location.hash = '#/new'")
        page.fill(".new textarea", "Where are you?")
        assert page.input_value(".field select") == str(program.project)
        page.select_option(".field select", "")
        page.fill(".field input", str(other))
        page.click(".new button.primary")
        page.wait_for_selector("text=Here.")
        assert page.inner_text(".note code >> nth=0") == str(other)  # it is no repository
        page.evaluate("location.hash = '#/'")
        page.reload()
        page.evaluate("location.hash = '#/new'")
        page.wait_for_selector(f".field option[value='{other}']", state="attached")
        assert page.problems == []


@pytest.mark.parametrize("width", [360, 1000, 1400])
def test_a_thread_is_opened_by_one_request(browser: Any, tmp_path: Path, width: int) -> None:
    program = Program(tmp_path, "", write_script(tmp_path, {"text": "An answer."}))
    with PageServer(program) as server:
        thread = server.begin("Hello.")
        server.read_to(thread, ["completion", "idle"])
        page = open_page(browser, server, width)
        page.wait_for_selector(".row .status.idle")
        requests = list[str]()
        page.on("request", lambda sent: requests.append(sent.url.partition("/api/")[2]))
        page.evaluate("(id) => { location.hash = `#/t/${id}`; }", thread)
        page.wait_for_selector("text=An answer.")
        page.wait_for_selector(".composer textarea")
        assert list(filter(None, requests)) == [f"threads/{thread}/events"]


def test_a_question_stands_below_a_short_conversation(browser: Any, tmp_path: Path) -> None:
    ask = {"name": "ask_user", "args": {"question": "Which?", "options": ["Ada", "Grace"]}}
    many = {"text": "A line.\n\n" * 90, "tool_calls": [ask]}
    program = Program(tmp_path, "", write_script(tmp_path, {"tool_calls": [ask]}, many))
    with PageServer(program) as server:
        for width in (1400, 360):
            page = open_page(browser, server, width)
            begin(page, "Ask.")
            page.wait_for_selector(".question")
            top, bottom = (page.locator(each).bounding_box() for each in (".human", ".question"))
            is_docked = bottom["y"] + bottom["height"] > 600  # at a phone's thumb
            assert top["y"] < 200 and is_docked == (width == 360)
            page.click(".question .option >> nth=0")
            page.wait_for_selector("text=A line. >> nth=89")
            page.wait_for_selector(".question .option >> nth=0")
            box = page.locator(".question").bounding_box()
            header = page.locator(".thread > header").bounding_box()
            panel = page.locator("#panel").bounding_box()
            assert 700 < box["y"] + box["height"] <= 800
            assert panel["y"] >= header["y"] + header["height"] - 1 and panel["height"] > 40
            assert page.problems == []


@pytest.mark.parametrize(("width", "language"), [(360, "zh"), (1400, "en")])
def test_cards_are_decided_on_the_page(
    browser: Any, tmp_path: Path, width: int, language: str
) -> None:
    notes = [
        {"name": "record_note", "args": {"content": content}}
        for content in ("The port of the server is 81.", "Releases are made on Fridays.")
    ]
    program = Program(
        tmp_path, "", write_script(tmp_path, {"tool_calls": notes}, {"text": "Noted."})
    )
    with PageServer(program, LLC_LANG=language) as server:
        page = open_page(browser, server, width)
        begin(page, "Note it.")
        page.wait_for_selector("text=Noted.")
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector(".inbox a[href='#/memory'] .count:has-text('2')")
        page.evaluate("document.activeElement.blur()")
        press_to(page, ".inbox a[href='#/memory']")
        page.wait_for_selector(".question >> nth=1")
        page.fill(".question textarea >> nth=0", "The port is 99.")
        press_to(page, ".question:first-child .primary")
        page.wait_for_selector(".question >> nth=1", state="detached")
        press_to(page, ".question .danger")
        page.wait_for_selector(".empty", state="visible")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.problems == []
    cards = json.loads(program.run("memory", "list", "--json").stdout)
    assert [card["content"] for card in cards] == ["The port is 99."]


def test_no_text_of_a_model_runs(browser: Any, tmp_path: Path) -> None:
    text = "\n\n".join(SCRIPTS)
    name = "<img src=x onerror=window.broken=1>.txt"
    write = {"name": "write_file", "args": {"file_path": name, "content": text}}
    ask = {"name": "ask_user", "args": {"question": text, "options": SCRIPTS[:3]}}
    answers = [
        {"thinking": text, "text": text, "tool_calls": [write]},
        {"tool_calls": [ask]},
        {"text": "The end."},
    ]
    program = Program(tmp_path, "", write_script(tmp_path, *answers))
    with PageServer(program, LLC_SECURITY__MODE="edits") as server:
        page = open_page(browser, server, 1000)
        foreign = list[str]()
        page.on("request", lambda sent: foreign.append(sent.url))
        begin(page, SCRIPTS[1])
        page.wait_for_selector(".question .markdown")
        for mark in page.query_selector_all("details summary"):
            mark.click()
        show_pane(page, "files")
        page.wait_for_selector(".files .diff")
        show_pane(page, "talk")
        page.click(".question .option >> nth=0")
        page.wait_for_selector("text=The end.")
        assert page.evaluate("window.broken") is None
        links = page.eval_on_selector_all(".markdown a", "all => all.map((a) => a.href)")
        links = [link for link in links if link]  # what was removed leads nowhere
        assert [link for link in links if not link.startswith(("http", "mailto:"))] == []
        active = "iframe, object, form form, .markdown img, .markdown style, base, .markdown svg"
        assert page.query_selector_all(active) == []
        assert [url for url in foreign if not url.startswith(f"http://{server.host}/")] == []


def test_without_the_token_the_page_says_so(browser: Any, tmp_path: Path) -> None:
    with PageServer(Program(tmp_path, "")) as server:
        page = browser.new_context().new_page()
        page.goto(f"http://{server.host}/")
        assert "token" in page.inner_text("[role=alert]")


def test_a_page_goes_on_after_a_crash(browser: Any, tmp_path: Path) -> None:
    calls = [{"name": "run_command", "args": {"command": f"echo {each} >> log"}} for each in "ab"]
    answers = [*({"tool_calls": [call]} for call in calls), {"text": "The end."}]
    program = Program(tmp_path, "", write_script(tmp_path, *answers))
    with PageServer(program, LLC_SECURITY__MODE="ask") as server:
        page = open_page(browser, server, 1000)
        begin(page, "Count.")
        page.wait_for_selector(".question")
        port = server.port
        server.end()
    with PageServer(program, port=port, LLC_SECURITY__MODE="ask"):
        page.click(".question .primary")
        page.wait_for_selector(".question:has-text('echo b')")
        page.click(".question .primary")
        page.wait_for_selector("text=The end.")
        assert len(page.query_selector_all(".call")) == 2
        assert len(page.query_selector_all(".human")) == 1
    assert program.lines("log") == ["a", "b"]


# What a finger must hit and is too small, and what is wider than the window
FIND_SMALL = """() => [
  ...[...document.querySelectorAll("a, button, select, input, textarea, summary")]
    .filter((node) => node.offsetParent && !node.closest(".markdown, label"))
    .map((node) => [node.outerHTML.slice(0, 90), node.getBoundingClientRect()])
    .filter(([, box]) => box.height < 43.5 || box.width < 43.5).map(([text]) => text),
  ...(document.documentElement.scrollWidth > innerWidth ? ["too wide"] : []),
]"""
CART = "TAX = 2\n\n\ndef total(items):\n    return sum(item.price * TAX for item in items)\n"


def show_changes(browser: Any, tmp_path: Path, language: str, width: int) -> Any:
    """Begin a thread that reads three times, edits, writes much, and asks."""
    edit = {"old_string": "item.price * TAX", "new_string": "item.price"}
    calls = [
        ("read_file", {"file_path": "cart.py"}),
        ("grep", {"regex": "TAX"}),
        ("glob", {"pattern": "*.py"}),
        ("edit", {"file_path": "cart.py", "edits": [edit]}),
        ("write_file", {"file_path": "a b/long.txt", "content": "line\n" * 90}),
        ("run_command", {"command": "git commit -m 'One line'"}),
    ]
    answers = [{"tool_calls": [{"name": name, "args": args}]} for name, args in calls]
    program = Program(tmp_path, "", write_script(tmp_path, *answers, {"text": "The end."}))
    (program.project / "cart.py").write_text(CART)
    with PageServer(program, LLC_LANG=language, LLC_SECURITY__MODE="edits") as server:
        page = open_page(browser, server, width)
        begin(page, "Repair it.")
        page.wait_for_selector(".question .command")
        yield page
        assert page.problems == []


@pytest.mark.parametrize(("language", "width"), [("en", 1400), ("zh", 360)])
def test_changes_are_cards_of_lit_lines(
    browser: Any, tmp_path: Path, language: str, width: int
) -> None:
    for page in show_changes(browser, tmp_path, language, width):
        show_pane(page, "files")
        page.wait_for_selector(".file >> nth=1")
        assert "diff --git" not in page.inner_text(".files")
        cards = [card.inner_text().split() for card in page.query_selector_all(".file summary")]
        assert [card[-2:] for card in cards] == [["b/long.txt", "+90"], ["+1", "−1"]]
        assert page.eval_on_selector_all(".file", "all => all.map((n) => n.open)") == [False, True]
        rows = page.eval_on_selector_all(
            ".file[open] .diff > :not(.gap)",
            "all => all.map((n) => [n.className, n.dataset.number, n.innerText.trim()])",
        )
        old = "return sum(item.price * TAX for item in items)"
        assert rows[-2:] == [["del", "5", old], ["add", "5", old.replace(" * TAX", "")]]
        assert page.inner_text(".files .del .lit").strip() == "* TAX"


@pytest.mark.parametrize(
    ("language", "reading", "asked", "mode"),
    [
        ("en", "Read 1 file, searched 2 times", "Run", "Edit freely"),
        ("zh", "", "运行", "自由编辑"),
    ],
)
def test_calls_and_choices_are_plain_words(
    browser: Any, tmp_path: Path, language: str, reading: str, asked: str, mode: str
) -> None:
    for page in show_changes(browser, tmp_path, language, 1400):
        assert page.inner_text(".reading > summary b").startswith(reading)
        assert page.locator("#panel > .talk > .call").count() == 3  # the card has what is asked
        assert page.inner_text(".question .command") == "git commit -m 'One line'"
        page.wait_for_selector(".row .asks")
        assert page.inner_text(".row .asks") == f"{asked} git commit -m 'One line'"
        assert page.locator(".steps .end-wait, .call .end-wait").count() == 0
        assert page.locator(".talk .result").count() == 0
        text = page.inner_text("body")
        assert [name for name in VERBS if "_" in name and name in text] == []
        # one place to write, until it is answered
        assert page.locator("main :is(textarea, input):visible").count() == 1
        page.click(".question .refuse")
        page.wait_for_selector("text=The end.")
        assert page.locator("main :is(textarea, input):visible").count() == 1
        page.wait_for_selector(".composer select", state="attached")
        assert page.eval_on_selector(".composer select", "n => n.selectedOptions[0].text") == mode
        page.wait_for_selector(".talk .result .delta:has-text('+91 −1')")
        assert page.locator(".talk .result button").count() == 2  # its files stand beside it
        assert page.locator("#panel .call.good[open]").count() == 0
        page.click(".side .pane button")
        page.wait_for_selector("#panel .call.good[open] .diff")
        for _ in range(2):
            page.wait_for_selector(".talk .result .delta:has-text('+91 −1')")
            page.click(".talk .result button >> nth=1")
            page.wait_for_selector(".talk .result [role=status]")
            page.click(".talk .result button")
        page.wait_for_selector(".talk .result .delta")
        page.click(".talk .result button >> nth=0")
        page.wait_for_selector(".files .file")
        page.evaluate("location.hash = '#/new'")
        label = page.eval_on_selector(".new .choice select", "n => n.selectedOptions[0].text")
        assert label == mode


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_thumb_hits_everything(browser: Any, tmp_path: Path, language: str) -> None:
    for page in show_changes(browser, tmp_path, language, 360):
        assert page.locator(".question .option >> nth=0").is_visible()
        box = page.locator(".decide > .options").bounding_box()
        assert box["y"] + box["height"] <= 800, "the choices are seen at once"
        dock = page.locator(".dock").bounding_box()
        bottom = page.viewport_size["height"]
        assert abs(dock["y"] + dock["height"] - bottom) < 1, "it is at the bottom"
        assert page.locator(".grants .option:visible").count() == 0, "no slip grants for later"
        misses: dict[str, list[str]] = {"question": page.evaluate(FIND_SMALL)}
        page.click(".grants > summary")
        assert page.locator(".grants .option:visible").count() == 2
        misses["grants"] = page.evaluate(FIND_SMALL)
        for tab in ("files", "steps"):
            show_pane(page, tab)
            page.wait_for_selector(f".{tab} > * >> nth=0")
            misses[tab] = page.evaluate(FIND_SMALL)
        for view in ("#/", "#/new", "#/memory"):
            page.evaluate("(hash) => { location.hash = hash; }", view)
            page.wait_for_timeout(300)
            misses[view] = page.evaluate(FIND_SMALL)
        assert misses == {key: [] for key in misses}
