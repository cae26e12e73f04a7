"""What the user wants of the terminal: the settings under `ui`, known before the first output."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..config.settings.ui_values import read_ui_values

_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}
_values: dict[str, str] = {}
_terminal_type: list[str] = []
"""The terminal's own type, where a plain one is shown."""


def read_terminal_options(home: Path) -> None:
    """Read the settings; with `ui.plain` this process takes its terminal for a dumb one."""
    _values.clear()
    _values.update(read_ui_values(home, os.environ))
    if _values.get("plain", "").lower() in _TRUE and not _terminal_type:
        _terminal_type.append(os.environ.get("TERM", ""))
        os.environ["TERM"] = "dumb"


def set_theme_name(name: str) -> None:
    """Keep a new value of `ui.theme`."""
    _values["theme"] = name


def get_theme_name() -> str:
    """Return the setting `ui.theme`."""
    return _values.get("theme", "auto")


def wants_notifications() -> bool:
    """Return whether the terminal may ring and notify."""
    return _values.get("notifications", "").lower() not in _FALSE


def build_program_environ() -> Mapping[str, str]:
    """Return the environment of an editor or a pager, which sees the terminal as it is."""
    return {**os.environ, **({"TERM": _terminal_type[0]} if _terminal_type else {})}
