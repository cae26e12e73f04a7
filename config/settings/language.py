"""The configured language, read before the other settings, without their schema.

The language must be known before the first output, including `mcode --help`. An invalid value is
ignored here: the loader of the configuration reports it with its line.
"""

import os
import re
from pathlib import Path

from ..paths import locate_project_config, locate_user_config
from .profiles import get_profile_name, list_profiles, locate_profiles

# Languages of the interface
LANGUAGES = ("en", "zh")

# A key of the top level begins its line; nothing else of a YAML text can look like it
_LINE = re.compile(
    rb"""^(?:\xef\xbb\xbf)?language[ \t]*:[ \t]+["']?(en|zh)["']?[ \t]*(?:[ \t]\#.*)?\r?$""",
    re.MULTILINE,
)
MAX_BYTES = 1_000_000


def read_language(folder: Path, home: Path) -> str:
    """Return `en` or `zh` from the project's file, if trusted, or the user's; else empty."""
    if language := _read_project_language(folder, home):
        return language
    name = get_profile_name(os.environ)
    profile = locate_profiles(home) / f"{name}.yaml" if name in list_profiles(home) else None
    language = _parse_language(read_content(profile)) if profile else ""
    return language or _parse_language(read_content(locate_user_config(home)))


def _read_project_language(folder: Path, home: Path) -> str:
    file = locate_project_config(folder)
    content = read_content(file)
    language = _parse_language(content)
    if not language:
        return ""
    from ..security.content_digest import compute_digest  # each start reads the language
    from ..trust.decision import check_trust

    trust = check_trust(folder, home)
    digests = {item.path: item.digest for item in trust.inventory}
    same = digests.get(file.name) == compute_digest(folder, file.name, content)
    return language if trust.trusted and same else ""


def read_content(file: Path) -> bytes:
    """Return the bytes; empty if the file does not exist or cannot be read."""
    try:
        if not file.is_file():  # a pipe would never end
            return b""
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError:
        return b""


def _parse_language(content: bytes) -> str:
    match = _LINE.search(content)
    return match[1].decode() if match else ""
