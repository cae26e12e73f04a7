"""Colours of blocks and diffs, for a dark terminal, a light one, or any."""

import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..terminal_options import get_theme_name, set_theme_name

if TYPE_CHECKING:
    from prompt_toolkit.output import ColorDepth


class Theme(NamedTuple):
    """Styles that depend on the background."""

    message: str
    """The user's message."""
    added: str
    removed: str
    """Rows of a diff."""
    added_word: str
    removed_word: str
    """What differs inside a row."""
    has_syntax: bool
    """Whether changed rows have the colours of their language; else they have one colour."""
    code: str = "ansi_dark"
    """Colours of code, out of the terminal's sixteen, which the user can choose."""


# Safe on every background: the terminal's own colours
ANSI = Theme("bold", "green", "red", "bold underline", "bold underline", has_syntax=False)
DARK = Theme(
    message="bold on #262c33",
    added="on #12281b",
    removed="on #36191c",
    added_word="on #1f5a35",
    removed_word="on #78292e",
    has_syntax=True,
)
LIGHT = Theme(
    message="bold on #eceff3",
    added="on #e2f6e6",
    removed="on #fde9e8",
    added_word="on #a5e6b4",
    removed_word="on #f8bcb8",
    has_syntax=True,
    code="ansi_light",
)
THEMES: Mapping[str, Theme] = {"ansi": ANSI, "dark": DARK, "light": LIGHT}
# Background colours in `COLORFGBG` that are light
_LIGHT_NUMBERS = {"7", "15"}


def use_theme(name: str) -> None:
    """Set the theme by its name; `auto`: as the terminal tells of itself."""
    set_theme_name(name)
    get_theme.cache_clear()


@cache
def get_theme() -> Theme:
    """Return the theme in force."""
    return THEMES.get(get_theme_name()) or detect_theme(os.environ)


def detect_theme(environ: Mapping[str, str]) -> Theme:
    """Return the theme that the terminal's own words suggest; the safe one if it says nothing."""
    has_all_colors = environ.get("COLORTERM", "") in ("truecolor", "24bit")
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    if not has_all_colors or not background.isdecimal():
        return ANSI
    return LIGHT if background in _LIGHT_NUMBERS else DARK


def find_color_depth() -> "ColorDepth | None":
    """Return that a terminal has all colours if it says so; None: as prompt_toolkit finds."""
    from prompt_toolkit.output import ColorDepth

    has_all = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
    return ColorDepth.TRUE_COLOR if has_all and not os.environ.get("NO_COLOR") else None
