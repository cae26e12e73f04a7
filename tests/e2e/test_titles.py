"""A conversation at a terminal is named by the model, once; with `--no-title` never."""

import json
import threading
from pathlib import Path

import pytest
from chat_window import ChatWindow
from provider import Provider, Request


@pytest.mark.parametrize("options", [(), ("--no-title",)], ids=["titled", "not wanted"])
def test_first_answer_is_titled_unless_disabled(
    options: tuple[str, ...], tmp_path: Path, provider: Provider
) -> None:
    window = ChatWindow(tmp_path, provider, "en", LLC_THREADS__TITLES="true")

    def answer(request: Request) -> dict:
        asked = request.body["messages"][-1]["content"]
        return {"text": "A title"} if asked.startswith("Name this") else {"text": f"To {asked}."}

    provider.script(answer)
    with window.open(*options) as opened:
        opened.say("one", until="To one.")
        opened.say("two", until="To two.")
        if not options:
            opened.terminal.wait_for(lambda _: "\x1b]0;A title\x07" in opened.terminal.shown)
        opened.press("ctrl-d")
        assert opened.terminal.end() == 0
    [row] = json.loads(window.program.run("threads", "list", "--json").stdout)
    assert (row["title"], len(provider.requests)) == (("A title", 3) if not options else ("one", 2))


def test_exit_does_not_wait_for_the_title(tmp_path: Path, provider: Provider) -> None:
    window = ChatWindow(tmp_path, provider, "en", LLC_THREADS__TITLES="true")
    asked = threading.Event()

    def answer(request: Request) -> dict:
        if not request.body["messages"][-1]["content"].startswith("Name this"):
            return {"text": "To one."}
        asked.set()
        return {"text": "A title", "hang_after": 1}

    provider.script(answer)
    with window.open() as opened:
        opened.say("one", until="To one.")
        assert asked.wait(60)
        opened.press("ctrl-d")
        assert opened.terminal.end() == 0
        assert "Traceback" not in opened.terminal.shown
    [row] = json.loads(window.program.run("threads", "list", "--json").stdout)
    assert (row["title"], row["status"]) == ("one", "idle")
