"""Parser of patches of several files, in either of two forms."""

import re
from collections.abc import Mapping, Sequence

from ...result import ToolError
from .apply_hunk import Hunk
from .file_patch import FilePatch
from .unified_diff import parse_unified

BEGIN, END, AT_END = "*** Begin Patch", "*** End Patch", "*** End of File"
FORM = (
    "`*** Add File: path`, `*** Update File: path` or `*** Delete File: path`; "
    "the lines of an update begin with a blank, `-`, `+` or `@@`"
)

# models pad the markers, and close them as they opened them
_BEGIN = re.compile(r"\s*\*{3}\s*Begin Patch\s*+(\*{3}\s*)?")
_END = re.compile(r"\*{3}\s*End Patch\s*+(\*{3}\s*+)?")
_FILE = re.compile(r"\*{3}\s*(Add|Update|Delete) File:(.*)")
_MOVE = re.compile(r"\*\*\* Move to:(.*)")
_NUMBERS = re.compile(r"-(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@.*")
# what may stand above the patch: a fence, a shell's here-document
_AROUND = re.compile(r"\s*|(```|~~~).*|(\$ )?((cat|apply_?patch)\s*)?<<-?\s*['\"]?\w+['\"]?.*")

# what may stand below it
_AFTER = re.compile(r"```|~~~|\w+['\"]?")


def is_envelope(patch: str) -> bool:
    """Return whether a patch is in this form rather than a diff."""
    lines = patch.split("\n")
    first = next((line for line in lines if not _AROUND.fullmatch(line.rstrip("\r"))), "")
    return bool(_BEGIN.fullmatch(first) or _FILE.match(first.strip())) or any(
        line.startswith((BEGIN, END)) or _FILE.match(line) for line in lines
    )


def parse_envelope(patch: str) -> list[FilePatch]:
    """Parse the patch of each file, in order; raise ToolError, naming the line."""
    lines = _without_padding(patch.replace("\r\n", "\n").split("\n"))
    at, end = _find_bounds(lines)
    patches = list[FilePatch]()
    while at < end:
        if not lines[at].strip():
            at += 1
            continue
        file_patch, at = _parse_file(lines, at, end)
        patches.append(file_patch)
    if not patches:
        raise ToolError(f"there is no file in the patch; each begins with {FORM}")
    return patches


def _without_padding(lines: list[str]) -> list[str]:
    """Remove the indentation that all lines have, as of a patch that was quoted as a whole."""
    first = next((line for line in lines if line.strip()), "")
    pad = first[: len(first) - len(first.lstrip())]
    if not pad or not all(line.startswith(pad) for line in lines if line.strip()):
        return lines
    return [line.removeprefix(pad) for line in lines]


def _find_bounds(lines: Sequence[str]) -> tuple[int, int]:
    """Find the line after `*** Begin Patch`, and the line of `*** End Patch`."""
    start = 0
    while start < len(lines) and not _BEGIN.fullmatch(lines[start]):
        if _FILE.match(lines[start].strip()) and not any(map(_END.fullmatch, lines)):
            return start, _find_last(lines) + 1  # neither marker: nothing says that it was cut
        if not _AROUND.fullmatch(lines[start]):
            raise _make_error(start, lines, f"the patch must begin with `{BEGIN}`")
        start += 1
    ends = [at for at, line in enumerate(lines) if _END.fullmatch(line)]
    if not ends and _END.fullmatch(lines[_find_last(lines)].strip()):
        ends = [_find_last(lines)]  # a blank before it: no line of a file stands there
    if start == len(lines) or not ends:
        missing = BEGIN if start == len(lines) else END
        raise ToolError(f"the patch has no `{missing}`; send it again, complete")
    if ends[0] < start:
        raise _make_error(ends[0], lines, f"it stands before `{BEGIN}`")
    after = [line.strip() for line in lines[ends[0] + 1 :] if line.strip()]
    if any(not _AFTER.fullmatch(line) for line in after):
        raise ToolError(f"something follows `{END}`; put all files into one patch")
    return start + 1, ends[0]


