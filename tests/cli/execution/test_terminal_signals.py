import io
import re
from typing import Any

import pytest
from rich.console import Console

from maxagent.cli.execution.run import SignalRenderer
from maxagent.cli.execution.terminal_signals import (
    MAX_TITLE_LENGTH,
    build_notification_code,
    build_progress_code,
    build_state_code,
    build_title_code,
    describe_question,
    shows_progress,
)
from maxagent.cli.rendering.renderer import JsonRenderer
from maxagent.sdk.events import Completion, Failure, Interrupted, Question, RunStarted


@pytest.mark.parametrize("text", ["mcode", "你好", "a\x1b]0;evil\x07\nb", "long " * 100])
def test_text_cannot_terminate_its_escape_code(text: str) -> None:
    for code, begin, end in (
        (build_title_code(text), "\x1b]0;", "\a"),
        (build_notification_code(text), "\x1b]9;", "\a\a"),
    ):
        assert code.startswith(begin) and code.endswith(end)
        inside = code[len(begin) : -len(end)]
        assert inside.isprintable() and 0 < len(inside) <= MAX_TITLE_LENGTH


@pytest.mark.parametrize(
    ("environ", "is_shown"),
    [
        ({}, False),
        ({"WT_SESSION": "x"}, True),
        ({"TERM_PROGRAM": "ghostty"}, True),
        ({"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"}, True),
        ({"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.14"}, False),
        ({"TERM_PROGRAM": "iTerm.app"}, False),
    ],
)
def test_progress_is_for_terminals_that_know_it(environ, is_shown: bool) -> None:
    assert shows_progress(environ) is is_shown


def test_progress_begins_moves_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM_PROGRAM", "ghostty")
    assert build_progress_code("busy") == "\x1b]9;4;3;0\a"
    assert build_progress_code("busy", 40) == "\x1b]9;4;1;40\a"
    assert build_progress_code("none") == "\x1b]9;4;0;0\a"


@pytest.mark.parametrize(
    ("state", "message", "kind", "body"),
    [
        ("working", "", "", "state=working:app=mcode"),
        ("blocked", "", "permission", "state=blocked:app=mcode:kind=permission"),
        ("done", "Deploy?", "", "state=done:app=mcode:msg=RGVwbG95Pw=="),
        ("error", "a\x1b\\b\a", "", "state=error:app=mcode:msg=YVx4MWJcYlx4MDc="),
        ("clear", "", "", "state=clear"),
    ],
)
def test_state_is_one_whole_code(state, message, kind, body, monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert build_state_code(state, message, kind=kind) == f"\x1b]7501;{body}\x1b\\"
    assert len(build_state_code("done", "字" * 500)) < 250
    for terminal in ("linux", "dumb", ""):
        monkeypatch.setenv("TERM", terminal)
        assert build_state_code(state, message, kind=kind) == ""


def build_question(kind: Any) -> Question:
    return Question("t", "q", kind, [], [])


@pytest.mark.parametrize(
    ("last", "states"),
    [
        (Completion("t", "verified", "", None, [], ""), ["working", "done"]),
        (Completion("t", "failed", "", None, [], ""), ["working", "error"]),
        (Failure("no", "", 1), ["working", "error"]),
        (Interrupted("t"), ["working", "clear"]),
        (build_question("approval"), ["working", "blocked", "blocked"]),
    ],
)
def test_window_says_what_a_run_does(last, states, monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    written = io.StringIO()
    renderer = SignalRenderer(JsonRenderer(every_event=False), Console(file=written))
    renderer.show_event(RunStarted("t", "title", "/p", "m", "ask", False))
    if isinstance(last, Question):
        renderer.show_event(last)
    renderer.show_end(last)
    assert re.findall(r"7501;state=(\w+)", written.getvalue()) == states


def test_question_says_what_it_waits_for(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "kind=permission" in describe_question(build_question("approval"))
    assert "kind=question" in describe_question(build_question("review"))
