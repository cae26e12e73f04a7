"""Reader of a project's own files: only files with the bytes in its trusted inventory."""

import os
from pathlib import Path

from ..errors import UsageError
from ..paths import locate_project_config
from ..security.content_digest import compute_digest
from ..text import text
from ..yaml.reader import YamlDocument, decode_utf8, parse_document, read_bytes
from .decision import Trust


def read_listed(file: Path, trust: Trust) -> YamlDocument | None:
    """Read the file; None if it does not exist. Raises UsageError if it has changed since."""
    content = read_listed_bytes(file.name, file.parent, trust)
    return None if content is None else parse_document(file, decode_utf8(file, content))


def is_empty_folder(folder: Path) -> bool:
    """Return whether an empty folder is in the file's place, as a sandbox may leave it."""
    try:
        return not os.listdir(locate_project_config(folder))
    except OSError:  # not a folder, or the reader of the file reports the error
        return False


def read_listed_bytes(path: str, folder: Path, trust: Trust) -> bytes | None:
    """Read the bytes of a file of any kind likewise; `path` is relative to the folder."""
    file = folder / path
    content = read_bytes(file)
    if content is not None:
        digests = {item.path: item.digest for item in trust.inventory}
        if compute_digest(folder, path, content) != digests.get(path):
            hint = "check it and try again"
            raise UsageError(text("{file}: changed while it was read", file=file), hint=hint)
    return content
