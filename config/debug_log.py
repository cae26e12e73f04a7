"""The debug log: the records of MaxAgent's loggers, in a file of the data folder."""

import logging
import os
import re
import time
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from .errors import MaxAgentError
from .paths import ensure_data_folder
from .security.control_characters import CONTROL_CHARACTERS
from .security.private_files import make_private_folder, open_private
from .security.redaction import redact
from .text import text

# one file per process: two that rotate the same file would lose each other's lines
KEPT_LOGS = 10
MAX_LOG_BYTES = 5_000_000  # bytes
_LOGGER = __name__.partition(".")[0]
_FORMAT = "%(asctime)s.%(msecs)03dZ %(levelname)s %(name)s %(message)s"
_CONTROL = re.compile(f"[\n\r\t{CONTROL_CHARACTERS}]")


def open_debug_log(home: Path) -> Path:
    """Write all log records of this process to a new file; return it.

    Raises MaxAgentError when the file cannot be created.
    """
    folder = ensure_data_folder(home) / "logs"
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    file = folder / f"{stamp}-{os.getpid()}.log"
    try:
        make_private_folder(folder)
        handler = _PrivateFileHandler(file, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8")
        os.utime(file)  # the newest, also without a record
    except OSError as error:
        raise MaxAgentError(
            text(
                "cannot write the debug log `{file}`: {reason}",
                file=file,
                reason=error.strerror,
            ),
            hint="check the folder's permissions and free space, or run without `--debug`",
        ) from error
    _delete_old_logs(home)
    handler.setFormatter(_RedactingFormatter(_FORMAT, "%Y-%m-%dT%H:%M:%S"))
    logger = logging.getLogger(_LOGGER)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False  # the server of Studio prints what reaches the root logger
    return file


def close_debug_log() -> None:
    """Stop writing."""
    logger = logging.getLogger(_LOGGER)
    for handler in [each for each in logger.handlers if isinstance(each, _PrivateFileHandler)]:
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(logging.NOTSET)
    logger.propagate = True


def find_debug_logs(home: Path) -> list[Path]:
    """Return the stored logs, that with the newest record first."""
    logs = (home / "data" / "logs").glob("*.log")
    return sorted(logs, key=lambda log: (_read_time(log), log.name), reverse=True)


class _RedactingFormatter(logging.Formatter):
    converter = time.gmtime  # pyright: ignore[reportAssignmentType]

    def format(self, record: logging.LogRecord) -> str:
        """Return one line without secrets or control characters: names may come from a model."""
        return _CONTROL.sub(" ", redact(super().format(record)))


class _PrivateFileHandler(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=open_private)  # noqa: SIM115

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the record: a full disk must not stop or disturb a run."""


def _delete_old_logs(home: Path) -> None:
    for log in find_debug_logs(home)[KEPT_LOGS:]:
        if not _is_written(log):
            for file in (log, log.with_name(f"{log.name}.1")):
                with suppress(OSError):
                    file.unlink()


def _read_time(log: Path) -> int:
    try:
        return log.stat().st_mtime_ns
    except OSError:  # deleted meanwhile
        return 0


def _is_written(log: Path) -> bool:
    """Return whether the process that a log is named after runs."""
    pid = log.stem.rpartition("-")[2]
    try:
        os.kill(int(pid), 0)
    except PermissionError:  # another user's
        return True
    except (ValueError, OverflowError, OSError):
        return False
    return True
