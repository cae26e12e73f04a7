import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.config.security.private_files import (
    create_file,
    make_private_folder,
    open_private,
    replace_file,
    restrict_to_owner,
)

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of another user")


@pytest.fixture(autouse=True)
def _open_umask() -> object:
    old = os.umask(0)
    yield
    os.umask(old)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_and_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "c"
    make_private_folder(folder)
    make_private_folder(folder)
    with open(folder / "file", "w", opener=open_private) as file:
        file.write("x")
    assert [mode(location) for location in (folder, folder.parent, tmp_path / "a")] == [0o700] * 3
    assert mode(folder / "file") == 0o600


def test_where_a_file_lies_no_folder_is_made(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "a")


def test_a_folder_that_was_open_is_shut(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o777)
    (data / "threads.db").touch(0o666)
    assert paths.ensure_data_folder(tmp_path) == data
    assert mode(data) == 0o700


@pytest.mark.parametrize("text", ["threads.db", "outputs", "outputs/thread", "errors"])
def test_a_link_that_others_could_plant_is_reported(tmp_path: Path, text: str) -> None:
    elsewhere, data = tmp_path / "elsewhere", tmp_path / "home" / "data"
    elsewhere.mkdir()
    data.mkdir(mode=0o777, parents=True)
    (data / text).parent.mkdir(exist_ok=True)
    (data / text).symlink_to(elsewhere)
    with pytest.raises(MaxAgentError, match="not yours, or a link") as error_info:
        paths.ensure_data_folder(tmp_path / "home")
    assert text in error_info.value.message
    assert mode(data) == 0o700


def test_own_link_in_private_folder_is_accepted(tmp_path: Path) -> None:
    elsewhere, data = tmp_path / "elsewhere", tmp_path / "data"
    elsewhere.mkdir(mode=0o700)
    data.mkdir(mode=0o700)
    (data / "outputs").symlink_to(elsewhere)
    assert paths.ensure_data_folder(tmp_path) == data


@as_root
@pytest.mark.parametrize("whose", ["data", "data/threads.db"])
def test_what_belongs_to_another_user_is_not_used(tmp_path: Path, whose: str) -> None:
    (tmp_path / "data").mkdir(mode=0o777)
    (tmp_path / "data" / "threads.db").touch()
    os.chown(tmp_path / whose, 12345, 12345)
    with pytest.raises(MaxAgentError, match="not yours"):
        paths.ensure_data_folder(tmp_path)


@as_root
def test_replaced_file_keeps_its_foreign_owner(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    replace_file(file, b"old")
    os.chown(file, 12345, 54321)
    replace_file(file, b"new", 0o640)
    status = file.stat()
    assert (status.st_uid, status.st_gid, mode(file)) == (12345, 54321, 0o640)
    assert file.read_bytes() == b"new"


def test_a_private_folder_is_not_searched(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "link").symlink_to("nowhere")
    assert restrict_to_owner(tmp_path / "data") is None


BAD_PLACES = ["file", "link", "folder", "missing/new", "file/new"]


@pytest.mark.parametrize("name", BAD_PLACES)
def test_create_file_refuses_what_is_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError):
        create_file(tmp_path / name, b"new")
    assert (sorted(tmp_path.iterdir()), (tmp_path / "file").read_text()) == (before, "old")


NAMES = ["plain", "new\nline", "n" * 255, "é" * 127, os.fsdecode(b"lat\xe9"), "-rf", ".hidden"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_created_and_replaced(tmp_path: Path, name: str) -> None:
    create_file(tmp_path / name, b"one")
    assert (mode(tmp_path / name), (tmp_path / name).read_bytes()) == (0o600, b"one")
    replace_file(tmp_path / name, b"two")
    assert (os.listdir(tmp_path), (tmp_path / name).read_bytes()) == ([name], b"two")


CREATION = """
import sys
from pathlib import Path
from maxagent.config.security.private_files import create_file
create_file(Path(sys.argv[1]), b"x" * 1_000_000)
"""


@pytest.mark.parametrize("size", [0, 1, 4096, 500_000, 999_999])
def test_kill_while_a_file_is_created_leaves_nothing(tmp_path: Path, size: int) -> None:
    """The system kills the process at that size of the file."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

    command = [sys.executable, "-Bc", CREATION.replace("import sys", KILLABLE), tmp_path / "new"]
    ended = subprocess.run(command, preexec_fn=limit)
    assert (ended.returncode, os.listdir(tmp_path)) == (-signal.SIGXFSZ, [])


# Python ignores the signal otherwise
KILLABLE = "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)"
