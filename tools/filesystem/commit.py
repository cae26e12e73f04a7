"""Prepare, stage and commit changes of files; every write of a tool goes through here.

One file: `commit_changes(context, path, old, text, pieces)`. Several, in a worker thread:

    with lock_files(*paths), ExitStack() as stages, ExitStack() as back:
        …read, decode, change…
        prepared = [prepare_change(…), prepare_removal(…)]     # may fail; nothing is written
        staged = [stages.enter_context(stage_change(run, one)) for one in prepared]   # disk full
        for one in staged:
            saved.append(one.commit())                         # in place
            back.callback(revert_change, run.workspace, one.prepared)
        back.pop_all()                                         # nothing failed: nothing goes back
"""

import os
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config.security.private_files import make_private_folder
from ..result import ToolError
from ..textedits.unified_diff import build_diff, count_changes, shorten_diff
from ..workspace import Workspace
from .atomic_write import AtomicWriter, write_atomic
from .file_access import (
    find_missing_folders,
    get_stat,
    hash_content,
    read_bytes,
    remove_file,
    remove_folder,
    stat_writable,
    translate_os_errors,
)
from .file_context import FileContext
from .text_codec import DecodedText, decode_file, encode_text, to_printable

if TYPE_CHECKING:
    from ..textedits.text_edits import TextEdit

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# characters of a diff that are kept
MAX_DIFF_LENGTH = 100_000


