"""Settings of npm, pnpm, yarn and bun: they name a shell for scripts, what node loads, and hooks.

Each folder up to the user's home has some. All of a file counts: the names are many and change.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from ...config.trust.command_files import list_setting_words
from ...config.trust.runner_files import PACKAGE_SETTINGS
from ..sensitive_paths import find_homes
from .origin import Origin, build_unknown_origin, name_source, read_file_origin

SUBJECT = "package settings"
# Most words of one file that may name another
_MAX_WORDS = 2_000


def find_package_settings(program: str, folders: Sequence[Path], root: Path) -> Iterator[Origin]:
    """Yield the settings that a package program reads from these folders, and files they name."""
    names = PACKAGE_SETTINGS.get(program, "").split()
    for place in dict.fromkeys(place for folder in folders for place in _list_places(folder)):
        for name in names:
            if origin := read_file_origin(SUBJECT, place / name, root):
                yield origin
                yield from _find_named(origin.text, place / name, root)


def _list_places(folder: Path) -> Iterator[Path]:
    """Yield the folder and those above it; what is in the home, the user has written."""
    homes = find_homes()
    return takewhile(lambda place: place not in homes, (folder, *folder.parents))


def _find_named(settings: str, file: Path, root: Path) -> Iterator[Origin]:
    words = list_setting_words(settings)
    if len(words) > _MAX_WORDS:
        yield build_unknown_origin(SUBJECT, name_source(file, root))
        return
    for word in words:
        with suppress(OSError, ValueError):
            if origin := read_file_origin("script", file.parent / os.path.expanduser(word), root):
                yield origin
