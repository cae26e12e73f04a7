"""Context of a call that reads and changes files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..workspace import Workspace


@dataclass(frozen=True)
class FileContext:
    """The project, what the thread has seen of it, and where old content is kept."""

    workspace: Workspace
    seen: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True)
    """Content hashes, as this thread last saw them, of the files that the call names."""
    backups: Path | None = field(default=None, kw_only=True)
    """Folder in which a file's old content is kept before it is overwritten; None: it is not."""
