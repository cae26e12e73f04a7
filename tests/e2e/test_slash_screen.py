"""Commands that ask something, typed in a real terminal."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_window import ChatWindow
from provider import Provider

WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}]}


@pytest.fixture
def window(tmp_path: Path, provider: Provider) -> Iterator[ChatWindow]:
    window = ChatWindow(tmp_path, provider, "en")
    with window.open():
        yield window


def agree(window: ChatWindow, command: str, *, times: int, after: str) -> None:
    """Type a command, see its question for the nth time, say yes and wait for the end."""
    window.type(command).press("enter")
    window.confirm("Continue?")
    window.terminal.wait_for(lambda screen: screen.count(after) == times)
    window.rest()


def test_files_go_back_and_forth_conversations_are_chosen(window: ChatWindow) -> None:
    made = window.project / "a.txt"
    window.answers(WRITES, {"text": "It is made."}, {"text": "About carts."})
    window.say("/mode edits", until="from the next message")
    window.say("Make it", until="It is made.")
    window.say("/diff", until="new file mode")
    agree(window, "/undo", times=1, after="Restored 1 file")
    assert not made.exists()
    agree(window, "/redo", times=2, after="Restored 1 file")
    assert made.exists()
    window.say("/clear", until="starts a new conversation")
    window.say("Carts?", until="About carts.")
    window.type("/resume").press("enter")
    window.see(window.words("picker.search"))
    window.type("Make").press("enter")
    window.see("Resumed")
    window.rest()
    window.type("/rewind").press("enter")
    window.see(window.words("back.ask"))
    window.type("0").press("enter")
    window.confirm("Continue?")
    window.see("Rewound to step 0, before `Make it`")
    window.holds("Make it")
    assert not made.exists()


def test_init_writes_instructions_that_the_next_request_tells(window: ChatWindow) -> None:
    write = {"name": "write_file", "args": {"path": "AGENTS.md", "content": "Use tabs.\n"}}
    window.answers({"tool_calls": [write]}, {"text": "It is written."}, {"text": "Tabs, then."})
    window.type("/init").press("enter")
    window.asked("+Use tabs.", window.words("ask.approve"))
    window.press("enter")
    window.see("It is written.")
    window.rest()
    assert "Use tabs." not in window.provider.requests[-1].body["messages"][0]["content"]
    window.say("Which?", until="Tabs, then.")
    assert "Use tabs." in window.provider.requests[-1].body["messages"][0]["content"]
    window.type("/status").press("enter")
    window.see("instructions", "AGENTS.md")
