"""A conversation where the terminal is poor, narrow or gone, and one message without a prompt."""

import os
import re
import signal
import sys
import time

import pytest
from chat_window import SIGN, ChatWindow
from program import Program
from provider import Provider
from screen import ScreenTerminal

from maxagent.cli.prompts.choice_keys import AFTER_DRAWING
from maxagent.memory.threads.index import ThreadIndex

CODES = re.compile(r"\x1b|\x07|\x08")
ANSWER = "# 标题\n\n" + "\n".join(
    f"- point {n} **bold** 中文要在四十列的终端里换行才行\n\n```python\nreturn {n}\n```\n"
    for n in range(60)
)


def asked(program: Program, provider: Provider, *arguments: str, columns: int, **environ: str):
    model = ["--model", "openai/served", "--base-url", provider.url]
    argv = [sys.executable, "-m", "maxagent", "chat", *arguments, *model]
    environ = {"TERM": "xterm-256color", **program.environ, **environ}
    return ScreenTerminal(argv, program.project, environ, columns=columns)


@pytest.mark.parametrize("columns", [80, 40])
def test_one_message_is_answered_once_in_the_scrollback(program, provider, columns):
    provider.script([{"text": ANSWER, "portion": 3}])
    with asked(program, provider, "tell me", columns=columns, NO_COLOR="1") as terminal:
        assert terminal.end() == 0
        rows = terminal.scrollback().split("\n")
        for number in range(60):
            assert rows.count(f"  return {number}") == 1
            assert sum(row.startswith(f"  • point {number} bold") for row in rows) == 1
        assert rows.count("◆ 标题") == 1 and terminal.glass.wraps == 0


def test_message_at_dumb_terminal_is_answered_without_codes(program, provider):
    text = "# Title\n\n**bold** " + "words " * 30
    provider.script([{"text": text}])
    with asked(program, provider, "tell me", columns=80, TERM="dumb") as terminal:
        assert terminal.end() == 0
        assert not CODES.search(terminal.shown)
        assert text.strip() in terminal.shown.replace("\r\n", "\n")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_dumb_terminal_takes_lines_one_by_one(tmp_path, provider, language):
    window = ChatWindow(tmp_path, provider, language, TERM="dumb")
    (window.project / "AGENTS.md").write_text("Be kind.\n")
    window.answers({"text": "**One** answer."}, {"text": "Another."})
    terminal = window.open().terminal
    with terminal:
        window.see("AGENTS.md", window.words("trust.ask"))
        window.see(window.words("choice.lines", words="yes, no"))
        time.sleep(2 * AFTER_DRAWING)  # nothing shows when a line is no longer too early
        window.type("yes\n").see(SIGN)
        window.type("hello\\\nworld\n").see("**One** answer.")
        assert window.told() == "hello\nworld"
        window.type("/status\n").see("served")
        window.type("and 中文\n").see("Another.")
        assert window.told() == "and 中文" and not CODES.search(terminal.shown)
        window.press("ctrl-d")
        assert terminal.end() == 0


def test_a_window_that_is_closed_loses_nothing(tmp_path, provider):
    window = ChatWindow(tmp_path, provider, "en")
    window.answers({"text": "Heard."}, {"text": "x " * 50, "hang_after": 6})
    with window.open():
        window.say("first", until="Heard.")
        window.type("second").press("enter").see("x x x")
        window.terminal.hang_up()
    window.answers({"text": "Still here."})
    with window.open("--continue"):
        window.type("third").press("enter")
        window.see("Still here.")
        text = str(provider.requests[-1].body["messages"])
        assert all(name in text for name in ("first", "Heard.", "second", "third"))


ASKS = {"tool_calls": [{"name": "run_command", "args": {"command": "touch made"}}]}


@pytest.mark.parametrize(
    ("terminal", "turn", "output", "status"),
    [
        ("xterm-256color", ASKS, "Allow this?", "waiting"),
        ("dumb", ASKS, "Allow this?", "waiting"),
        ("dumb", {"text": "word \n" * 50, "hang_after": 6}, "word", "interrupted"),
        ("dumb", {"text": "Heard."}, "tokens in", "idle"),
    ],
)
def test_machine_shutdown_keeps_the_thread(tmp_path, provider, terminal, turn, output, status):
    window = ChatWindow(tmp_path, provider, "en", TERM=terminal)
    window.answers(turn)
    with window.open().terminal as process:
        window.see(SIGN)
        window.type("go").press("enter").see(output)
        os.kill(process.pid, signal.SIGTERM)
        assert process.end() == 128 + signal.SIGTERM
    [row] = ThreadIndex(window.program.home).list()
    assert row.status == status
