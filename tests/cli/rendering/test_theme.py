import pytest

from maxagent.cli.rendering.theme import ANSI, DARK, LIGHT, Theme, detect_theme


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({}, ANSI),
        ({"COLORTERM": "truecolor"}, ANSI),
        ({"COLORFGBG": "15;0"}, ANSI),
        ({"COLORTERM": "truecolor", "COLORFGBG": "15;0"}, DARK),
        ({"COLORTERM": "24bit", "COLORFGBG": "0;default;15"}, LIGHT),
        ({"COLORTERM": "truecolor", "COLORFGBG": "0;7"}, LIGHT),
        ({"COLORTERM": "truecolor", "COLORFGBG": "0;default"}, ANSI),
    ],
)
def test_theme_follows_what_the_terminal_tells(environ: dict[str, str], theme: Theme) -> None:
    assert detect_theme(environ) is theme
