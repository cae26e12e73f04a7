import pytest
from glass_console import GlassFile

from maxagent.cli.rendering.blocks.user_message import build_user_message, render_user_message


def test_message_stands_behind_a_bar() -> None:
    message = build_user_message("one two three\nfour\x1b[2J", 11)
    assert message.plain.split("\n") == ["▌ one two", "▌ three", "▌ four\\x1b[", "▌ 2J"]


def test_dumb_terminal_gets_the_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", GlassFile())
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert "▌ " in render_user_message("a\nb")
    monkeypatch.setenv("TERM", "dumb")
    assert render_user_message("a\nb") == "\n› a\n  b\n"
