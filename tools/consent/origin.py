"""Origins: what a call starts by a name or a path, with the text that decides what runs."""

import hashlib
import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...config.security.provenance import Provenance, compute_provenance_digest
from ..sensitive_paths import is_secret_path

# Bytes of a file that are kept as text; all of it is in the digest
MAX_TEXT = 200_000
# Bytes of files whose digest is remembered, and of those that are not read
_LARGE, _HUGE = 1_000_000, 200_000_000
_MAX_DIGESTS = 64
# Nanoseconds after which a file counts as written
_SETTLED = 2_000_000_000
_digests: dict[tuple[int, ...], str] = {}


@dataclass(frozen=True)
class Origin:
    """Something that a call starts, and what is written there now."""

    provenance: Provenance
    text: str = ""
    """What a person can compare; empty for what is not text, or a secret of the user."""


def build_origin(subject: str, source: str, text: str) -> Origin:
    """Return the origin of a written text, such as an entry of `package.json`."""
    return Origin(Provenance(subject, source, compute_provenance_digest(text)), text)


def build_unknown_origin(subject: str, source: str) -> Origin:
    """Return the origin of what cannot be looked at as a whole: no consent covers it."""
    return Origin(Provenance(subject, source, ""))


def read_file_origin(subject: str, file: Path, root: Path) -> Origin | None:
    """Return the origin of a regular file; None if there is none, without digest if unreadable."""
    source = name_source(file, root)
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:  # a zero byte
        return None
    except OSError:
        return build_unknown_origin(subject, source) if os.path.isfile(file) else None
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as stream:
        beginning = stream.read(MAX_TEXT)
        digest = _compute_digest(beginning, stream, state)
    is_shown = b"\0" not in beginning and not is_secret_path(Path(os.path.abspath(file)))
    text = beginning.decode(errors="replace") if is_shown else ""
    return Origin(Provenance(subject, source, digest), text)


def _compute_digest(beginning: bytes, stream: BinaryIO, state: os.stat_result) -> str:
    """Hash a file; the digest of a large one is remembered, and of a huge one that of its state.

    Nobody can set back the time of the last change (`ctime`).
    """
    key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    if state.st_size > _HUGE:
        return compute_provenance_digest("state", *map(str, key))
    if state.st_size > _LARGE and key in _digests:
        return _digests[key]
    digest = hashlib.sha256(beginning)
    while block := stream.read(MAX_TEXT):
        digest.update(block)
    # what has just changed may change again within one tick of the clock
    if state.st_size > _LARGE and time.time_ns() - state.st_ctime_ns > _SETTLED:
        if len(_digests) >= _MAX_DIGESTS:
            _digests.clear()
        if os.fstat(stream.fileno()).st_ctime_ns == state.st_ctime_ns:
            _digests[key] = digest.hexdigest()
    return digest.hexdigest()


def name_source(file: Path, root: Path) -> str:
    """Return the path of a file relative to the project; absolute if it is outside."""
    path = os.path.normpath(file)
    return os.path.relpath(path, root) if Path(path).is_relative_to(root) else path


def list_unique(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """Return the origins without duplicates, sorted."""
    unique = {origin.provenance: origin for origin in origins}
    return tuple(unique[key] for key in sorted(unique))
