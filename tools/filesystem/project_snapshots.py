"""A project's snapshots, as runs and the commands that put files back take them alike."""

from pathlib import Path

from ...config import paths
from ...config.settings.schema import Settings
from ...memory.snapshots.store import Snapshots
from .plan_file import PLANS


def open_snapshots(folder: Path, home: Path, settings: Settings) -> Snapshots:
    """Plans are not of the files that a thread changes: an undo leaves them, nobody names them."""
    store = paths.ensure_data_folder(home) / "snapshots"
    patterns = (*settings.security.ignore_patterns, f"/{PLANS}/")
    return Snapshots(folder.resolve(), store, patterns)
