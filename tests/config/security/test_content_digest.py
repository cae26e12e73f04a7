import os
import socket
from pathlib import Path

import pytest

from maxagent.config.security.content_digest import UnreadableFileError, read_regular_file


def other(kind: str, place: Path) -> None:
    """What is no file: nothing that is read there, or waits to be."""
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "link":
        place.symlink_to(__file__)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(place))


def test_regular_file_is_read_up_to_given_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff12")
    assert [read_regular_file(str(tmp_path / "file"), most) for most in (0, 2, 9)] == [
        b"",
        b"\xff1",
        b"\xff12",
    ]


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "socket", "nothing"])
def test_file_replaced_before_open_is_unreadable_and_closed(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, opened = tmp_path / "AGENTS.md", os.open
    place.write_text("a file, as long as only its name was looked at")

    def changed(name: str, *rest: int) -> int:
        place.unlink()
        other(kind, place)
        return opened(name, *rest)

    monkeypatch.setattr(os, "open", changed)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(UnreadableFileError):
        read_regular_file(str(place), 9)
    assert len(os.listdir("/dev/fd")) == before
