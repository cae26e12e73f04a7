"""Settings and hooks of a folder's git repository that start programs."""

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ..git.config_parser import GitConfigEntry
from ..git.program_settings import names_program
from ..git.repository import read_program_sources
from ..security.provenance import Provenance, compute_provenance_digest
from ..text import text
from .program_item import MAX_SHOWN, ProgramItem, build_file_item, name_subject, to_source


def list_git_programs(root: str) -> Iterator[ProgramItem]:
    """Yield them for the repository that git uses in the folder; reads files, starts nothing."""
    sources = read_program_sources(Path(root))
    if sources is None:
        return
    if sources.unknown:
        problem = text("git's configuration is too large to check")
        source = to_source(root, sources.top / ".git")
        yield ProgramItem(
            "git", Provenance(name_subject("git", "config"), source, ""), problem=problem
        )
    named = [entry for entry in sources.entries if names_program(entry)]
    named.sort(key=_get_key)  # stable: values keep their order
    for _, same in groupby(named, key=_get_key):
        yield _build_setting(root, list(same))
    for file in dict.fromkeys(map(os.path.normpath, sources.files)):
        yield build_file_item("hook", root, to_source(root, Path(file)))


def _get_key(entry: GitConfigEntry) -> tuple[str, ...]:
    return (str(entry.file), entry.section, entry.subsection, entry.key)


def _build_setting(root: str, entries: list[GitConfigEntry]) -> ProgramItem:
    # loaded late: it is slow, and most repositories name no program
    from ..security.masked_values import mask_secrets

    values = [entry.value for entry in entries]
    shown = ", ".join(map(mask_secrets, dict.fromkeys(values)))[:MAX_SHOWN]
    name, source = mask_secrets(entries[0].name), to_source(root, entries[0].file)
    digest = compute_provenance_digest(entries[0].name, *values)
    return ProgramItem("git", Provenance(name_subject("git", name), source, digest), shown)
