"""All programs that a trusted folder may start: git's, those of servers, and scripts."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import cast

from ..errors import UsageError
from ..git.config_parser import GitConfigEntry
from ..git.program_settings import names_program
from ..git.repository import read_program_sources
from ..security.content_digest import UnreadableFileError, read_with_digest
from ..security.provenance import Provenance, compute_provenance_digest
from ..text import text
from ..yaml.reader import parse_document
from .command_files import MAX_FILES, CommandFiles, find_command_files, read_package_scripts
from .inventory import PLACES
from .program_item import (
    MAX_SHOWN,
    PACKAGE_FILE,
    ProgramItem,
    build_file_item,
    name_subject,
    to_source,
)
from .server_programs import build_server_item, list_server_words, read_server_entries

_CONFIG = PLACES["configuration"][0]
# Stands for the scripts of commands that are too many
_ALL = name_subject("script", "*")
# Sections of the configuration whose commands run outside of a model's call
_SECTIONS = (b"hooks", b"after_edit", b"status_line")


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


def take_program_inventory(folder: Path, listed: Iterable[str] = ()) -> list[ProgramItem]:
    """Return what starts programs, the most powerful first; starts none, and never raises.

    `listed` are files whose digests are known already.
    """
    root, known = os.path.realpath(folder), set(listed)
    items = [*list_git_programs(root), *_list_servers(root), *list_scripts(root)]
    return [item for item in items if item.kind != "script" or item.name not in known]


def list_scripts(root: str) -> Iterator[ProgramItem]:
    """Yield the scripts that the project's hooks, checks and servers name."""
    seen = set[str]()
    for source, found in _find_sources(root):
        for item in _build_items(root, source, found):
            if item.name not in seen:
                seen.add(item.name)
                yield item


def list_command_scripts(command: str, root: str) -> list[ProgramItem]:
    """Return the scripts that one command names; their source is not known."""
    return list(_build_items(root, "", find_command_files([command], root)))


def list_server_scripts(words: Iterable[str], root: str) -> list[ProgramItem]:
    """Return the scripts that the words of one server name."""
    return list(_build_items(root, "", find_command_files([], root, words)))


def read_script_digests(root: str, names: Iterable[str]) -> dict[str, str]:
    """Return the current digests of scripts of these names; missing ones are left out."""
    items = (_build_script(root, "", *_split_name(name)) for name in names)
    return {item.name: item.provenance.digest for item in items if item.provenance.digest}


def read_commands(content: bytes) -> tuple[str, ...]:
    """Return the commands of hooks, checks and the status line in a configuration.

    Empty if it is wrong.
    """
    if not any(section in content for section in _SECTIONS):
        return ()
    return _parse_commands(content)


def _list_servers(root: str) -> Iterator[ProgramItem]:
    for path in PLACES["mcp"]:
        if os.path.lexists(os.path.join(root, path)):
            yield from map(build_server_item, read_server_entries(root, path))


def _find_sources(root: str) -> Iterator[tuple[str, CommandFiles]]:
    """Yield each file with commands, and what these name."""
    try:
        commands = read_commands(read_with_digest(root, _CONFIG)[1])
    except UnreadableFileError:
        commands = ()
    if commands:
        yield _CONFIG, find_command_files(commands, root)
    for path in PLACES["mcp"]:
        if os.path.lexists(os.path.join(root, path)):
            for entry in read_server_entries(root, path):
                yield path, find_command_files([], root, list_server_words(entry.definition))


def _build_items(root: str, source: str, found: CommandFiles) -> Iterator[ProgramItem]:
    if not found.is_complete:
        problem = text(
            "its commands name more than {limit} files of the project, or are nested too deeply",
            limit=MAX_FILES,
        )
        yield ProgramItem("script", Provenance(_ALL, source, ""), problem=problem)
    for path in found.files[:MAX_FILES]:
        yield build_file_item("script", root, path, source)
    for path, name in found.entries[:MAX_FILES]:
        yield _build_script(root, source, path, name)


def _build_script(root: str, source: str, path: str, entry: str) -> ProgramItem:
    """Build the item of a file, or of one entry of a `package.json`."""
    if not entry:
        return build_file_item("script", root, path, source)
    command = read_package_scripts(root, path).get(entry, "")
    subject = name_subject("script", f"{path}: {entry}")
    digest = compute_provenance_digest(entry, command)
    # no half word: the half of a secret is not known as one
    shown = command if len(command) <= MAX_SHOWN else command[:MAX_SHOWN].rpartition(" ")[0]
    return ProgramItem("script", Provenance(subject, source, digest), shown)


def _split_name(name: str) -> tuple[str, str]:
    folder, found, entry = name.partition(f"{PACKAGE_FILE}: ")
    return (folder + PACKAGE_FILE, entry) if found else (name, "")


@lru_cache(maxsize=16)
def _parse_commands(content: bytes) -> tuple[str, ...]:
    try:
        values = parse_document(Path(_CONFIG), content.decode("utf-8-sig")).values
    except (UsageError, UnicodeDecodeError):
        return ()
    section = values.get("ui")
    ui = cast("dict[str, object]", section) if isinstance(section, dict) else {}
    commands = [*_find_commands(values.get("hooks")), *_find_texts(values.get("after_edit"))]
    return tuple(dict.fromkeys([*commands, *_find_texts(ui.get("status_line"))]))


def _find_commands(value: object) -> Iterator[str]:
    """Yield what stands at `command` below a value."""
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, object]", value).items():
            if name == "command" and isinstance(inner, str):
                yield inner
            else:
                yield from _find_commands(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _find_commands(inner)


def _find_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace("{file}", " ")
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from _find_texts(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _find_texts(inner)
