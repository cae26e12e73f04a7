import os
import socket
import sys
from pathlib import Path

import pytest

from maxagent.tools.sandbox.unix_sockets import find_listening_sockets


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its sockets")
def test_a_listener_is_found_by_its_real_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to("real")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "way" / "a b.sock"))
        one.listen()
        assert Path(os.path.realpath(tmp_path / "real" / "a b.sock")) in find_listening_sockets()


def test_abstract_relative_and_missing_sockets_are_skipped(tmp_path: Path) -> None:
    listed = tmp_path / "unix"
    head = "Num RefCount Protocol Flags Type St Inode Path\n"
    row = "0: 2 0 10000 0001 01 5"
    listed.write_text(f"{head}{row}\n{row} @abstract\n{row} own.sock\n{row} {tmp_path}/gone\n")
    assert find_listening_sockets(listed) == []
    assert find_listening_sockets(tmp_path / "nothing") == []
