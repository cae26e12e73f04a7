"""Texts that the user has consented to, by digest: a later question shows what has changed."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import lock_folder, replace_file
from ...config.security.redaction import redact
from ..workspace import Workspace
from .git_origins import SETTINGS
from .origin import Origin

# Most texts that are kept; the oldest go first, and their changes are shown without the old text
MAX_TEXTS = 2_000
_DIGEST = re.compile(r"[0-9a-f]{64}")


def keep_texts(home: Path, origins: Iterable[Origin], workspace: Workspace) -> None:
    """Keep what is written in each origin, without secrets; what cannot be kept is left out.

    Of files outside the project, and of those that no tool may read, nothing is kept.
    """
    folder = _locate_folder(home)
    with suppress(OSError):
        missing = [
            origin
            for origin in origins
            if _is_missing(folder, origin) and _may_be_kept(origin, workspace)
        ]
        if not missing:
            return
        with lock_folder(folder):
            for origin in missing:
                file = folder / origin.provenance.digest
                replace_file(file, redact(origin.text).encode(errors="replace"))
            _remove_oldest(folder)


def read_kept_text(home: Path, digest: str) -> str | None:
    """Return a kept text; None if there is none."""
    if not _DIGEST.fullmatch(digest):
        return None
    with suppress(OSError):
        return (_locate_folder(home) / digest).read_text(encoding="utf-8")
    return None


def _is_missing(folder: Path, origin: Origin) -> bool:
    digest = origin.provenance.digest
    return bool(origin.text and _DIGEST.fullmatch(digest)) and not (folder / digest).exists()


def _may_be_kept(origin: Origin, workspace: Workspace) -> bool:
    subject, source = origin.provenance.subject, origin.provenance.source
    if subject == SETTINGS or subject.startswith("server "):  # chosen lines and masked ones
        return True
    root = os.path.realpath(workspace.root)
    is_inside = Path(os.path.realpath(workspace.root / source)).is_relative_to(root)
    return is_inside and not workspace.is_ignored(source)


def _remove_oldest(folder: Path) -> None:
    with os.scandir(folder) as entries:
        by_age = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries)
    for _, path in by_age[: max(0, len(by_age) - MAX_TEXTS)]:
        os.unlink(path)


def _locate_folder(home: Path) -> Path:
    return home / "data" / "consents"
