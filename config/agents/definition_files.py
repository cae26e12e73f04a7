"""Agents and commands in Markdown files: the user's, and those of a trusted project.

From a project, only files with the bytes in its trusted inventory are read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import Literal

from ..errors import UsageError
from ..trust.decision import Trust
from ..trust.inventory import PLACES
from ..trust.trusted_reader import read_listed_bytes
from ..yaml.reader import decode_utf8, read_bytes


@dataclass(frozen=True)
class DefinitionFile:
    """One Markdown file."""

    name: str
    """`review`; in a sub-folder `git:review`."""
    path: Path
    origin: Literal["user", "project"]
    text: str
    fault: str = ""
    """Why it cannot be read, with the file's name; mostly empty."""


def read_definition_files(
    kind: Literal["agents", "commands"], folder: Path, home: Path, trust: Trust
) -> Iterator[DefinitionFile]:
    """Return all files of that kind, the strongest last: the user's, the project's, its `.llc`."""
    above = home / kind
    for file in sorted(above.glob("**/*.md")):
        yield _read_definition_file(
            file, _format_name(file.relative_to(above)), "user", partial(read_bytes, file)
        )
    if not trust.trusted:
        return
    for item in reversed(trust.inventory):
        mine = (folder / item.path).is_relative_to(above)  # the project is the user's own home
        if item.kind == kind and item.path.endswith(".md") and not mine:
            place = next(place for place in PLACES[kind] if item.path.startswith(f"{place}/"))
            name = _format_name(PurePath(item.path).relative_to(place))
            read = partial(read_listed_bytes, item.path, folder, trust)
            yield _read_definition_file(folder / item.path, name, "project", read)


def _read_definition_file(
    file: Path, name: str, origin: Literal["user", "project"], read: Callable[[], bytes | None]
) -> DefinitionFile:
    try:
        return DefinitionFile(name, file, origin, decode_utf8(file, read() or b""))
    except UsageError as error:
        return DefinitionFile(name, file, origin, "", error.message)


def _format_name(path: PurePath) -> str:
    return ":".join(path.with_suffix("").parts)
