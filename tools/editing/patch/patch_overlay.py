"""The files that a patch changes, in memory until the whole patch fits."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...filesystem.file_access import hash_content, read_bytes, resolve_write_path, stat_writable
from ...filesystem.file_context import FileContext
from ...filesystem.listing import resolve_existing
from ...filesystem.text_codec import (
    DecodedText,
    choose_encoding,
    decode_file,
    decode_text,
    encode_text,
)
from ...result import ToolError
from ...textedits.compose import compose_edits
from ...textedits.text_edits import TextChange, TextEdit, apply_edits
from ..matching.document import TextDocument
from .apply_hunk import Hunk, apply_hunk, apply_to_document
from .file_patch import FilePatch


@dataclass(frozen=True)
class PatchedText:
    """A text after all hunks."""

    edits: tuple[TextEdit, ...]
    """Of the old text."""
    changes: tuple[TextChange, ...]
    """One for each hunk, without the text; the lines are right only where no hunk above changed the
    size."""


def apply_hunks(text: str, hunks: Sequence[Hunk], *, exact: bool = False) -> PatchedText:
    """Apply every hunk; with `exact` each must match exactly. Raise ToolError, naming the hunk."""
    # each to the old text first, so that none lands in lines that an earlier one has just written
    source, parts, changes = TextDocument(text), tuple[TextEdit, ...](), list[TextChange]()
    for number, hunk in enumerate(hunks, 1):
        try:
            done, parts = _apply_next(source, parts, hunk)
            if exact and done.adapted:
                raise ToolError(f"it does not match exactly: {'; '.join(done.adapted)}")
        except ToolError as refusal:
            which = f"hunk {number} of {len(hunks)}: " if len(hunks) > 1 else ""
            reason = re.sub("`(old|new)_string`", "the hunk", str(refusal))
            raise ToolError(f"{which}{reason}") from refusal
        changes.append(replace(done, text=""))  # of many hunks the texts would fill the memory
    return PatchedText(parts, tuple(changes))


def _apply_next(
    source: TextDocument, pieces: tuple[TextEdit, ...], hunk: Hunk
) -> tuple[TextChange, tuple[TextEdit, ...]]:
    try:
        done = apply_to_document(source, hunk)
    except ToolError as refusal:
        if not pieces:
            raise
        return _apply_to_result(source.text, pieces, hunk, refusal)
    return done, _merge_edits(pieces, done.edits)


def _apply_to_result(
    text: str, pieces: tuple[TextEdit, ...], hunk: Hunk, refusal: ToolError
) -> tuple[TextChange, tuple[TextEdit, ...]]:
    """Apply a hunk to the result of those before it; raise `refusal` if that is not exact."""
    try:
        done = apply_hunk(apply_edits(text, pieces), hunk)
    except ToolError:
        raise refusal from None
    if done.adapted:
        raise refusal
    return done, compose_edits(pieces, done.edits)


def _merge_edits(pieces: Sequence[TextEdit], more: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Merge edits in order; at one place, those of the earlier hunk come first."""
    joined = sorted([*pieces, *more], key=lambda piece: (piece.start, piece.end))
    for earlier, later in zip(joined, joined[1:], strict=False):
        if later.start < earlier.end:
            raise ToolError("it changes lines that an earlier hunk changes; make them one hunk")
    return tuple(joined)


@dataclass(frozen=True)
class FileContent:
    """What a file holds, or will hold."""

    name: str
    """Of the file that it was read from, relative to the project; of a new one its own."""
    data: bytes = b""
    """As it was read; empty for a new file."""
    encoding: str = ""
    """The encoding that a person has set for it; mostly empty."""
    empty: DecodedText | None = None
    """How a new file is to be written."""
    edits: tuple[TextEdit, ...] = ()
    """What changes in the text of `data`."""
    like: os.stat_result | None = None
    """Of the file that it was read from; None for a new one."""
    executable: bool | None = None
    """Whether it is to be a program; None leaves that as it is."""
    changes: tuple[TextChange, ...] = ()
    """What was done by hunks."""

    @property
    def text(self) -> str:
        """The text after the edits; raises ToolError for a binary file."""
        return apply_edits(decode_text(self.data, self.encoding).text, self.edits)

    @property
    def bytes(self) -> bytes:
        """The bytes to write; raises ToolError if the file's encoding cannot hold them."""
        return (
            encode_text(self.empty or decode_text(self.data, self.encoding), self.text, self.edits)
            if self.edits
            else self.data
        )


