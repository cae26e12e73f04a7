"""The commands at a user's fingertips, typed in a real terminal, in both languages."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_window import ChatWindow, in_git
from provider import Provider

from maxagent import trust
from maxagent.memory.threads.index import ThreadIndex

GREEN = "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): pass\n"
COPIED = base64.b64encode(b"An **answer**.").decode()


@pytest.fixture(params=[("en", 80), ("zh", 40)], ids=["English", "Chinese"])
def window(request, tmp_path: Path, provider: Provider) -> Iterator[ChatWindow]:
    language, columns = request.param
    window = ChatWindow(tmp_path, provider, language)
    with window.open(columns=columns, rows=40):
        yield window


def test_answers_are_copied_exported_and_asked_about(window: ChatWindow) -> None:
    window.answers({"text": "An **answer**."}, {"text": "Aside."}, {"text": "Next."})
    window.say("hello", until="An answer.")
    window.say("/copy", until="OSC 52")
    assert f"\x1b]52;c;{COPIED}\a" in window.terminal.shown
    window.say("/btw why?", until="Aside.")
    window.say("/export talk.md", until="talk.md")
    assert "An **answer**." in (window.project / "talk.md").read_text()
    window.say("more", until="Next.")
    assert "Aside" not in str(window.provider.requests[-1].body)
    window.say("/todos", until=window.words("slash.todos.none"))
    window.say("?", until=window.words("keys.stash.key"))
    window.say("/doctor", until=window.words("doctor.name.data_directory"))  # the last row


def test_stashed_line_comes_back_after_the_next(window: ChatWindow) -> None:
    window.answers({"text": "Sure."})
    window.type("a long thought").press("ctrl-s")
    window.see(window.words("repl.stashed", line="a long thought"))
    window.holds("")
    window.say("quick one", until="Sure.")
    window.holds("a long thought")
    window.press("ctrl-s").holds("")
    window.press("ctrl-s").holds("a long thought")


def test_menu_says_that_there_is_more(window: ChatWindow) -> None:
    window.type("/")
    window.see(window.words("menu.more", count=0).split("0")[0].strip())
    window.type("prm")
    window.see("/permissions")
    window.press("enter").holds("/permissions")


def test_exact_name_is_offered_first(window: ChatWindow) -> None:
    window.type("/").see("/think")
    window.type("mode")
    window.terminal.wait_for(lambda screen: _list_offers(screen) == ["/mode", "/model"])


def _list_offers(screen: str) -> list[str]:
    """The commands in the menu."""
    rows = [row.strip().partition(" ")[0] for row in screen.split("\n")]
    return [row for row in rows if row.startswith("/mo")]


def test_changes_are_tested_and_reviewed(window: ChatWindow) -> None:
    window.program.home.mkdir(exist_ok=True)
    (window.program.home / "config.yaml").write_text(
        "task: {test_command: python3 -m unittest}\nui: {theme: ansi}\n"
    )
    (window.project / "test_it.py").write_text(GREEN)
    in_git(window.project)
    trust(window.project, window.program.home)
    window.say("/test", until="1 passed")
    (window.project / "test_it.py").write_text(f"{GREEN}\n# note\n")
    finding = {"file": "test_it.py", "line": 5, "severity": "low", "text": "A lonely note."}
    window.answers({"text": json.dumps({"findings": [finding]})}, {"text": "Noted."})
    window.say("/review", until="A lonely note.")
    window.see("test_it.py:5")
    window.say("so?", until="Noted.")
    assert "The user ran the project's tests" in str(window.provider.requests[-1].body)
    window.say("/theme dark", until="round(sum(prices)")
    assert "theme: dark" in (window.program.home / "config.yaml").read_text()
    window.say("/keys", until=window.words("keys.suspend"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_line_of_another_folder_is_recalled(
    tmp_path: Path, provider: Provider, language: str
) -> None:
    window = ChatWindow(tmp_path, provider, language)
    history = window.program.home / "data/history.jsonl"
    history.parent.mkdir(parents=True, mode=0o700)
    history.write_text(json.dumps({"folder": "/elsewhere", "text": "typed in another folder"}))
    with window.open():
        window.answers({"text": "Sure."})
        window.say("typed here", until="Sure.")
        window.press("up").holds("typed here")
        window.press("up").holds("typed in another folder")
        window.press("ctrl-c").holds("")
        window.press("ctrl-r").type("another").see("typed in another folder")


def test_addresses_and_places_are_links(window: ChatWindow) -> None:
    (window.project / "cart.py").write_text("x = 1\n")
    page = "https://docs.python.org/3/library/functions.html#round"
    window.answers({"text": f"- See {page}, and\n- `cart.py`: cart.py:1."})
    window.say("where?", until="cart.py:1")
    place = (window.project / "cart.py").resolve().as_uri()
    for target in (page, place):
        assert f";{target}\x1b\\" in window.terminal.shown


def test_goal_ends_at_its_budget_and_goes_on(window: ChatWindow) -> None:
    config = "task: {test_command: python3 -m unittest, repair_rounds: 1}\n"
    window.program.home.mkdir(exist_ok=True)
    (window.program.home / "config.yaml").write_text(config)
    trust(window.project, window.program.home)
    (window.project / "test_it.py").write_text("import missing\n")
    window.say("/mode auto", until="auto")
    window.answers({"text": "One."}, {"text": "Two."}, {"text": "Three."})
    window.say("/goal make it green", until="Two.")
    window.see(window.words("repl.limit", why="|").split("|")[0])
    (window.project / "missing.py").write_text("")
    (window.project / "test_it.py").write_text(GREEN)
    window.press("ctrl-d")
    assert window.terminal.end() == 0
    (row,) = ThreadIndex(window.program.home).list(window.project)
    ended = window.program.run("resume", row.thread_id)
    assert ended.code == 0, ended.stderr
