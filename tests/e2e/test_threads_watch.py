"""`mcode threads watch` beside runs of other processes: what changes is seen, and answered."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from program import Program
from provider import Provider
from screen import ScreenTerminal

from maxagent.cli.i18n.catalogs import load_catalog
from maxagent.memory.threads.index import ThreadIndex

LANGUAGES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}
WRITE = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}]}
ASK = ("--mode", "ask")


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    program = Program(tmp_path, provider.url)
    program.environ["TERM"] = "xterm-256color"
    provider.script([{"text": "Hello."}])
    assert program.chat("Say hello").code == 0
    return program


@pytest.fixture(params=[("en", 100), ("zh", 40)], ids=["English", "Chinese"])
def window(request: pytest.FixtureRequest, program: Program) -> Iterator[ScreenTerminal]:
    language, columns = request.param
    program.environ["LANG"] = LANGUAGES[language]
    argv = [sys.executable, "-m", "maxagent", "threads", "watch"]
    terminal = ScreenTerminal(argv, program.project, program.environ, columns=columns, rows=30)
    with terminal:
        terminal.wait_for("Say hello")
        yield terminal


def word(program: Program, key: str) -> str:
    language = {value: name for name, value in LANGUAGES.items()}[program.environ["LANG"]]
    return load_catalog("mcode", language).list_messages()[key]


def park(program: Program, provider: Provider, request: str) -> None:
    provider.script([WRITE, {"text": "It is made."}])
    assert program.chat(request, *ASK).code == 4


def test_question_appears_and_is_answered(
    window: ScreenTerminal, program: Program, provider: Provider
) -> None:
    park(program, provider, "Make the cart")
    waiting = word(program, "threads.status.waiting")
    screen = window.wait_for(waiting)
    rows = [row for row in screen.splitlines() if waiting in row]
    assert len(rows) == 1 and "Make the cart" in rows[0]
    assert screen.index("Make the cart") < screen.index("Say hello")  # it leads
    window.press("up", "enter")
    window.wait_for("a.txt")
    window.wait_for(word(program, "choice.hint").partition("·")[0].strip())
    window.press("enter")
    window.wait_for("It is made.")
    window.wait_for(word(program, "picker.keys"))
    assert (program.project / "a.txt").read_text() == "one\n"
    assert {row.status for row in ThreadIndex(program.home).list()} == {"idle"}
    window.press("esc")
    assert window.end() == 0


def test_answer_elsewhere_is_seen(
    window: ScreenTerminal, program: Program, provider: Provider
) -> None:
    waiting = word(program, "threads.status.waiting")
    park(program, provider, "Make the cart")
    window.wait_for(waiting)
    thread = ThreadIndex(program.home).list()[0].thread_id
    assert program.resume(thread, "--approve").code == 0
    window.wait_for(lambda screen: waiting not in screen)
    window.press("ctrl-c")
    assert window.end() == 0


def test_search_stays_while_threads_change(
    window: ScreenTerminal, program: Program, provider: Provider
) -> None:
    window.type("hello").wait_for(lambda screen: "hello" in screen)
    park(program, provider, "Make the cart")
    park(program, provider, "Say hello again")
    screen = window.wait_for("Say hello again")
    assert "Make the cart" not in screen
    window.press("esc")
    assert window.end() == 0


def test_conversation_opens_in_its_folder(
    window: ScreenTerminal, program: Program, provider: Provider
) -> None:
    window.press("enter")
    window.wait_for(word(program, "repl.placeholder"))
    provider.script([{"text": "And again."}])
    window.type("once more").press("enter")
    window.wait_for("And again.")
    window.press("ctrl-d")
    window.wait_for(word(program, "picker.keys"))
    window.press("esc")
    assert window.end() == 0
    assert len(ThreadIndex(program.home).list()) == 1


ANSWERS = {
    "Shall I go on?": True,
    "Which of both?\n": True,
    "**OK?**": True,
    "要继续吗？": True,
    "Why? Because.": False,
    "Done.": False,
}


def test_a_question_at_the_end_waits(program: Program, provider: Provider) -> None:
    for answer in ANSWERS:
        provider.script([{"text": answer}])
        assert program.chat(f"Say {answer.strip()}").code == 0
    argv = [sys.executable, "-m", "maxagent", "threads", "watch"]
    with subprocess.Popen(
        argv, cwd=program.project, env=program.environ, stdout=subprocess.PIPE, text=True
    ) as watcher:
        assert watcher.stdout
        asking = [answer.strip() for answer, is_asking in ANSWERS.items() if is_asking]
        lines = [watcher.stdout.readline() for _ in asking]
        watcher.terminate()
    waiting = word(program, "threads.status.waiting")
    titles = [line.strip().rpartition("Say ")[2] for line in lines if waiting in line]
    assert sorted(titles) == sorted(asking)
    with ScreenTerminal(argv, program.project, program.environ, columns=100, rows=30) as terminal:
        terminal.wait_for(waiting)
        terminal.press("enter")
        terminal.wait_for(word(program, "repl.placeholder"))
        terminal.press("ctrl-d")
        terminal.wait_for(word(program, "picker.keys"))
        terminal.press("esc")
        assert terminal.end() == 0


def test_changes_are_json_lines_for_scripts(program: Program, provider: Provider) -> None:
    argv = [sys.executable, "-m", "maxagent", "threads", "watch", "--json"]
    with subprocess.Popen(
        argv, cwd=program.project, env=program.environ, stdout=subprocess.PIPE, text=True
    ) as watcher:
        assert watcher.stdout
        park(program, provider, "Make the cart")
        seen = json.loads(watcher.stdout.readline())
        while seen["status"] != "waiting":
            seen = json.loads(watcher.stdout.readline())
        assert program.resume(seen["thread_id"], "--approve").code == 0
        while seen["status"] != "idle":
            seen = json.loads(watcher.stdout.readline())
        assert seen["title"] == "Make the cart"
        watcher.terminate()


def test_without_threads_it_says_so(tmp_path: Path, provider: Provider) -> None:
    program = Program(tmp_path, provider.url)
    argv = [sys.executable, "-m", "maxagent", "threads", "watch"]
    with ScreenTerminal(argv, program.project, program.environ) as terminal:
        terminal.wait_for("mcode")
        assert terminal.end() == 0
