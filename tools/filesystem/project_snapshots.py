"""The snapshots of a project, for runs and for the commands that restore files."""

from pathlib import Path

from ...config import paths
from ...config.plan_files import PLANS
from ...config.settings.schema import Settings
from ...memory.snapshots.store import Snapshots


def open_snapshots(folder: Path, home: Path, settings: Settings) -> Snapshots:
    """Open the snapshots of a project."""
    # a plan is not a file that a thread changes: an undo leaves it alone
    store = paths.ensure_data_folder(home) / "snapshots"
    patterns = (*settings.security.ignore_patterns, f"/{PLANS}/")
    return Snapshots(folder.resolve(), store, patterns, settings.storage)
