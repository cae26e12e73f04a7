"""The outline of a file or a folder: its classes, functions and methods."""

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...cancellable_thread import check_cancelled
from ...definitions.code_definition import FileDefinitions
from ...definitions.languages import (
    INSTALL,
    PYTHON,
    find_language,
    find_unparsed_language,
    list_languages,
    load_parser,
)
from ...definitions.python_definitions import find_python_definitions
from ...definitions.syntax_definitions import find_syntax_definitions
from ...filesystem.file_access import read_bytes
from ...filesystem.listing import find_entries, resolve_existing, resolve_folder
from ...filesystem.text_codec import decode_file, to_one_line, to_printable
from ...result import CallResult, ToolError
from ...workspace import Workspace

# bytes of a file that is parsed
MAX_FILE_BYTES = 1_000_000
# of all that is shown
MAX_CHARACTERS = 30_000
SECONDS = 20.0
BROKEN = "  [a part of this file does not parse; definitions in it may be missing]"


@dataclass
class Outline:
    """What is shown, as it grows."""

    text: list[str] = field(default_factory=list[str])
    definitions: int = 0
    missing: Counter[str] = field(default_factory=Counter[str])
    """Files without a parser, by language."""
    unparsed: Counter[str] = field(default_factory=Counter[str])
    """Files of languages that have no parser here, by language."""
    unreadable: list[str] = field(default_factory=list[str])
    files: int = 0
    """Files that were looked at."""
    characters: int = 0

    def add(self, name: str, file_definitions: FileDefinitions) -> None:
        """Add a file, if it defines anything."""
        lines = [
            f"  {definition.line}: {'  ' * definition.depth}{definition.signature}"
            for definition in file_definitions.definitions
        ]
        lines += [] if file_definitions.is_whole else [BROKEN]
        if lines:
            block = "\n".join([to_one_line(name), *lines])
            self.text.append(block)
            self.characters += len(block)
            self.definitions += len(file_definitions.definitions)


def outline_sources(workspace: Workspace, path: str, recursive: bool) -> CallResult:
    """Return the outline, bounded; raise ToolError if there is none."""
    resolved_path = resolve_existing(workspace, path)
    outline = Outline()
    is_folder = os.path.isdir(resolved_path)
    names = _list_sources(workspace, path, recursive, outline) if is_folder else None
    deadline = time.monotonic() + SECONDS
    if names is None:
        _add_file(workspace, resolved_path, outline)
    else:
        for name in names:
            check_cancelled()
            if outline.characters >= MAX_CHARACTERS or time.monotonic() > deadline:
                break
            try:
                _add_file(workspace, workspace.root / name, outline)
            except ToolError:
                outline.unreadable.append(name)
    metadata = {"path": workspace.to_relative(resolved_path), "definitions": outline.definitions}
    output = "\n\n".join([*_cut(outline.text), *_list_remarks(outline, names)])
    return CallResult(output, metadata={**metadata, "files": len(outline.text)})


def _list_sources(workspace: Workspace, path: str, recursive: bool, outline: Outline) -> list[str]:
    """List the files that can be parsed; count the other source files."""
    folder = resolve_folder(workspace, path)
    entries = find_entries(workspace, folder, lambda _: True, deep=recursive)
    files = [entry.name for entry in entries if entry.kind == "file"]
    outline.unparsed.update(filter(None, map(find_unparsed_language, files)))
    return [name for name in files if find_language(name)]


def _add_file(workspace: Workspace, path: Path, outline: Outline) -> None:
    """Add a file to the outline; raises ToolError if it cannot be read."""
    name = workspace.to_relative(path)
    if not find_language(name):
        raise ToolError(
            f"`{to_one_line(name)}` is in none of the languages whose definitions are listed: "
            f"{', '.join(list_languages())}; `grep` and `read_file` read any text"
        )
    outline.files += 1
    source = decode_file(workspace, name, read_bytes(workspace, path, MAX_FILE_BYTES)).text
    language = find_language(name, source)
    if language == PYTHON:
        outline.add(name, find_python_definitions(source))
    elif parser := load_parser(language):
        outline.add(name, find_syntax_definitions(source, language, parser))
    else:
        outline.missing[language] += 1


def _cut(blocks: Sequence[str]) -> Iterator[str]:
    """Yield the blocks up to the limit, the last one cut at a line."""
    left = MAX_CHARACTERS
    for block in blocks:
        if len(block) > left:
            visible_part = block[:left].rpartition("\n")[0]
            yield to_printable(f"{visible_part}\n  [cut: read the rest with `grep` or `read_file`]")
            return
        left -= len(block)
        yield to_printable(block)


def _list_remarks(outline: Outline, names: Sequence[str] | None) -> Iterator[str]:
    if outline.missing:
        named = _count_files(outline.missing)
        yield f"[left out: {named}; the user can install their grammars: {INSTALL}]"
    if outline.unparsed:
        named = _count_files(outline.unparsed)
        yield f"[left out: {named}; these languages are not parsed: use `grep` and `read_file`]"
    if outline.unreadable:
        few = ", ".join(f"`{to_one_line(name)}`" for name in outline.unreadable[:5])
        more = " and others" if len(outline.unreadable) > 5 else ""
        yield f"[could not be read: {few}{more}]"
    if names is not None and outline.files < len(names):
        yield f"[cut after {outline.files} of {len(names)} files; name a file or a smaller folder]"
    if not names and names is not None:
        yield f"[no source file here in: {', '.join(list_languages())}]"
    elif not outline.definitions and not outline.missing:
        yield "[no definition found]"


def _count_files(files: Counter[str]) -> str:
    """Return how many files there are of each language."""
    return ", ".join(
        f"{count} {language} file{'s' * (count > 1)}" for language, count in sorted(files.items())
    )
