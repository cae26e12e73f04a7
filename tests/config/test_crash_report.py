import errno
import os
from pathlib import Path

import pytest

from maxagent.config.crash_report import describe_error, record_crash
from maxagent.config.errors import UsageError


def test_an_error_of_ours_stays_as_it_is(tmp_path: Path) -> None:
    error = UsageError("wrong", hint="right")
    assert describe_error(error, tmp_path) is error


def test_system_error_is_described_by_file_and_reason(tmp_path: Path) -> None:
    error = describe_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/disk/file"), tmp_path)
    assert (error.message, error.exit_code) == ("`/disk/file`: No space left on device", 1)


def test_a_folder_that_is_gone_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "gone"
    missing.mkdir()
    monkeypatch.chdir(missing)
    missing.rmdir()
    error = describe_error(FileNotFoundError(errno.ENOENT, "no"), tmp_path)
    assert (error.message, error.exit_code) == ("the current folder no longer exists", 2)


def test_crash_is_one_line_and_traceback_is_saved(tmp_path: Path) -> None:
    error = describe_error(_raised(KeyError("x")), tmp_path)
    (log,) = (tmp_path / "data/errors").iterdir()
    assert (error.message, error.hint) == (
        "internal error: KeyError: 'x'",
        f"please report this and attach `{log}`",
    )
    assert "Traceback" in log.read_text() and "_raised" in log.read_text()


def test_crash_is_described_when_nothing_can_be_written() -> None:
    crash = record_crash(KeyError("x"), Path("/dev/null"))
    assert (crash.message, crash.hint) == ("internal error: KeyError: 'x'", "please report this")


def _raised(error: Exception) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value
