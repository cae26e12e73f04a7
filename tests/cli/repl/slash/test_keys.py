import pytest
from repl_session import Spoken

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.theme import LIGHT, get_theme, use_theme
from maxagent.cli.repl.prompt.input_line import parse_line
from maxagent.cli.repl.slash.keys import ROWS
from maxagent.cli.terminal_options import has_vi_keys, set_key_style
from maxagent.config.errors import UsageError


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_keys_are_listed_in_both_languages(spoken: Spoken, language: str) -> None:
    use_language(language)
    try:
        output = await spoken("/keys")
    finally:
        use_language("")
    assert "Ctrl-S" in output and "Shift-Tab" in output and "keys." not in output
    assert len(output.splitlines()) >= len(ROWS)


@pytest.mark.parametrize(
    ("style", "marked"),
    [("emacs", []), ("vi", ["Up, Down, k, j *", "Esc *"])],
)
async def test_changed_keys_are_marked(spoken: Spoken, style: str, marked: list[str]) -> None:
    set_key_style(style)
    try:
        output = await spoken("/keys")
    finally:
        set_key_style("emacs")
    rows = [row for row in output.splitlines() if any(row.startswith(key) for key in marked)]
    assert len(rows) == len(marked) and ("* changed by" in output) == bool(marked)


@pytest.mark.parametrize("typed", ["?", " ? ", "？"])
def test_question_mark_alone_lists_them(typed: str) -> None:
    assert parse_line(typed).text == "/keys"


async def test_vim_switches_and_keeps_setting(spoken: Spoken) -> None:
    config = spoken.home / "config.yaml"
    try:
        output = await spoken("/vim")
        assert "Keys of vi" in output and "terminal itself edits" in output and has_vi_keys()
        assert config.read_text() == "ui:\n  keys: vi\n"
        assert "Keys of Emacs" in await spoken("/vim") and not has_vi_keys()
        assert config.read_text() == "ui:\n  keys: emacs\n"
        with pytest.raises(UsageError, match="`/vim` takes"):
            await spoken("/vim nano")
    finally:
        set_key_style("emacs")


async def test_theme_holds_at_once_and_is_kept(spoken: Spoken) -> None:
    try:
        output = await spoken("/theme light")
        assert "Set `ui.theme` in" in output and "return round" in output
        assert get_theme() is LIGHT
        assert "theme: light" in (spoken.home / "config.yaml").read_text()
        assert "Theme: light; there are `auto`, `ansi`, `dark`, `light`." in await spoken("/theme")
        with pytest.raises(UsageError, match="unknown theme `pink`"):
            await spoken("/theme pink")
    finally:
        use_theme("auto")
