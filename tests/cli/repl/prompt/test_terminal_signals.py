import pytest

from maxagent.cli.repl.prompt.terminal_signals import LONGEST_TITLE, notified, titled


@pytest.mark.parametrize("words", ["mcode", "你好", "a\x1b]0;evil\x07\nb", "long " * 100])
def test_no_text_can_end_the_code_that_it_stands_in(words: str) -> None:
    for code, begin, end in (
        (titled(words), "\x1b]0;", "\a"),
        (notified(words), "\x1b]9;", "\a\a"),
    ):
        assert code.startswith(begin) and code.endswith(end)
        inside = code[len(begin) : -len(end)]
        assert inside.isprintable() and 0 < len(inside) <= LONGEST_TITLE
