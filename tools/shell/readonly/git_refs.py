"""Which objects a name may mean in a git repository: its branches and tags, read without git."""

import re
from collections.abc import Iterator
from pathlib import Path

_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}")
"""Where git looks for a name; whatever lies in any of them counts."""
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_SYMBOLIC = "ref: "
_MOST_STEPS = 5
_LONGEST = 300
"""Bytes of one reference."""
LARGEST_LIST = 20_000_000
"""Bytes of the list of packed references."""


def find_hashes(name: str, git_dir: Path, common: Path) -> set[str]:
    """The hashes at which the references of a name are.

    Raises ValueError where references are kept in a way that is not known.
    """
    if (common / "reftable").exists():
        raise ValueError("references are stored as reftable")
    places = {form.format(name) for form in _PLACES}
    folders = {git_dir, common}
    loose = (_iter_loose_refs(place, folders, _MOST_STEPS) for place in places)
    return {hash for found in loose for hash in found} | set(_iter_packed_refs(common, places))


def _iter_loose_refs(place: str, folders: set[Path], steps: int) -> Iterator[str]:
    for file in (folder / place for folder in folders):
        if not file.is_file():  # a folder of references, or nothing
            continue
        with file.open("rb") as opened:
            text = opened.read(_LONGEST).decode(errors="replace")
        if not text.startswith(_SYMBOLIC):
            yield from _HASH.findall(text)[:1]
        elif steps:
            other = text.removeprefix(_SYMBOLIC).strip()
            yield from _iter_loose_refs(other, folders, steps - 1)
            yield from (hash for folder in folders for hash in _iter_packed_refs(folder, {other}))


def _iter_packed_refs(common: Path, places: set[str]) -> Iterator[str]:
    file = common / "packed-refs"
    if not file.is_file():
        return
    if file.stat().st_size > LARGEST_LIST:
        raise ValueError("too many references to check")
    for line in file.read_text(errors="replace").splitlines():
        hash, _, place = line.partition(" ")
        if place in places and _HASH.fullmatch(hash):
            yield hash
