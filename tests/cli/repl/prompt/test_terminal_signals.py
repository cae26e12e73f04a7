import pytest

from maxagent.cli.repl.prompt.terminal_signals import (
    MAX_TITLE_LENGTH,
    build_notification_code,
    build_progress_code,
    build_title_code,
    shows_progress,
)


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
