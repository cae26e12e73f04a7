"""Record of a worktree: its thread, and the snapshot that it was created from.

An agent in a worktree cannot change the record, which is outside of its folder:
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
    """The snapshot that it was created from."""
    thread_id: str
    """The thread that it belongs to; when the thread is gone, the worktree can be deleted."""
    key: str
    """Identifies it among the thread's worktrees."""
    has_own_thread: bool = False
    """Whether another thread works in it, with a file history of its own."""

    @property
    def container(self) -> Path:
        """The folder of the worktree and its record."""
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
            has_own_thread=bool(fields.get("has_own_thread")),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def delete_record(container: Path) -> None:
    """Delete the record, first of all: what a killed removal leaves then counts as incomplete."""
    (container / _RECORD).unlink(missing_ok=True)


def find_worktree(folder: Path, home: Path) -> Worktree | None:
    """Return the worktree that contains a folder; None if none does."""
    worktrees = locate_worktrees(home / "data" / "snapshots")
    if not folder.is_relative_to(worktrees):
        return None
    parts = folder.relative_to(worktrees).parts
    return read_record(worktrees / parts[0] / parts[1]) if len(parts) > 2 else None


def find_origins(folder: Path, home: Path) -> tuple[Path, ...]:
    """Return the project of a worktree; before it the worktree that this one was made from."""
    worktree = find_worktree(folder, home)
    return (worktree.project, *find_origins(worktree.project, home)) if worktree else ()


def list_containers(home: Path) -> Iterator[Path]:
    """Yield the containers of all worktrees, including incomplete ones."""
    worktrees = locate_worktrees(home / "data" / "snapshots")
    if worktrees.is_dir():
        yield from (path for path in worktrees.glob("*/*") if path.is_dir())


def list_worktrees(home: Path) -> list[Worktree]:
    """List all complete worktrees."""
    return [worktree for path in list_containers(home) if (worktree := read_record(path))]
