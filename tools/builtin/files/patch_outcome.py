"""What a patch comes to: the change of each file that is to be made, and the words about it."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from ...editing.patch.patch_overlay import Content, PatchedFiles
from ...filesystem.commit import Prepared, prepare_removal
from ...filesystem.file_access import missing_folders, writable
from ...filesystem.text_codec import decode
from ...filesystem.transaction import FileChange
from ...result import ToolRefusal
from ...textedits.unified_diff import git_header, unified
from ...workspace import Workspace


@dataclass(frozen=True)
class Outcome:
    """What becomes of one file in the end."""

    change: FileChange
    words: str
    """`created`, `edited`…; empty for the old name of a file that moves."""
    content: Content | None
    """What it holds then; None when it is removed."""
    known: bool
    """Whether the thread knows all of it then."""


def outcomes(files: PatchedFiles) -> list[Outcome]:
    """What changes on the disk, in the patch's order; raises ToolRefusal when nothing does."""
    workspace, found = files.run.workspace, list[Outcome]()
    moved = {content.name for content in files.after.values() if content and content.like}
    for path, after in files.after.items():
        before = files.before[path]
        if after and not _same(before, after):
            found.append(_written(workspace, path, before, after, known=files.knows(after)))
        elif before and not after:
            found.append(_removed(workspace, path, before, moved=before.name in moved))
    if not found:
        raise ToolRefusal("the patch changes nothing; nothing was written")
    return found


def _same(before: Content | None, after: Content) -> bool:
    if before is None or before.bytes != after.bytes:
        return False
    return after.executable in (None, _is_executable(before.like))


def _is_executable(found: os.stat_result | None) -> bool:
    return bool(found and found.st_mode & 0o111)


def _removed(workspace: Workspace, path: Path, before: Content, *, moved: bool) -> Outcome:
    prepared = prepare_removal(workspace, path, before.data)
    if moved:  # its lines go on under another name, whose diff says so
        return Outcome(FileChange(replace(prepared, diff="")), "", None, False)
    if not before.data:
        diff = git_header(prepared.name, prepared.name, ["deleted file mode 100644"])
        prepared = replace(prepared, diff=diff)
    return Outcome(FileChange(prepared), "removed", None, False)


def _written(
    workspace: Workspace, path: Path, before: Content | None, after: Content, *, known: bool
) -> Outcome:
    name, there = workspace.relative(path), writable(workspace, path)
    words, diff = _told(name, before, after)
    prepared = Prepared(
        path,
        name,
        before.data if before else None,
        after.bytes,
        diff,
        there or after.like,
        tuple(missing_folders(workspace, path)),
    )
    return Outcome(FileChange(prepared, after.executable), words, after, known)


def _told(name: str, before: Content | None, after: Content) -> tuple[str, str]:
    """What happens to the file, and the diff of it."""
    if before:
        same = before.bytes == after.bytes
        header = git_header(name, name, _modes(before, after))
        diff = "" if same else unified(before.text, after.text, name)
        return "mode changed" if same else "edited", header + diff
    if not after.like:
        made = ["new file mode 100755"] if after.executable else []
        header = git_header(name, name, made or ([] if after.text else ["new file mode 100644"]))
        return "created", header + (unified(None, after.text, name) if after.text else "")
    header = git_header(after.name, name, _modes(after, after))
    pieces = after.pieces
    diff = unified(decode(after.data).text, after.text, name, pieces, after.name) if pieces else ""
    return f"moved from `{after.name}`", header + diff


def _modes(before: Content, after: Content) -> list[str]:
    """git's lines about a mode that changes."""
    was = _is_executable(before.like)
    if after.executable in (None, was):
        return []
    return [f"{when} mode 100{755 if it else 644}" for when, it in (("old", was), ("new", not was))]
