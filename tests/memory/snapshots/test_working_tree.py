import os
from pathlib import Path

from maxagent.memory.snapshots.file_version import ABSENT, FILE, LINK, PROGRAM, UNKNOWN, FileVersion
from maxagent.memory.snapshots.working_tree import hash_blob, read_content, read_version


def test_disk_version_matches_git_blob_id(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old\n")
    (tmp_path / "program").write_bytes(b"old\n")
    (tmp_path / "program").chmod(0o700)
    (tmp_path / "link").symlink_to("target")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert {path.name: read_version(tmp_path, path.name) for path in tmp_path.iterdir()} == {
        "file": FileVersion(FILE, hash_blob(b"old\n")),
        "program": FileVersion(PROGRAM, hash_blob(b"old\n")),
        "link": FileVersion(LINK, hash_blob(b"target")),
        "pipe": UNKNOWN,
        "folder": ABSENT,
    }
    assert read_version(tmp_path, "missing/file") == ABSENT


def test_a_large_file_is_named_piece_by_piece(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    (tmp_path / "large").write_bytes(content)
    assert read_version(tmp_path, "large") == FileVersion(FILE, hash_blob(content))


def test_the_content_of_a_link_is_its_target(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert read_content(tmp_path, "file") == b"content"
    assert read_content(tmp_path, "link") == b"file"
