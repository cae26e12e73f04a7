"""Write a changed text back into its file, and say what changed."""

from dataclasses import dataclass
from pathlib import Path

from .diff import count_changes, unified
from .files import content_hash, write_atomic
from .text import Decoded, encode, printable
from .workspace import Workspace

LONGEST_DIFF = 100_000
"""Characters of a diff that are kept."""


@dataclass(frozen=True)
class Saved:
    """What was written."""

    path: str
    diff: str
    added: int
    """Lines."""
    removed: int
    hash: str
    """The new content's, as `content_hash` has it."""

    @property
    def counts(self) -> str:
        """The size of the change in short."""
        return f"+{self.added} -{self.removed}"


def save(workspace: Workspace, path: Path, old: Decoded | None, text: str) -> Saved:
    """Write the text as the old one was written; `old` is None when there was no file.

    Raises ToolRefusal when it cannot be written; then nothing has changed.
    """
    name = workspace.relative(path)
    data = encode(old or Decoded(""), text)
    write_atomic(workspace, path, data)
    diff = unified(old.text if old else None, text, name)
    added, removed = count_changes(diff)
    return Saved(name, _short(printable(diff)), added, removed, content_hash(data))


def _short(diff: str) -> str:
    if len(diff) <= LONGEST_DIFF:
        return diff
    kept = diff[: diff.rfind("\n", 0, LONGEST_DIFF) + 1]
    more = diff.count("\n") - kept.count("\n")
    return f"{kept}[… {more:,} more lines]\n"
