"""Search of a project's files for the `grep` tool: the files, their hits, and the text of these."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import groupby, islice

from ..cancellable_thread import run_in_worker
from ..filesystem.file_access import MAX_FILE_BYTES, hash_content, read_bytes
from ..filesystem.listing import resolve_existing, resolve_folder
from ..filesystem.text_codec import decode_file, split_lines, to_one_line
from ..filesystem.walk import walk
from ..glob_pattern import compile_glob
from ..result import ToolError, ToolResult
from ..workspace import Workspace
from .python_search import Hit, Search, SearchResult, search_lines, search_text
from .ripgrep import find_ripgrep, search_with_ripgrep

MAX_HITS = 200
# that are counted: a file with many must not hide the others
MAX_COUNTED = 2_000
# of a result, with those that name what is left out
MAX_LINES = 2 * MAX_HITS
# of all that is shown
MAX_CHARACTERS = 30_000
# characters of a line that are shown, around the match
MAX_TEXT_LENGTH = 300
SECONDS = 20.0


async def search_files(
    workspace: Workspace, regex: str, path: str, file_pattern: str
) -> ToolResult:
    """Search the files below a path, or the file there, by ripgrep if it is installed."""
    names = await asyncio.to_thread(_find_names, workspace, path, file_pattern)
    search = Search(workspace, names, regex, MAX_COUNTED + 1, time.monotonic() + SECONDS)
    return await run_in_worker(_build_result, search, await _run_search(search))


async def _run_search(search: Search) -> SearchResult:
    program = await asyncio.to_thread(find_ripgrep, search.workspace.root)
    # ripgrep takes every file for UTF-8: in others, such as GBK, it would miss words beyond ASCII
    plain = search.pattern.isascii() and search.pattern.isprintable()
    result = await search_with_ripgrep(program, search) if program and plain else None
    return result or await asyncio.to_thread(search_lines, search)


def _find_names(workspace: Workspace, path: str, file_pattern: str) -> list[str]:
    """List the files to search, in order of paths; a single one must be readable text."""
    start = resolve_existing(workspace, path)
    if not os.path.isdir(start):
        name = workspace.to_relative(start)
        decode_file(workspace, name, read_bytes(workspace, start))
        return [name]
    folder, fits = resolve_folder(workspace, path), compile_glob(file_pattern)
    root = f"{workspace.root}/"
    below = 0 if folder == workspace.root else len(workspace.to_relative(folder)) + 1
    return [
        entry.name
        for entry in walk(workspace, folder, deep=True)
        if entry.kind == "file" and (fits(entry.name[below:]) or fits(entry.name))
        if _get_size(root + entry.name) <= MAX_FILE_BYTES
    ]


def _get_size(path: str) -> int:
    with suppress(OSError):  # deleted meanwhile
        return os.lstat(path).st_size
    return 0


def _build_result(search: Search, result: SearchResult) -> ToolResult:
    """Format the hits; a file of which a line is shown counts as read."""
    confirmed, hashes = confirm_hits(search, result)
    output, visible_paths = _format_hits(confirmed, search)
    if search.workspace.is_outside:
        return ToolResult(output)
    return ToolResult(output, seen={name: hashes[name] for name in hashes if name in visible_paths})


def confirm_hits(
    search: Search, search_result: SearchResult
) -> tuple[SearchResult, Mapping[str, str]]:
    """Keep the hits that the files still have; return them with the hashes of these files.

    A file that has changed meanwhile, or is not in UTF-8, is searched again.
    """
    # ripgrep opens files by name: a link put in the place of one since the walk would lead it to a
    # secret, so a line is shown only from a file opened beneath the project's root
    hits, hashes, complete = list[Hit](), dict[str, str](), search_result.complete
    for name, in_file in groupby(search_result.hits, key=lambda hit: hit.path):
        with suppress(ToolError):
            data = read_bytes(search.workspace, search.workspace.root / name)
            text = decode_file(search.workspace, name, data).text
            try:
                hits += _recheck_hits(search, name, text, list(in_file))
                hashes[name] = hash_content(data)
            except TimeoutError:
                complete = False
    return SearchResult(hits[: search.most], complete), hashes


def _recheck_hits(search: Search, name: str, text: str, hits: list[Hit]) -> Iterable[Hit]:
    lines = split_lines(text)
    if all(hit.line <= len(lines) and lines[hit.line - 1] == hit.text for hit in hits):
        return hits
    return list(search_text(search, name, text))


def _format_hits(search_result: SearchResult, search: Search) -> tuple[str, set[str]]:
    """Return the text, and the files of which a line is in it."""
    lines, visible_paths, remaining_characters = list[str](), set[str](), MAX_CHARACTERS
    counts = Counter(hit.path for hit in search_result.hits)
    limit = _find_limit(counts)
    for path, in_file in groupby(search_result.hits, key=lambda hit: hit.path):
        visible = [_format_hit(hit, search.workspace) for hit in islice(in_file, limit)]
        while visible and sum(map(len, visible)) > remaining_characters:
            visible.pop()
        remaining_characters -= sum(map(len, visible))
        lines += visible
        visible_paths |= {path} if visible else set[str]()
        if hidden := counts[path] - len(visible):
            shown = to_one_line(search.workspace.to_shown(path))
            lines.append(f"[{hidden} more in {shown}]" if visible else f"[{hidden} in {shown}]")
        if len(lines) > MAX_LINES:
            break
    if not search_result.complete:
        lines.append("[stopped before all was searched; name a `path` or a `file_pattern`]")
    elif len(search_result.hits) > MAX_COUNTED or len(lines) > MAX_LINES:
        lines.append("[there are more matches; narrow the search to see others]")
    elif not lines:
        lines.append(f"[no match in {len(search.names)} files; what git ignores is not searched]")
    return "\n".join(lines), visible_paths


def _find_limit(counts: Mapping[str, int]) -> int:
    """Return how many hits of one file are shown, so that no file hides the others."""
    limits = range(MAX_HITS, 1, -1)
    return next(
        (
            limit
            for limit in limits
            if sum(min(count, limit) for count in counts.values()) <= MAX_HITS
        ),
        1,
    )


def _format_hit(hit: Hit, workspace: Workspace) -> str:
    start = max(0, hit.column - MAX_TEXT_LENGTH // 3) if len(hit.text) > MAX_TEXT_LENGTH else 0
    end = start + MAX_TEXT_LENGTH
    text = f"{'…' * (start > 0)}{hit.text[start:end]}{'…' * (end < len(hit.text))}"
    plain = "\t".join(map(to_one_line, text.split("\t")))
    return f"{to_one_line(workspace.to_shown(hit.path))}:{hit.line}: {plain}"
