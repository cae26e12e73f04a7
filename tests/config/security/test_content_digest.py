import os
import socket
from pathlib import Path

import pytest

from maxagent.config.security.content_digest import UnreadableFileError, read_regular_file


def other(kind: str, target_path: Path) -> None:
    """What is no file: nothing that is read there, or waits to be."""
    if kind == "pipe":
        os.mkfifo(target_path)
    elif kind == "folder":
        target_path.mkdir()
    elif kind == "link":
        target_path.symlink_to(__file__)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(target_path))


def test_regular_file_is_read_up_to_given_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff12")
    assert [read_regular_file(str(tmp_path / "file"), number) for number in (0, 2, 9)] == [
        b"",
        b"\xff1",
        b"\xff12",
    ]


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "socket", "nothing"])
def test_file_replaced_before_open_is_unreadable_and_closed(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, opened = tmp_path / "AGENTS.md", os.open
    location.write_text("a file, as long as only its name was looked at")

    def changed(name: str, *number: int) -> int:
        location.unlink()
        other(kind, location)
        return opened(name, *number)

    monkeypatch.setattr(os, "open", changed)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(UnreadableFileError):
        read_regular_file(str(location), 9)
    assert len(os.listdir("/dev/fd")) == before
