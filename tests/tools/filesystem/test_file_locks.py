"""One writer at a time, of threads and of processes, and nobody waits for himself."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maxagent.tools.filesystem import file_locks as module
from maxagent.tools.filesystem.file_locks import exclusive
from maxagent.tools.result import ToolRefusal

HOLD = """
import sys
from pathlib import Path
from maxagent.tools.filesystem.file_locks import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def free(folder: Path) -> bool:
    """Whether another process could hold the folder now."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def test_only_one_thread_has_a_file_at_a_time(tmp_path: Path) -> None:
    inside, most, entered = 0, 0, threading.Barrier(8)

    def work() -> None:
        nonlocal inside, most
        entered.wait(60)
        for _ in range(50):
            with exclusive(tmp_path / "a"):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_different_files_are_held_together_also_in_one_folder(tmp_path: Path) -> None:
    with exclusive(tmp_path / "a"), exclusive(tmp_path / "b"):
        assert not free(tmp_path)
    assert free(tmp_path)


def test_several_files_are_held_at_once_in_any_order_without_a_deadlock(tmp_path: Path) -> None:
    def work(*names: str) -> None:
        for _ in range(200):
            with exclusive(*(tmp_path / name for name in names)):
                pass

    threads = [
        threading.Thread(target=work, args=names)
        for names in (("a", "b/c"), ("b/c", "a"), ("a", "a", "b/c"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def test_a_file_in_a_missing_folder_is_held_by_the_folder_above(tmp_path: Path) -> None:
    with exclusive(tmp_path / "not/yet/a"):
        assert not free(tmp_path)


def test_another_process_is_waited_for_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "a")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as other:  # type: ignore[call-overload]
        assert other.stdin and other.stdout
        assert other.stdout.readline() == b"held\n"
        monkeypatch.setattr(module, "SECONDS", 0.05)
        held = exclusive(tmp_path / "b")
        with pytest.raises(ToolRefusal, match="another process is changing files"), held:
            pass
        monkeypatch.setattr(module, "SECONDS", 60)
        threading.Timer(0.1, other.stdin.close).start()
        with exclusive(tmp_path / "b"):
            assert other.poll() is not None or not free(tmp_path)


def test_where_folders_cannot_be_locked_threads_still_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with exclusive(tmp_path / "a"):
        pass
