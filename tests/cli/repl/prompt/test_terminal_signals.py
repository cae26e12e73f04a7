import pytest

from maxagent.cli.repl.prompt.terminal_signals import (
    MAX_TITLE_LENGTH,
    build_notification_code,
    build_title_code,
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
