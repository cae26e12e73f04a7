from kept import Kept, write

from maxagent.config import paths
from maxagent.sdk.sizes import database_size, folder_size, snapshot_sizes, thread_sizes


async def test_what_is_kept_for_a_thread_is_counted(kept: Kept) -> None:
    assert thread_sizes([kept.row], kept.home) == {kept.row.thread_id: 0}
    for kind in (paths.outputs_folder, paths.backups_folder):
        folder = kind(kept.home, kept.row.thread_id) / "below"
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 700)
    assert thread_sizes([kept.row], kept.home) == {kept.row.thread_id: 1400}


async def test_snapshots_are_counted_by_folder(kept: Kept) -> None:
    assert snapshot_sizes([kept.row], kept.home) == {}
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    assert snapshot_sizes([kept.row], kept.home)[kept.folder] > 1000
    assert snapshot_sizes([], kept.home) == {}


def test_the_database_is_counted(kept: Kept) -> None:
    assert database_size(kept.home) >= 4096
    assert folder_size(kept.home / "none") == 0