def store_backup(backups: Path, name: str, data: bytes, mode: int) -> Path:
    """Write a private backup `<backups>/<number>/<name>` and return its path.

    `name` is the path relative to the project. Raises ToolError when it cannot be written: then the
    file is not overwritten either.
    """
    with translate_os_errors(f"no backup of `{name}` could be kept, so nothing was changed"):
        file = _create_next_folder(backups) / name
        make_private_folder(file.parent)
        try:
            with os.fdopen(os.open(file, FLAGS, mode & 0o700 | 0o600), "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            discard_backup(backups, file)
            raise
    return file


def discard_backup(backups: Path, file: Path) -> None:
    """Remove a backup of a file that was not overwritten after all."""
    file.unlink(missing_ok=True)
    for folder in file.parents:
        if folder == backups:
            return
        with suppress(OSError):
            folder.rmdir()


def _create_next_folder(backups: Path) -> Path:
    """Create the folder with the next number."""
    # another call may take the same number at the same time: then try the one after it
    make_private_folder(backups)
    number = max((int(name) for name in os.listdir(backups) if name.isdecimal()), default=0)
    while True:
        number += 1
        with suppress(FileExistsError):
            folder = backups / f"{number:04}"
            folder.mkdir(mode=0o700)
            return folder


@dataclass(frozen=True)
class PreparedChange:
    """A checked change of one file; nothing is written yet."""

    path: Path
    name: str
    """Relative to the project."""
    before: bytes | None
    """The file's bytes; None: there is no file."""
    after: bytes | None
    """What it will hold; None: the file is to be removed."""
    diff: str
    like: os.stat_result | None = None
    """Whose mode and owner the file has, or gets when it is new."""
    folders: tuple[Path, ...] = ()
    """Those that are missing, the outermost first."""


@dataclass(frozen=True)
class CommitResult:
    """What was written."""

    path: str
    diff: str
    added: int
    """Lines."""
    removed: int
    hash: str
    """The new content's, as `hash_content` has it; empty for a file that was removed."""
    backup: str = ""
    """Where the old content was kept; empty: it was not."""

    @property
    def counts(self) -> str:
        """The size of the change in short."""
        return f"+{self.added} -{self.removed}"

    @property
    def metadata(self) -> dict[str, Any]:
        """The same as facts of a tool's result."""
        facts = {
            "path": self.path,
            "paths": [self.path],
            "diff": self.diff,
            "added": self.added,
            "removed": self.removed,
        }
        return {**facts, "backup": self.backup} if self.backup else facts


@dataclass(frozen=True)
class StagedChange:
    """A prepared change whose new content is on the disk, not yet in its place."""

    prepared: PreparedChange
    workspace: Workspace
    writer: AtomicWriter | None
    """None: the file is to be removed."""
    kept: Path | None = None
    """The backup."""

    def commit(self) -> CommitResult:
        """Put the content in its place.

        Raises ToolError, and changes nothing, if the file has changed since it was prepared.
        """
        made = self.prepared
        if _read_current(self.workspace, made.path) != made.before:
            raise ToolError(
                f"`{made.name}` was changed by another program at this very moment; read it again"
            )
        if self.writer:
            self.writer.move_into_place()
        else:
            remove_file(self.workspace, made.path)
        diff = shorten_diff(to_printable(made.diff), MAX_DIFF_LENGTH)
        counts = count_changes(made.diff)
        new = "" if made.after is None else hash_content(made.after)
        return CommitResult(made.name, diff, *counts, new, str(self.kept or ""))


def commit_changes(
    run: FileContext,
    path: Path,
    old: DecodedText | None,
    text: str,
    pieces: "Sequence[TextEdit] | None" = None,
) -> CommitResult:
    """Write the text as the old one was written; `old` is None when there was no file.

    `pieces` say what changed in the old text, where that is known. Raises ToolError when it
    cannot be written; then nothing has changed.
    """
    with stage_change(run, prepare_change(run.workspace, path, old, text, pieces)) as staged:
        return staged.commit()


def prepare_change(
    workspace: Workspace,
    path: Path,
    old: DecodedText | None,
    text: str,
    pieces: "Sequence[TextEdit] | None" = None,
) -> PreparedChange:
    """Check a change; raise ToolError if it cannot be encoded or the file is not writable."""
    name, stat_result = workspace.to_relative(path), stat_writable(workspace, path)
    data = encode_text(old or decode_file(workspace, name, b""), text, pieces)
    diff = build_diff(old.text if old else None, text, name, pieces)
    missing = tuple(find_missing_folders(workspace, path))
    return PreparedChange(path, name, old.data if old else None, data, diff, stat_result, missing)


def prepare_removal(workspace: Workspace, path: Path, data: bytes) -> PreparedChange:
    """Check the removal of a file with this content; raise ToolError if it is not writable."""
    name, stat_result = workspace.to_relative(path), stat_writable(workspace, path)
    try:
        diff = build_diff(decode_file(workspace, name, data).text, None, name)
    except ToolError:
        diff = f"Binary files a/{name} and /dev/null differ\n"
    return PreparedChange(path, name, data, None, diff, stat_result)


@contextmanager
def stage_change(run: FileContext, prepared: PreparedChange) -> Generator[StagedChange]:
    """Write the new content and the backup to the disk; remove both unless committed.

    Raises ToolError with the system's reason, such as a full disk; then nothing has changed.
    """
    with ExitStack() as always, ExitStack() as failed:
        writing = None
        if prepared.after is not None:
            writing = AtomicWriter(run.workspace, prepared.path, prepared.after, prepared.like)
            always.callback(writing.drop)
        backup_file = _backup_old_content(run.backups, prepared)
        if run.backups and backup_file:
            failed.callback(discard_backup, run.backups, backup_file)
        yield StagedChange(prepared, run.workspace, writing, backup_file)
        failed.pop_all()


def revert_change(workspace: Workspace, prepared: PreparedChange) -> None:
    """Restore the content, mode and owner before a committed change, or remove the new file."""
    if prepared.before is not None:
        write_atomic(workspace, prepared.path, prepared.before, prepared.like)
        return
    remove_file(workspace, prepared.path)
    for folder in reversed(prepared.folders):
        remove_folder(workspace, folder)


def _backup_old_content(backups: Path | None, prepared: PreparedChange) -> Path | None:
    if backups is None or prepared.before is None:
        return None
    mode = prepared.like.st_mode if prepared.like else 0
    return store_backup(backups, prepared.name, prepared.before, mode)


def _read_current(workspace: Workspace, path: Path) -> bytes | None:
    return read_bytes(workspace, path) if get_stat(workspace, path) else None
