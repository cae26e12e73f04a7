"""What the user wants of the terminal: the settings under `ui`, known before the first output.

The schema takes longer to load than that. An invalid value is ignored here: the loader of the
configuration reports it with its line.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..config.paths import locate_user_config
from ..config.settings.early_settings import read_content
from ..config.settings.profiles import get_profile_name, list_profiles, locate_profiles

# The lines below `ui:` that are indented, empty or a comment
_SECTION = r"^{}[ \t]*:[ \t]*(?:#.*)?\n((?:(?:[ \t#].*)?\n)*)"
_FLOW = r"^{}[ \t]*:[ \t]*\{{([^}}\n]*)\}}"
_ENTRY = re.compile(r"""(\w+)[ \t]*:[ \t]*["']?([\w-]+)["']?""")
_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}
_values: dict[str, str] = {}
_terminal_type: list[str] = []
"""The terminal's own type, where a plain one is shown."""


def read_terminal_options(home: Path) -> None:
    """Read the settings; with `ui.plain` this process takes its terminal for a dumb one."""
    _values.clear()
    _values.update(read_values("ui", home, os.environ))
    if _values.get("plain", "").lower() in _TRUE and not _terminal_type:
        _terminal_type.append(os.environ.get("TERM", ""))
        os.environ["TERM"] = "dumb"


def set_theme_name(name: str) -> None:
    """Keep a new value of `ui.theme`."""
    _values["theme"] = name


def get_theme_name() -> str:
    """Return the setting `ui.theme`."""
    return _values.get("theme", "auto")


def set_key_style(name: str) -> None:
    """Keep a new value of `ui.keys`."""
    _values["keys"] = name


def has_vi_keys() -> bool:
    """Return whether the prompt has the keys of vi."""
    return _values.get("keys", "") == "vi"


def wants_notifications() -> bool:
    """Return whether the terminal may ring and notify."""
    return _values.get("notifications", "").lower() not in _FALSE


def build_program_environ() -> Mapping[str, str]:
    """Return the environment of an editor or a pager, which sees the terminal as it is."""
    return {**os.environ, **({"TERM": _terminal_type[0]} if _terminal_type else {})}


def read_values(section: str, home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a section that are set, as they are written."""
    values: dict[str, str] = {}
    for file in _list_files(home, environ):
        values.update(_parse_values(section, read_content(file).decode(errors="replace")))
    for prefix in ("LLC", "MAXAGENT"):  # the second one wins
        start = f"{prefix}_{section.upper()}__"
        for name, value in environ.items():
            if name.startswith(start):
                values[name.removeprefix(start).lower()] = value
    return values


def _list_files(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    yield locate_user_config(home)
    name = get_profile_name(environ)
    if name in list_profiles(home):
        yield locate_profiles(home) / f"{name}.yaml"


def _parse_values(section: str, text: str) -> dict[str, str]:
    text = text.replace("\r\n", "\n") + "\n"
    patterns = (_FLOW.format(section), _SECTION.format(section))
    match = next(filter(None, (re.search(pattern, text, re.M) for pattern in patterns)), None)
    if not match:
        return {}
    lines = (line.partition("#")[0] for line in match[1].split("\n"))
    return {match[1]: match[2] for line in lines for match in _ENTRY.finditer(line)}
