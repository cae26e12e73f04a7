import logging
import os
import stat
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest
from full_disk import no_file_beyond

from maxagent.config.debug_log import KEPT_LOGS, close_debug_log, find_debug_logs, open_debug_log
from maxagent.config.errors import MaxAgentError

# No process has this number
DEAD = 2**31 - 1
KEY = "Zq8-the-key-that-nobody-may-see"
LOGGER = logging.getLogger("maxagent.tests")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield open_debug_log(tmp_path)
    close_debug_log()


def file_handler() -> logging.Handler:
    return next(
        handler
        for handler in logging.getLogger("maxagent").handlers
        if isinstance(handler, RotatingFileHandler)
    )


def test_record_is_one_line_without_secrets(log: Path) -> None:
    LOGGER.info("call %s\nof \x1b[31m%s", KEY, "read_file")
    (line,) = log.read_text().splitlines()
    assert line.endswith("Z INFO maxagent.tests call [secret: OPENAI_API_KEY] of  [31mread_file")


def test_log_and_its_folder_are_private(log: Path) -> None:
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (log, log.parent)]
    assert modes == [0o600, 0o700]


def test_debug_log_takes_no_other_librarys_records(log: Path) -> None:
    logging.getLogger("httpx").error("elsewhere")
    assert log.read_text() == ""


def test_only_the_newest_logs_are_kept(tmp_path: Path, log: Path) -> None:
    old = [log.with_name(f"20200101T00000{n // 10}{n % 10}Z-{DEAD}.log") for n in range(12)]
    for file in old:
        file.touch()
        file.with_name(f"{file.name}.1").touch()
    close_debug_log()
    newest = open_debug_log(tmp_path)
    debug_logs = find_debug_logs(tmp_path)
    assert (len(debug_logs), debug_logs[0]) == (KEPT_LOGS, newest)
    assert not old[0].exists() and not old[0].with_name(f"{old[0].name}.1").exists()


OLD: dict[str, tuple[str, bool]] = {
    "of a process that runs": (f"20200101T000000Z-{os.getpid()}.log", True),
    "of one that runs as root": ("20200101T000000Z-1.log", True),
    "of one that has ended": (f"20200101T000000Z-{DEAD}.log", False),
    "of no process": ("20200101T000000Z-x.log", False),
    "of a number too large": (f"20200101T000000Z-{2**70}.log", False),
    "of another name": ("notes.log", False),
}


@pytest.mark.parametrize("case", OLD)
def test_log_of_a_running_process_is_kept(case: str, tmp_path: Path, log: Path) -> None:
    name, is_kept = OLD[case]
    close_debug_log()
    files = [log.with_name(name), *(log.with_name(f"9{n}-{DEAD}.log") for n in range(10, 22))]
    for at, file in enumerate(files):
        file.touch()
        os.utime(file, (at, at))
    open_debug_log(tmp_path)
    assert files[0].exists() == is_kept
    assert not files[1].exists() and files[-1].exists()


def test_log_that_cannot_be_deleted_stays(tmp_path: Path, log: Path) -> None:
    close_debug_log()
    folders = [log.with_name(f"20200101T0000{n}Z-{DEAD}.log") for n in range(10, 22)]
    for folder in folders:
        folder.mkdir()
    assert open_debug_log(tmp_path).exists() and folders[0].is_dir()


def test_long_log_is_rotated(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_handler(), "maxBytes", 200)
    for number in range(9):
        LOGGER.info("record %d %s", number, "x" * 50)
    assert sorted(file.name for file in log.parent.iterdir()) == [log.name, f"{log.name}.1"]
    assert "record 8" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_full_disk_does_not_disturb_the_run(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with no_file_beyond(0):
        LOGGER.info("lost")
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "logs"
    folder.mkdir(parents=True)
    folder.parent.chmod(0o700)
    folder.chmod(0o500)
    with pytest.raises(MaxAgentError, match="cannot write the debug log"):
        open_debug_log(tmp_path)


def test_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "logs").touch()
    with pytest.raises(MaxAgentError, match="cannot write the debug log"):
        open_debug_log(tmp_path)
