"""The first screen of a day: a card, and the conversation that waits for an answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_window import ChatWindow, in_git
from provider import Provider

WRITE = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}]}


@pytest.fixture(params=[("en", 120), ("zh", 40)], ids=["English", "Chinese"])
def window(request, tmp_path: Path, provider: Provider) -> Iterator[ChatWindow]:
    """A window with an open question, closed in the evening and opened again."""
    language, columns = request.param
    window = ChatWindow(tmp_path, provider, language)
    in_git(window.project)
    window.answers(WRITE, {"text": "It is made."})
    with window.open(columns=columns, rows=30):
        window.type("Make the cart").press("enter")
        window.asked(window.words("ask.approve"))
        window.press("esc")
        window.rest()
        window.press("ctrl-d")
        window.terminal.end()
    with window.open(columns=columns, rows=30):
        yield window


def offer(window: ChatWindow) -> str:
    words = window.words("repl.waits.one", count=1, title="Make the cart", ago="|")
    return words.partition("|")[0]


def test_enter_opens_the_conversation_that_waits(window: ChatWindow) -> None:
    window.see(
        window.words("repl.waits.one", count=1, title="Make the cart", ago="|").split("|")[0]
    )
    window.see("mcode", "trunk")
    window.press("enter")
    window.asked(window.words("ask.approve"))
    window.press("enter")
    window.see("It is made.")
    assert (window.project / "a.txt").read_text() == "one\n"


def test_another_message_is_no_answer_to_it(window: ChatWindow) -> None:
    window.see(
        window.words("repl.waits.one", count=1, title="Make the cart", ago="|").split("|")[0]
    )
    window.answers({"text": "Hello."})
    window.say("hi", until="Hello.")
    window.press("enter")
    window.say("/todos", until=window.words("slash.todos.none"))
    assert window.count("/resume") == 0
    window.type("/resume").press("enter")
    window.see("▌ hi", "Hello.", window.words("picker.keys"))
    window.press("down")
    window.see("▌ Make the cart")
