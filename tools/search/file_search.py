"""Search of a project's files for the `grep` tool: the files, their hits, and the text of these."""

import asyncio
import base64
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any, cast

from ...config.security.executables import find_program
from ..cancellable_thread import run_in_worker
from ..encodings.guess import STRAYS, UNKNOWN
from ..filesystem.file_access import MAX_FILE_BYTES, hash_content, read_bytes
from ..filesystem.line_endings import without_endings
from ..filesystem.listing import resolve_existing, resolve_folder
from ..filesystem.text_codec import decode_file, split_lines, to_one_line
from ..filesystem.walk import walk
from ..glob_pattern import compile_glob
from ..process.launcher import capture_output
from ..result import CallResult, ToolError
from ..workspace import Workspace
from .python_search import Hit, Search, SearchResult, search_lines, search_text

# bytes of file names that are given to one call; Linux allows about twice as much
MAX_COMMAND_LENGTH = 1_000_000
# most bytes of one call's output that are read
MAX_OUTPUT_BYTES = 10_000_000
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


def find_ripgrep(project: Path | None = None) -> str | None:
    """Find ripgrep beside this Python or on the path, but not in the project."""
    beside = {"PATH": str(Path(sys.executable).parent)}
    outside = [project] if project else []
    return find_program("rg", beside, outside=outside) or find_program("rg", outside=outside)


async def search_with_ripgrep(program: str, search: Search) -> SearchResult | None:
    """Search; None if ripgrep cannot, for example because of the pattern."""
    hits = list[Hit]()
    for names in _split_batches(search.names):
        left = max(0.01, search.deadline - time.monotonic())
        command = _build_command(program, search, names)
        done = await capture_output(
            command, cwd=search.workspace.root, timeout=left, limit=MAX_OUTPUT_BYTES
        )
        batch_hits = _parse_hits(done.stdout, names, search.workspace)
        hits += batch_hits
        if done.timed_out or done.cut:
            return SearchResult(hits[: search.most], complete=False)
        if done.exit_code > 1 and not batch_hits:
            return None
        if len(hits) >= search.most:
            break
    return SearchResult(hits[: search.most])


def _split_batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    longest = max((len(os.fsencode(name)) for name in names), default=0)
    size = MAX_COMMAND_LENGTH // (longest + 16)
    return (names[start : start + size] for start in range(0, len(names), size))


def _build_command(program: str, search: Search, names: Sequence[str]) -> list[str]:
    options = [
        "--no-config",
        "--no-follow",
        "--no-ignore",
        "--json",
        "--crlf",
        f"--max-count={search.most}",
    ]
    files = [f"./{name}" for name in names]
    return [program, *options, "-e", search.pattern, "--", *files]


def _parse_hits(output: bytes, names: Sequence[str], workspace: Workspace) -> list[Hit]:
    """Parse the hits, in the order of `names`, without those in binary files."""
    order = {name: place for place, name in enumerate(names)}
    hits, in_file = list[Hit](), list[Hit]()
    find_encoding = cache(partial(_find_encoding, workspace))
    for kind, data in _iter_messages(output):
        if kind == "begin":
            in_file = []
        elif kind == "match":
            in_file.append(_to_hit(data, find_encoding))
        elif kind == "end" and data["binary_offset"] is None:
            hits += in_file
    requested_hits = [hit for hit in hits if hit.path in order]
    return sorted(requested_hits, key=lambda hit: (order[hit.path], hit.line))


def _iter_messages(output: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with suppress(ValueError):  # the last message, where the output was cut
        for line in output.split(b"\n"):
            message = cast("Mapping[str, Any]", json.loads(line))
            yield message["type"], message["data"]


def _find_encoding(workspace: Workspace, name: str) -> str:
    """Find the encoding of a file: a line alone proves too little."""
    try:
        return decode_file(workspace, name, read_bytes(workspace, workspace.root / name)).encoding
    except ToolError:
        return UNKNOWN


def _to_hit(data: Mapping[str, Any], find_encoding: Callable[[str], str]) -> Hit:
    line, path = _to_bytes(data["lines"]), os.fsdecode(_to_bytes(data["path"])).removeprefix("./")
    before = line[: data["submatches"][0]["start"]] if data["submatches"] else b""
    is_utf8 = "text" in data["lines"] and b"\x1b" not in line
    encoding = "utf-8" if is_utf8 else find_encoding(path)
    text = line.rstrip(b"\r\n").decode(encoding, STRAYS).removeprefix("\ufeff")
    return Hit(
        path=path,
        line=data["line_number"],
        text=without_endings(f"{text}\n")[0][:-1],
        column=len(before.decode(encoding, "replace")),
    )


def _to_bytes(value: Mapping[str, str]) -> bytes:
    # ripgrep writes what is not UTF-8 in base64
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


async def search_files(
    workspace: Workspace, regex: str, path: str, file_pattern: str
) -> CallResult:
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


def _build_result(search: Search, result: SearchResult) -> CallResult:
    """Format the hits; a file of which a line is shown counts as read."""
    confirmed, hashes = confirm_hits(search, result)
    output, visible_paths = _format_hits(confirmed, search)
    if search.workspace.is_outside:
        return CallResult(output)
    return CallResult(output, seen={name: hashes[name] for name in hashes if name in visible_paths})


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
