"""Reading the project's own file: only the very bytes that a look at the folder has listed."""

from pathlib import Path

from .brought import known_by
from .errors import UsageError
from .trust import Trust
from .yaml_file import Document, decode, parse, read_bytes


def read_listed(file: Path, found: Trust) -> Document | None:
    """What the file says; None when there is none. Raises UsageError when it changed since."""
    content = read_bytes(file)
    if content is None:
        return None
    listed = {one.path: one.digest for one in found.brought}
    if known_by(file.parent, file.name, content) != listed.get(file.name):
        raise UsageError(f"{file}: changed while it was looked at", hint="look at it and try again")
    return parse(file, decode(file, content))
