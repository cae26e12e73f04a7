"""Record of a worktree: whose it is, and what it was made from.

Whoever works in a worktree cannot change its record, which is beside its folder:
`data/worktrees/STORE/NAME/record.json` and `data/worktrees/STORE/NAME/PROJECT/…`.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ..snapshots.storage import locate_worktrees, write_atomically

_RECORD = "record.json"


@dataclass(frozen=True)
class Worktree:
    """A copy of a project's files; paths are absolute and without links."""

    folder: Path
    """The copy of the project's folder, where the agent works."""
    top: Path
    """The top of the copied repository; the same folder if the project is not below it."""
    project: Path
    """The project's folder."""
    repository: Path | None
    """The top of the project's own repository; None if it has none."""
    objects: Path | None
    """Where the project's repository keeps its objects, which the copy reads."""
    base: str
    """The snapshot that it was made from."""
    thread_id: str
    """The thread that it belongs to: without the thread it is left over."""
    key: str
    """What tells it from the thread's other worktrees."""

    @property
    def container(self) -> Path:
        """The folder of the record and of all that belongs to the worktree."""
        return self.top.parent


def locate_worktree(store: Path, thread_id: str, key: str) -> Path:
    """Return the container of a worktree of the project whose snapshots are in `store`."""
    name = hashlib.sha256(f"{thread_id}\0{key}".encode()).hexdigest()[:16]
    return locate_worktrees(store.parent) / store.name / name


def save_record(worktree: Worktree) -> None:
    """Record a worktree that is complete."""
    fields = {name: value and str(value) for name, value in asdict(worktree).items()}
    write_atomically(worktree.container / _RECORD, json.dumps(fields).encode())


def read_record(container: Path) -> Worktree | None:
    """Return the worktree in a container; None if it is not complete."""
    try:
        fields: dict[str, str | None] = json.loads((container / _RECORD).read_text())
        repository, objects = fields["repository"], fields["objects"]
        return Worktree(
            folder=Path(fields["folder"] or ""),
            top=Path(fields["top"] or ""),
            project=Path(fields["project"] or ""),
            repository=Path(repository) if repository else None,
            objects=Path(objects) if objects else None,
            base=fields["base"] or "",
            thread_id=fields["thread_id"] or "",
            key=fields["key"] or "",
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def delete_record(container: Path) -> None:
    """Delete the record first, so that a removal that is killed leaves nothing that looks whole."""
    (container / _RECORD).unlink(missing_ok=True)


def find_worktree(folder: Path, home: Path) -> Worktree | None:
    """Return the worktree that a folder is, or lies in; None if it is in none."""
    worktrees = locate_worktrees(home / "data" / "snapshots")
    if not folder.is_relative_to(worktrees):
        return None
    parts = folder.relative_to(worktrees).parts
    return read_record(worktrees / parts[0] / parts[1]) if len(parts) > 2 else None


def list_containers(home: Path) -> Iterator[Path]:
    """Yield the containers of all worktrees, also of those that are not complete."""
    worktrees = locate_worktrees(home / "data" / "snapshots")
    if worktrees.is_dir():
        yield from (path for path in worktrees.glob("*/*") if path.is_dir())


def list_worktrees(home: Path) -> list[Worktree]:
    """List all complete worktrees."""
    return [known for path in list_containers(home) if (known := read_record(path))]
