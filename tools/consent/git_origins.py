"""What git starts in a repository: active hooks, and settings that name programs or addresses."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ...config.git.config_parser import GitConfigEntry
from ...config.git.program_settings import names_program
from ...config.git.repository import read_program_sources
from .origin import Origin, build_origin, build_unknown_origin, name_source, read_file_origin

HOOK, SETTINGS = "git hook", "git settings"
# Where a push goes is as much of a consent as what git starts
_ADDRESSES = frozenset(("url", "pushurl", "pushremote", "pushdefault"))


def find_git_origins(folder: Path, root: Path) -> Iterator[Origin]:
    """Yield them for the repository that git uses in the folder; starts nothing."""
    sources = read_program_sources(folder)
    if sources is None:
        return
    for file in dict.fromkeys(sources.files):
        if origin := read_file_origin(HOOK, file, root):
            yield origin
    if sources.unknown:  # a part was not read, which may name programs
        yield build_unknown_origin(SETTINGS, name_source(sources.top / ".git", root))
    entries = filter(_counts, sources.entries)
    for file, same in groupby(sorted(entries, key=_get_file), _get_file):
        text = "".join(f"{entry.name} = {entry.value}\n" for entry in same)
        yield build_origin(SETTINGS, name_source(Path(file), root), text)


def _get_file(entry: GitConfigEntry) -> str:
    return str(entry.file)


def _counts(entry: GitConfigEntry) -> bool:
    return names_program(entry) or entry.key in _ADDRESSES
