"""Messages for unexpected errors: one line, and the path of the traceback."""

import logging
import os
import time
import traceback
from pathlib import Path

from . import paths
from .errors import MaxAgentError, UsageError
from .security.private_files import make_private_folder, open_private
from .security.redaction import redact
from .text import text

_logger = logging.getLogger(__name__)


def describe_error(error: Exception, home: Path) -> MaxAgentError:
    """Return an error to show: ours as it is, the system's by its reason, any other as a crash.

    Secrets are redacted; an error of ours is changed in place.
    """
    if isinstance(error, MaxAgentError):
        error.message, error.hint = redact(error.message), redact(error.hint)
        return error
    if isinstance(error, FileNotFoundError) and not _has_current_folder():
        return UsageError("the current folder no longer exists", hint="`cd` to one that exists")
    if isinstance(error, OSError) and error.strerror:
        reason = error.strerror
        if error.filename:
            place = f"`{os.fsdecode(error.filename)}`"
            reason = text("{place}: {problem}", place=place, problem=reason)
        reason = redact(reason)
        return MaxAgentError(reason, hint="check its permissions and the disk's free space")
    return record_crash(error, home)


def record_crash(error: Exception, home: Path) -> MaxAgentError:
    """Return the error for a crash; save its traceback in the data folder if possible."""
    message = redact(
        text("internal error: {name}: {error}", name=type(error).__name__, error=error)
    )
    try:
        folder = paths.ensure_data_folder(home) / "errors"
        make_private_folder(folder)
        log = folder / f"{time.time_ns():x}.txt"
        with open(log, "x", encoding="utf-8", opener=open_private) as file:
            file.write(redact("".join(traceback.format_exception(error))))
    except (OSError, MaxAgentError):
        return MaxAgentError(message, hint="please report this")
    _logger.info("internal error: %s; traceback in %s", type(error).__name__, log)
    return MaxAgentError(message, hint=text("please report this and attach `{log}`", log=log))


def _has_current_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True