def _find_last(lines: Sequence[str]) -> int:
    """Find the last line of a patch, before the end of a fence or of a here-document."""
    last = len(lines) - 1
    while last > 0 and (not lines[last].strip() or _AFTER.fullmatch(lines[last].strip())):
        last -= 1
    return last


def _parse_file(lines: Sequence[str], start: int, end: int) -> tuple[FilePatch, int]:
    head = _FILE.fullmatch(lines[start].strip())
    if head is None:
        raise _make_error(start, lines, f"expected {FORM}")
    path, at = head[2].strip(), start + 1
    if not path:
        raise _make_error(start, lines, "it names no file")
    last = at
    while last < end and not _FILE.match(lines[last]):
        last += 1
    if head[1] == "Add":
        return FilePatch(start + 1, "create", path, content=_parse_added(lines, at, last)), last
    if head[1] == "Update":
        return _parse_update(path, lines, start, last), last
    if extra := [place for place in range(at, last) if lines[place].strip()]:
        raise _make_error(extra[0], lines, "nothing stands below `*** Delete File:`")
    return FilePatch(start + 1, "delete", path), last


def _parse_added(lines: Sequence[str], at: int, end: int) -> str:
    while end > at and not lines[end - 1].strip():
        end -= 1
    for place in range(at, end):
        if lines[place] and lines[place][0] != "+":
            raise _make_error(place, lines, "every line of a new file begins with `+`")
    return "".join(f"{line[1:]}\n" for line in lines[at:end])


def _parse_update(path: str, lines: Sequence[str], start: int, end: int) -> FilePatch:
    at, target = start + 1, ""
    if at < end and (move := _MOVE.fullmatch(lines[at])):
        target, at = move[1].strip(), at + 1
        if not target:
            raise _make_error(at - 1, lines, "it names no file")
    hunks = list[Hunk]()
    while at < end:
        hunk, at = _parse_hunk(lines, at, end)
        hunks += [hunk] if hunk else []
    if not (hunks or target):
        raise _make_error(start, lines, "the update changes nothing")
    return FilePatch(start + 1, "update", path, target, tuple(hunks))


def _parse_hunk(lines: Sequence[str], start: int, end: int) -> tuple[Hunk | None, int]:
    """Parse a hunk: `@@` lines, then lines to keep, remove and add; None for empty lines."""
    at, context, number = start, list[str](), None
    while at < end and lines[at].startswith("@@"):
        text = lines[at][2:].strip()
        if numbers := _NUMBERS.fullmatch(text):
            number = int(numbers[1]) or None
        elif text := text.removesuffix("@@").strip():
            context.append(text)
        at += 1
    first = at
    while at < end and lines[at][:1] in ("", " ", "+", "-"):
        at += 1
    body = [line or " " for line in _without_empty_end(lines[first:at])]
    at_end = at < end and lines[at].rstrip() == AT_END
    if at < end and not at_end and not lines[at].startswith("@@"):
        raise _make_error(at, lines, "a line of an update begins with a blank, `-`, `+` or `@@`")
    if not body and (at_end or first > start):
        raise _make_error(start, lines, "the hunk is empty")
    hunk = Hunk(tuple(body), line=number, at_end=at_end, context=tuple(context)) if body else None
    return hunk, at + at_end


def _without_empty_end(lines: Sequence[str]) -> Sequence[str]:
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return lines[:end]


def _make_error(at: int, lines: Sequence[str], problem: str) -> ToolError:
    return ToolError(f"line {at + 1} of the patch, `{lines[at][:80]}`: {problem}")


def parse_patch(patch: str) -> list[FilePatch]:
    """Parse the patch of each file, in order; raise ToolError for a wrong one."""
    if not patch.strip():
        raise ToolError("the patch is empty")
    return parse_envelope(patch) if is_envelope(patch) else parse_unified(patch)


def find_patched_names(args: Mapping[str, object]) -> list[str]:
    """Find every path, as written, that a call with the argument `patch` may change."""
    patch = args.get("patch")
    if not isinstance(patch, str):
        return []
    names = (name for file_patch in parse_patch(patch) for name in file_patch.names)
    return list(dict.fromkeys(names))