@dataclass
class PatchedFiles:
    """Files by their real path; None: no file."""

    run: FileContext
    before: dict[Path, FileContent | None] = field(default_factory=dict[Path, FileContent | None])
    """On the disk."""
    after: dict[Path, FileContent | None] = field(default_factory=dict[Path, FileContent | None])

    def apply_patches(self, patches: Sequence[FilePatch]) -> None:
        """Apply the patches in order; raise ToolError, naming the file."""
        for patch in patches:
            try:
                _ACTIONS[patch.action](self, patch)
            except ToolError as refusal:
                where = f"`{patch.path}` (line {patch.line} of the patch)"
                raise ToolError(f"{where}: {refusal}. No file was changed") from refusal

    def has_seen(self, content: FileContent) -> bool:
        """Return whether the thread has seen the file as it was before the patch."""
        seen = self.run.seen.get(content.name)
        return not content.data or seen == hash_content(content.data)

    def create(self, patch: FilePatch) -> None:
        """Create a file that must not exist yet."""
        path = self._require_free_path(patch.path)
        name = self._to_name(path)
        empty = decode_file(self.run.workspace, name, b"")
        content = FileContent(
            name, encoding=empty.encoding, empty=empty, executable=patch.executable
        )
        if patch.content:
            content = replace(content, edits=(TextEdit(0, 0, patch.content),))
        self.after[path] = content

    def update(self, patch: FilePatch) -> None:
        """Change a file's text, path or executable bit."""
        path, content = self._require_file(patch.path)
        if patch.hunks:
            content = self._with_hunks(content, patch)
        if patch.executable is not None:
            content = replace(content, executable=patch.executable)
        if patch.target and self._resolve_path(patch.target) != path:
            self._check_no_link(patch.path)
            target = self._require_free_path(patch.target)
            self.after[path], path = None, target
        self.after[path] = content

    def delete(self, patch: FilePatch) -> None:
        """Remove a file that the thread has read; its text must be the one in the patch, if any."""
        path, content = self._require_file(patch.path)
        self._check_no_link(patch.path)
        if not self._is_fresh(content):
            raise ToolError("it has changed since you read it; read it again before you remove it")
        if patch.content is not None and content.text != patch.content:
            raise ToolError(
                "the patch does not remove the lines that the file has; read it again, or use "
                "`*** Delete File:`"
            )
        self.after[path] = None

    def _with_hunks(self, content: FileContent, patch: FilePatch) -> FileContent:
        fresh, text = self._is_fresh(content), content.text
        try:
            done = apply_hunks(text, patch.hunks, exact=not fresh)
        except ToolError as refusal:
            if fresh:
                raise
            raise ToolError(f"it has changed since you read it; {refusal}") from refusal
        return replace(
            content,
            edits=compose_edits(content.edits, done.edits),
            changes=(*content.changes, *done.changes),
        )

    def _is_fresh(self, content: FileContent) -> bool:
        """Return whether the thread knows the current content; raise ToolError if it never did."""
        if content.data and content.name not in self.run.seen:
            raise ToolError("it has not been read yet; `read_file` it first")
        return self.has_seen(content)

    def _require_file(self, name: str) -> tuple[Path, FileContent]:
        path = self._resolve_path(name)
        content = self._load_content(path)
        if content is None:
            if self.before[path]:
                raise ToolError("the patch itself has removed it before")
            resolve_existing(self.run.workspace, name)
            raise ToolError("it does not exist any more")
        return path, content

    def _require_free_path(self, name: str) -> Path:
        path = self._resolve_path(name)
        if name.endswith("/"):
            raise ToolError(f"`{name}` names a folder; name the file in it")
        if self._load_content(path) is not None:
            raise ToolError(
                f"`{self._to_name(path)}` exists already; update it, or remove it first"
            )
        return path

    def _resolve_path(self, name: str) -> Path:
        return resolve_write_path(self.run.workspace, name)

    def _to_name(self, path: Path) -> str:
        return self.run.workspace.to_relative(path)

    def _load_content(self, path: Path) -> FileContent | None:
        if path not in self.after:
            self.before[path] = self.after[path] = self._read_content(path)
        return self.after[path]

    def _read_content(self, path: Path) -> FileContent | None:
        stat_result = stat_writable(self.run.workspace, path)
        if stat_result is None:
            return None
        workspace, name = self.run.workspace, self._to_name(path)
        data = read_bytes(workspace, path)
        encoding = choose_encoding(workspace, name, data)
        return FileContent(name, data, encoding=encoding, like=stat_result)

    def _check_no_link(self, name: str) -> None:
        if os.path.islink(os.path.normpath(self.run.workspace.root / name)):
            raise ToolError("it is a link, and only links' targets can be patched")


_ACTIONS = {
    "create": PatchedFiles.create,
    "update": PatchedFiles.update,
    "delete": PatchedFiles.delete,
}
