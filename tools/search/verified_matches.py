"""What a search found, where the files themselves say the same when they are opened with care.

ripgrep opens files by their names: a link put in the place of one since the walk would lead it to
a secret. So a line counts, and is shown, only as it stands in a file that was opened beneath the
project's root.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import groupby

from ..filesystem.file_access import hash_content, read_bytes
from ..filesystem.text_codec import decode_text, split_lines
from ..result import ToolError
from .python_search import Hit, Search, SearchResult, search_text


def confirm_hits(search: Search, found: SearchResult) -> tuple[SearchResult, Mapping[str, str]]:
    """The hits that are true, and the hashes of the files that they are in, by relative path.

    Where a file says something else, having changed or being in an encoding of its own, it is
    searched again.
    """
    hits, hashes, complete = list[Hit](), dict[str, str](), found.complete
    for name, in_file in groupby(found.hits, key=lambda hit: hit.path):
        with suppress(ToolError):
            data = read_bytes(search.workspace, search.workspace.root / name)
            text = decode_text(data).text
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
