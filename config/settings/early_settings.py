"""Settings that are read before the others, without their schema: the language, the database.

The language must be known before the first output, including `mcode --help`. An invalid value is
ignored here: the loader of the configuration reports it with its line. The database must be known
where threads are listed, which needs no other setting.
"""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..errors import UsageError
from ..paths import locate_project_config, locate_user_config
from ..text import text
from .policy_file import POLICY_FILE
from .profiles import get_profile_name, list_profiles, locate_profiles

# Languages of the interface
LANGUAGES = ("en", "zh")

# A key of the top level begins its line; nothing else of a YAML text can look like it
_LINE = re.compile(
    rb"""^(?:\xef\xbb\xbf)?language[ \t]*:[ \t]+["']?(en|zh)["']?[ \t]*(?:[ \t]\#.*)?\r?$""",
    re.MULTILINE,
)
MAX_BYTES = 1_000_000
_VARIABLES = ("MAXAGENT_DATABASE", "LLC_DATABASE")
_SCHEMES = ("postgres://", "postgresql://")
_UNESCAPED = re.compile(r"[@/?#]")


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


def find_database_url(home: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return the address of the PostgreSQL database of this home; empty: its threads are in a file.

    It is read once in a process. Raises UsageError for any other address.
    """
    variables = tuple(environ.get(name, "") for name in (*_VARIABLES, "MAXAGENT_PROFILE"))
    return _find_url(home, variables)


@lru_cache
def _find_url(home: Path, variables: tuple[str, ...]) -> str:
    if not any(variables[:2]) and not _may_name(home, b"database"):
        return ""
    from .loader import load_settings  # heavy, and needed for few

    url = load_settings(home, home).settings.database
    if url and not url.startswith(_SCHEMES):
        raise UsageError(
            text("`database` must begin with {schemes}", schemes=" or ".join(_SCHEMES)),
            hint="leave it out to keep threads in a file of your own",
        )
    # else a part of the password would be taken for a host, and shown
    if _UNESCAPED.search(url.partition("://")[2].rpartition("@")[0]):
        raise UsageError(
            "`database` has a user or password with a character that must be escaped",
            hint="write `@` as %40, `/` as %2F, `?` as %3F and `#` as %23",
        )
    return url


def find_storage(home: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return where the threads' files are for other machines; empty: in this home only."""
    is_set = any(environ.get(name) for name in ("MAXAGENT_STORAGE", "LLC_STORAGE"))
    if not is_set and not _may_name(home, b"storage"):
        return ""
    from .loader import load_settings

    return load_settings(home, home).settings.storage


def _may_name(home: Path, key: bytes) -> bool:
    """Return whether a file of the user or an administrator has the word in it."""
    profiles = sorted(locate_profiles(home).glob("*.yaml"))
    files = (locate_user_config(home), POLICY_FILE, *profiles)
    return any(key in read_content(file) for file in files)
