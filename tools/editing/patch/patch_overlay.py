"""The files of a project as a patch leaves them: in memory until all of it fits."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...filesystem.file_access import content_hash, read_bytes, writable, written_path
from ...filesystem.listing import existing
from ...filesystem.text_codec import decode, encode
from ...result import ToolRefusal, ToolRun
from ...textedits.compose import compose
from ...textedits.text_edits import Change, Piece, put
from .apply_hunks import change_hunks
from .file_patch import FilePatch


@dataclass(frozen=True)
class Content:
    """What a file holds, or will hold."""

    name: str
    """Of the file that it was read from, relative to the project; of a new one its own."""
    data: bytes = b""
    """As it was read; empty for a new file."""
    pieces: tuple[Piece, ...] = ()
    """What changes in the text of `data`."""
    like: os.stat_result | None = None
    """Of the file that it was read from; None for a new one."""
    executable: bool | None = None
    """Whether it is to be a program; None leaves that as it is."""
    changes: tuple[Change, ...] = ()
    """What was done by hunks."""

    @property
    def text(self) -> str:
        """Its text now; raises ToolRefusal for a binary file."""
        return put(decode(self.data).text, self.pieces)

    @property
    def bytes(self) -> bytes:
        """What is to be written; raises ToolRefusal when the file's encoding cannot hold it."""
        return encode(decode(self.data), self.text, self.pieces) if self.pieces else self.data


@dataclass
class PatchedFiles:
    """Files by their real path; None is no file."""

    run: ToolRun
    before: dict[Path, Content | None] = field(default_factory=dict[Path, Content | None])
    """On the disk."""
    after: dict[Path, Content | None] = field(default_factory=dict[Path, Content | None])

    def carry_out(self, patches: Sequence[FilePatch]) -> None:
        """What the patch says, in its order; raises ToolRefusal, naming the file that is wrong."""
        for patch in patches:
            try:
                _CARRY_OUT[patch.action](self, patch)
            except ToolRefusal as refusal:
                where = f"`{patch.path}` (line {patch.line} of the patch)"
                raise ToolRefusal(f"{where}: {refusal}. No file was changed") from refusal

    def knows(self, content: Content) -> bool:
        """Whether the thread has seen the file as it was before the patch."""
        seen = self.run.seen.get(content.name)
        return not content.data or seen == content_hash(content.data)

    def create(self, patch: FilePatch) -> None:
        """A file that must not be there yet."""
        path = self._free(patch.path)
        content = Content(self._name(path), executable=patch.executable)
        if patch.content:
            content = replace(content, pieces=(Piece(0, 0, patch.content),))
        self.after[path] = content

    def update(self, patch: FilePatch) -> None:
        """Change what stands in a file, where it is, or whether it is a program."""
        path, content = self._there(patch.path)
        if patch.hunks:
            content = self._with_hunks(content, patch)
        if patch.executable is not None:
            content = replace(content, executable=patch.executable)
        if patch.target and self._path(patch.target) != path:
            self._check_no_link(patch.path)
            target = self._free(patch.target)
            self.after[path], path = None, target
        self.after[path] = content

    def delete(self, patch: FilePatch) -> None:
        """Remove a file that the thread knows; one whose text the patch shows must have that."""
        path, content = self._there(patch.path)
        self._check_no_link(patch.path)
        if not self._is_fresh(content):
            raise ToolRefusal(
                "it has changed since you read it; read it again before you remove it"
            )
        if patch.content is not None and content.text != patch.content:
            raise ToolRefusal(
                "the patch does not take out the lines that the file has; read it again, or use "
                "`*** Delete File:`"
            )
        self.after[path] = None

    def _with_hunks(self, content: Content, patch: FilePatch) -> Content:
        fresh, text = self._is_fresh(content), content.text
        try:
            done = change_hunks(text, patch.hunks, exact=not fresh)
        except ToolRefusal as refusal:
            if fresh:
                raise
            raise ToolRefusal(f"it has changed since you read it; {refusal}") from refusal
        return replace(
            content,
            pieces=compose(content.pieces, done.pieces),
            changes=(*content.changes, *done.changes),
        )

    def _is_fresh(self, content: Content) -> bool:
        """Whether the thread knows the file as it is; raises ToolRefusal when it never read it."""
        if content.data and content.name not in self.run.seen:
            raise ToolRefusal("it has not been read yet; `read_file` it first")
        return self.knows(content)

    def _there(self, name: str) -> tuple[Path, Content]:
        path = self._path(name)
        content = self._now(path)
        if content is None:
            if self.before[path]:
                raise ToolRefusal("the patch itself has taken it away before")
            existing(self.run.workspace, name)
            raise ToolRefusal("it is not there any more")
        return path, content

    def _free(self, name: str) -> Path:
        path = self._path(name)
        if name.endswith("/"):
            raise ToolRefusal(f"`{name}` names a folder; name the file in it")
        if self._now(path) is not None:
            raise ToolRefusal(f"`{self._name(path)}` exists already; update it, or remove it first")
        return path

    def _path(self, name: str) -> Path:
        return written_path(self.run.workspace, name)

    def _name(self, path: Path) -> str:
        return self.run.workspace.relative(path)

    def _now(self, path: Path) -> Content | None:
        if path not in self.after:
            self.before[path] = self.after[path] = self._read(path)
        return self.after[path]

    def _read(self, path: Path) -> Content | None:
        found = writable(self.run.workspace, path)
        if found is None:
            return None
        return Content(self._name(path), read_bytes(self.run.workspace, path), like=found)

    def _check_no_link(self, name: str) -> None:
        if os.path.islink(os.path.normpath(self.run.workspace.root / name)):
            raise ToolRefusal("it is a link, and only links' targets can be patched")


_CARRY_OUT = {
    "create": PatchedFiles.create,
    "update": PatchedFiles.update,
    "delete": PatchedFiles.delete,
}
