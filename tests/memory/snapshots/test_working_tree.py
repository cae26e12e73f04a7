import os
from pathlib import Path

from maxagent.memory.snapshots.file_version import ABSENT, FILE, LINK, PROGRAM, UNKNOWN, Version
from maxagent.memory.snapshots.working_tree import blob_id, content_on_disk, version_on_disk


def test_files_on_disk_are_named_as_git_names_them(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old\n")
    (tmp_path / "program").write_bytes(b"old\n")
    (tmp_path / "program").chmod(0o700)
    (tmp_path / "link").symlink_to("target")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert {path.name: version_on_disk(tmp_path, path.name) for path in tmp_path.iterdir()} == {
        "file": Version(FILE, blob_id(b"old\n")),
        "program": Version(PROGRAM, blob_id(b"old\n")),
        "link": Version(LINK, blob_id(b"target")),
        "pipe": UNKNOWN,
        "folder": ABSENT,
    }
    assert version_on_disk(tmp_path, "missing/file") == ABSENT


def test_a_large_file_is_named_piece_by_piece(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    (tmp_path / "large").write_bytes(content)
    assert version_on_disk(tmp_path, "large") == Version(FILE, blob_id(content))


def test_the_content_of_a_link_is_its_target(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert content_on_disk(tmp_path, "file") == b"content"
    assert content_on_disk(tmp_path, "link") == b"file"
