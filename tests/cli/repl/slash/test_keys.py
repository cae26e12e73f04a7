import pytest
from repl_session import Spoken

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.repl.prompt.input_line import parse_line
from maxagent.cli.repl.slash.keys import ROWS


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_keys_are_listed_in_both_languages(spoken: Spoken, language: str) -> None:
    use_language(language)
    try:
        output = await spoken("/keys")
    finally:
        use_language("")
    assert "Ctrl-S" in output and "Shift-Tab" in output and "keys." not in output
    assert len(output.splitlines()) >= len(ROWS)


@pytest.mark.parametrize("typed", ["?", " ? ", "？"])
def test_question_mark_alone_lists_them(typed: str) -> None:
    assert parse_line(typed).text == "/keys"
