"""Values of the settings under `ui`, read before the other settings, without their schema.

They must be known before the first output, and the schema takes longer to load than that. They
are the user's own: the user's file, the profile and the environment count, no project's file. An
invalid value is ignored here: the loader of the configuration reports it with its line.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..paths import locate_user_config
from .language import read_content
from .profiles import get_profile_name, list_profiles, locate_profiles

# The lines below `ui:` that are indented, empty or a comment
_SECTION = re.compile(r"^ui[ \t]*:[ \t]*(?:#.*)?\n((?:(?:[ \t#].*)?\n)*)", re.M)
_FLOW = re.compile(r"^ui[ \t]*:[ \t]*\{([^}\n]*)\}", re.M)
_ENTRY = re.compile(r"""(\w+)[ \t]*:[ \t]*["']?([\w-]+)["']?""")
_VARIABLES = re.compile(r"(?:LLC|MAXAGENT)_UI__(\w+)")


def read_ui_values(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are set, as they are written."""
    values: dict[str, str] = {}
    for file in _list_files(home, environ):
        values.update(_parse_values(read_content(file).decode(errors="replace")))
    for prefix in ("LLC", "MAXAGENT"):  # the second one wins
        for name, value in environ.items():
            match = _VARIABLES.fullmatch(name)
            if match and name.startswith(prefix):
                values[match[1].lower()] = value
    return values


def _list_files(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    yield locate_user_config(home)
    name = get_profile_name(environ)
    if name in list_profiles(home):
        yield locate_profiles(home) / f"{name}.yaml"


def _parse_values(text: str) -> dict[str, str]:
    text = text.replace("\r\n", "\n") + "\n"
    section = _FLOW.search(text) or _SECTION.search(text)
    if not section:
        return {}
    lines = (line.partition("#")[0] for line in section[1].split("\n"))
    return {match[1]: match[2] for line in lines for match in _ENTRY.finditer(line)}
