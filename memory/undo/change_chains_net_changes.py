"""What several entries of a file history come to: each file once, from its first to its last."""

from collections.abc import Sequence

from ..snapshots.file_version import Change, visible
from ..snapshots.git_objects import Lost
from ..snapshots.store import Snapshots
from .change_chains import chains
from .history import Entry


def net_changes(entries: Sequence[Entry]) -> tuple[Change, ...]:
    """Each changed file once, by path; what ended as it began is left out."""
    ends = (Change(path, runs[0].old, runs[-1].new) for path, runs in chains(entries).items())
    return tuple(visible(change for change in ends if change.old != change.new))


async def net_diff(snapshots: Snapshots, entries: Sequence[Entry]) -> str:
    """The entries' changes as one unified diff; what others did to the same files meanwhile is
    part of it. Where the snapshots are lost, words that say so.
    """
    done = [entry for entry in entries if entry.state == "done"]
    paths = [change.path for change in net_changes(done)]
    try:
        return await snapshots.diff(done[0].before, done[-1].after, paths) if paths else ""
    except Lost as error:
        return f"{error.message}\n"
