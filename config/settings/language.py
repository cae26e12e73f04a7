"""The language that the configuration asks for, read before the rest of it, without its schema.

Who speaks has to be known before the first word, that of `mcode --help` as well. A wrong value is
passed over here: whoever loads the configuration names it with its line.
"""

import re
from pathlib import Path

from ..paths import project_config, user_config
from ..security.content_digest import known_by
from ..trust.decision import trust_of

LANGUAGES = ("en", "zh")
"""Those that the interface speaks."""

_LINE = re.compile(
    rb"""^(?:\xef\xbb\xbf)?language[ \t]*:[ \t]+["']?(en|zh)["']?[ \t]*(?:[ \t]\#.*)?\r?$""",
    re.MULTILINE,
)
"""A key of the top level begins its line; nothing else of a YAML text can look like it."""
LARGEST = 1_000_000


def configured_language(folder: Path, home: Path) -> str:
    """`en` or `zh` by the project's file, where it is trusted, or the user's; else empty."""
    return _of_project(folder, home) or _said(_content(user_config(home)))


def _of_project(folder: Path, home: Path) -> str:
    file = project_config(folder)
    content = _content(file)
    language = _said(content)
    if not language:
        return ""
    found = trust_of(folder, home)
    listed = {one.path: one.digest for one in found.brought}
    same = listed.get(file.name) == known_by(folder, file.name, content)
    return language if found.trusted and same else ""


def _content(file: Path) -> bytes:
    """Empty where there is no such file, or none that can be read."""
    try:
        if not file.is_file():  # a pipe would never end
            return b""
        with file.open("rb") as stream:
            return stream.read(LARGEST)
    except OSError:
        return b""


def _said(content: bytes) -> str:
    found = _LINE.search(content)
    return found[1].decode() if found else ""
