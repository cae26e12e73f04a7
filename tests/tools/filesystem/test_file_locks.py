"""One writer at a time, of threads and of processes, and nobody waits for himself."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maxagent.tools.filesystem import file_locks as module
from maxagent.tools.filesystem.file_locks import lock_files
from maxagent.tools.result import ToolError

HOLD = """
import sys
from pathlib import Path
from maxagent.tools.filesystem.file_locks import lock_files
with lock_files(Path(sys.argv[1])):
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


def test_only_one_thread_locks_a_file(tmp_path: Path) -> None:
    inside, most, entered = 0, 0, threading.Barrier(8)

    def work() -> None:
        nonlocal inside, most
        entered.wait(60)
        for _ in range(50):
            with lock_files(tmp_path / "a"):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_different_files_in_one_folder_lock_together(tmp_path: Path) -> None:
    with lock_files(tmp_path / "a"), lock_files(tmp_path / "b"):
        assert not free(tmp_path)
    assert free(tmp_path)


def test_several_files_lock_in_any_order_without_deadlock(tmp_path: Path) -> None:
    def work(*names: str) -> None:
        for _ in range(200):
            with lock_files(*(tmp_path / name for name in names)):
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


def test_file_in_missing_folder_locks_the_parent(tmp_path: Path) -> None:
    with lock_files(tmp_path / "not/yet/a"):
        assert not free(tmp_path)


def test_lock_waits_for_another_process_until_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "a")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as other:  # type: ignore[call-overload]
        assert other.stdin and other.stdout
        assert other.stdout.readline() == b"held\n"
        monkeypatch.setattr(module, "SECONDS", 0.05)
        held = lock_files(tmp_path / "b")
        with pytest.raises(ToolError, match="another process is changing files"), held:
            pass
        monkeypatch.setattr(module, "SECONDS", 60)
        threading.Timer(0.1, other.stdin.close).start()
        with lock_files(tmp_path / "b"):
            assert other.poll() is not None or not free(tmp_path)


def test_where_folders_cannot_be_locked_threads_still_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with lock_files(tmp_path / "a"):
        pass
