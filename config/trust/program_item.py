"""One program that a trusted folder may start, with what its user is shown of it."""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from ..security.content_digest import (
    UnreadableFileError,
    decode_beginning,
    hash_content,
    read_regular_file,
    resolve_real_path,
)
from ..security.provenance import Provenance, compute_provenance_digest
from ..text import text

PACKAGE_FILE = "package.json"
ProgramKind = Literal["git", "hook", "server", "script"]
# Most characters that are kept of what a consent has shown, for the next question
MAX_SHOWN = 4_000
# Most bytes of a program
MAX_PROGRAM_BYTES = 200_000_000
# Digests of larger files are remembered while the file stays the same
_REMEMBERED_BYTES = 1_000_000


@dataclass(frozen=True)
class ProgramItem:
    """One setting, hook, server or script that starts a program."""

    kind: ProgramKind
    provenance: Provenance
    shown: str = ""
    """What the user is shown: the value of a setting, the command of a server, a script's text."""
    problem: str = ""
    """Why it cannot be read; a folder with such a program is never trusted."""

    @property
    def path(self) -> str:
        """Return the file that it is in, or that says it."""
        return self.provenance.source

    @property
    def file(self) -> str:
        """Return a script's file, which a name such as `package.json: lint` begins with."""
        folder, found, _ = self.name.partition(f"{PACKAGE_FILE}: ")
        return folder + PACKAGE_FILE if found else self.name

    @property
    def name(self) -> str:
        """Return the subject without its kind: the script's path, the server's name."""
        return self.provenance.subject.partition(" ")[2]


def name_subject(kind: ProgramKind, name: str) -> str:
    """Return the subject of a program's provenance."""
    return f"{kind} {name}"


def build_file_item(kind: ProgramKind, root: str, path: str, source: str = "") -> ProgramItem:
    """Build the item of a file that is started: `path` is relative to the project, or absolute."""
    subject = name_subject(kind, path)
    try:
        digest, content = read_program(root, path)
    except UnreadableFileError as error:
        return ProgramItem(kind, Provenance(subject, source or path, ""), problem=str(error))
    shown = decode_beginning(content, MAX_SHOWN)
    return ProgramItem(kind, Provenance(subject, source or path, digest), shown)


def read_program(root: str, path: str) -> tuple[str, bytes]:
    """Read the digest and the beginning of a program; raises UnreadableFileError.

    A project's link to a file elsewhere counts by its target: the project decides nothing more.
    """
    if os.path.isabs(path):
        return _hash_file(root, os.path.realpath(path))
    try:
        real = resolve_real_path(root, path)
    except UnreadableFileError:
        target = os.path.realpath(os.path.join(root, path))
        if not os.path.isfile(target):
            raise
        return compute_provenance_digest("link", path, target), b""
    return _hash_file(root, real)


def _hash_file(root: str, real: str) -> tuple[str, bytes]:
    try:
        state = os.stat(real)
    except OSError as error:
        raise UnreadableFileError(
            text("cannot be read: {reason}", reason=error.strerror)
        ) from error
    if state.st_size > MAX_PROGRAM_BYTES:
        raise UnreadableFileError("too large")
    if state.st_size > _REMEMBERED_BYTES:
        known = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        return _hash_large(root, real, known), b""
    content = read_regular_file(real, _REMEMBERED_BYTES + 1)
    return hash_content(root, real, content), content


@lru_cache(maxsize=64)
def _hash_large(root: str, real: str, state: tuple[int, ...]) -> str:
    return hash_content(root, real, read_regular_file(real, MAX_PROGRAM_BYTES))


def to_source(root: str, file: Path) -> str:
    """Return the name of a file: relative to the project, or absolute outside of it."""
    path = os.path.normpath(file)
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path
