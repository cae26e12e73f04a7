"""Search with ripgrep, in a given list of files."""

import base64
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from ...config.security.executables import find_program
from ..encodings.guess import STRAYS, UNKNOWN
from ..filesystem.file_access import read_bytes
from ..filesystem.line_endings import without_endings
from ..filesystem.text_codec import decode_file
from ..process.launcher import capture_output
from ..result import ToolError
from ..workspace import Workspace
from .python_search import Hit, Search, SearchResult

# bytes of file names that are given to one call; Linux allows about twice as much
MAX_COMMAND_LENGTH = 1_000_000
# most bytes of one call's output that are read
MAX_OUTPUT_BYTES = 10_000_000


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
