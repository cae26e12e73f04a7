"""Send a generated request through the tools' door and say what came of it, by bytes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from project import Answer, Door, all_files, write
from request import Content, Kind, Request

TREE = dict[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """What came of one request."""

    kind: Kind
    number: int
    request: Request
    answer: Answer
    fate: str
    """`right`: byte for byte a truth, or a refusal where there is none.
    `cosmetic`: a truth but for blanks at the ends of lines that the request wrote; nothing else is
    cosmetic: not depth, not empty lines, not a touched line.
    `refused`: nothing was changed.
    `WRONG`: anything else, an internal error too."""
    placed: bool | None
    """Whether the refusal names the true place, or each of them; None: not refused, or no place."""

    @property
    def restated(self) -> bool:
        """Whether it was asked of another tool than the kind is about."""
        return self.request.restated


def run(door: Door, kind: Kind, number: int, request: Request) -> Outcome:
    """Write the files, read them, send the request, read the bytes back."""
    write(door.folder, request.before)
    for path in request.before:
        door.call("read_file", {"path": path})
    if request.meanwhile:
        write(door.folder, request.meanwhile)
    folder = door.folder / next(iter(request.before)).split("/")[0]
    before = _tree(door, folder.name)
    answer = door.call(request.tool, request.args)
    fate = judged(request, answer, before, _tree(door, folder.name))
    refused = not answer.applied
    placed = names_places(answer.error, request.places) if refused and request.places else None
    return Outcome(kind, number, request, answer, fate, placed)


def judged(request: Request, answer: Answer, before: TREE, after: TREE) -> str:
    """The fate of a request, from the files before and after."""
    if not answer.applied:
        if after != before or answer.crashed:
            return "WRONG"
        return "refused" if request.truths else "right"
    wanted = [{**before, **truth} for truth in request.truths]
    if after in wanted:
        return "right"
    is_cosmetic = any(_is_cosmetic(before, after, truth) for truth in wanted)
    return "cosmetic" if is_cosmetic else "WRONG"


def names_places(error: str, places: tuple[frozenset[int], ...]) -> bool:
    """Whether the refusal has, as a whole number, a line of every true place."""
    numbers = {int(number) for number in re.findall(r"(?<![\w.])\d+(?!\w)", error)}
    numbers |= {int(number) for number in re.findall(r"(?m)^\s*(\d+)→", error)}
    return all(numbers & place for place in places)


def _tree(door: Door, folder: str) -> TREE:
    found = all_files(door.folder / folder)
    return {f"{folder}/{path}": data for path, data in found.items()}


def _is_cosmetic(before: Content, after: Content, truth: Mapping[str, bytes]) -> bool:
    if before.keys() != after.keys() or truth.keys() != after.keys():
        return False
    return all(_blanks_only(before[path], after[path], truth[path]) for path in truth)


def _blanks_only(before: bytes, after: bytes, truth: bytes) -> bool:
    there, wanted = after.split(b"\n"), truth.split(b"\n")
    untouched = set(before.split(b"\n"))
    return len(there) == len(wanted) and all(
        a == b or (a.rstrip(b" \t\r") == b.rstrip(b" \t\r") and b not in untouched)
        for a, b in zip(there, wanted, strict=True)
    )
