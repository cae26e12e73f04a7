"""Unified diff in git's format, used when git is not installed."""

from collections.abc import Iterable, Mapping
from difflib import unified_diff

from .file_version import ABSENT, FileVersion, PathChange

NO_NEWLINE = "\n\\ No newline at end of file\n"
NOTHING = "/dev/null"


def render_diff(changes: Iterable[PathChange], contents: Mapping[str, bytes]) -> str:
    """Return the changes in git's format; `contents` has all their blobs."""
    return "".join("".join(_render_file(change, contents)) for change in changes)


def _render_file(change: PathChange, contents: Mapping[str, bytes]) -> Iterable[str]:
    path = change.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    old_name = NOTHING if change.old == ABSENT else f"a/{path}"
    new_name = NOTHING if change.new == ABSENT else f"b/{path}"
    yield f"diff --git a/{path} b/{path}\n"
    yield from _render_modes(change)
    if change.old.blob == change.new.blob:
        return
    old, new = (_get_content(version, contents) for version in (change.old, change.new))
    if b"\0" in old + new:
        yield f"Binary files {old_name} and {new_name} differ\n"
        return
    for line in unified_diff(
        _split_lines(old), _split_lines(new), _terminate_name(old_name), _terminate_name(new_name)
    ):
        yield line if line.endswith("\n") else line + NO_NEWLINE


def _terminate_name(name: str) -> str:
    """Add a tab as git does, so that a parser finds the end of a name with spaces."""
    return f"{name}\t" if " " in name else name


def _render_modes(change: PathChange) -> Iterable[str]:
    if change.old == ABSENT:
        yield f"new file mode {change.new.mode}\n"
    elif change.new == ABSENT:
        yield f"deleted file mode {change.old.mode}\n"
    elif change.old.mode != change.new.mode:
        yield f"old mode {change.old.mode}\nnew mode {change.new.mode}\n"


def _get_content(version: FileVersion, contents: Mapping[str, bytes]) -> bytes:
    return b"" if version == ABSENT else contents[version.blob]


def _split_lines(content: bytes) -> list[str]:
    """Split lines at `\\n` only, as git does."""
    *whole, last = content.decode("utf-8", "replace").split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])
