"""What a stdio server writes to its errors: in a bounded file, with secrets redacted."""

import hashlib
import os
import re
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ....config.security.private_files import make_private_folder, open_private
from ...process.stream_redaction import RedactingSink
from ...process.truncation import clean_text
from ..definition_cache import get_data_folder

# Bytes of a server's log; the one before is kept as well
MAX_LOG_BYTES = 500_000
# Characters of the last line that is shown as the reason of an end
MAX_REASON = 300
# Last lines among which the reason is looked for: programs end with their stack, or with advice
MAX_LINES = 40
_ERROR = re.compile(
    r"\berr(?:or)?\b|error:|exception|panic|fatal|cannot|can't|could not|not found|no such|failed"
    r"|denied|refused|missing|required|invalid|unable",
    re.IGNORECASE,
)
# A frame of a stack, and advice where more is said
_POINTER = re.compile(
    r"^(?:at |File \"|\^)|complete log|debug log|--help|more information|run with|^note:|^hint:",
    re.IGNORECASE,
)


def get_log_path(home: Path, name: str) -> Path:
    """Return the path of a server's log; a name that is no file name gets a hash."""
    file = re.sub(r"[^a-z0-9_-]", "_", name)[:80]
    if file != name:
        file += "-" + hashlib.sha256(name.encode(errors="replace")).hexdigest()[:8]
    return get_data_folder(home) / "logs" / f"{file}.log"


class ServerLog:
    """Takes pieces of a server's errors."""

    def __init__(self, file: Path) -> None:
        self._lines = deque[str](maxlen=MAX_LINES)
        self._file = file
        self._sink = RedactingSink(self._write)
        self._stream: BinaryIO | None = None
        self._size = 0
        self._is_closed = False

    @property
    def last_line(self) -> str:
        """The last line that names an error, else the last that was not empty."""
        errors = (line for line in reversed(self._lines) if _ERROR.search(line))
        last = self._lines[-1] if self._lines else ""
        return next((line for line in errors if not _POINTER.search(line)), last)[:MAX_REASON]

    def add(self, piece: bytes) -> None:
        """Add the next piece; one that comes after the end is dropped."""
        if not self._is_closed:
            self._sink.add(piece)

    def close(self) -> None:
        """Write what is left, and close the file."""
        self._sink.close()
        self._is_closed = True
        with suppress(OSError):
            if self._stream:
                self._stream.close()

    def _write(self, piece: bytes) -> None:
        lines = (line.strip() for line in clean_text(piece[-4_096:]).splitlines())
        self._lines.extend(filter(None, lines))
        with suppress(OSError):  # a full disk never ends a server
            if self._stream is None or self._size > MAX_LOG_BYTES:
                self._begin_file()
            if self._stream:
                self._stream.write(piece[-MAX_LOG_BYTES:])
                self._stream.flush()
            self._size += len(piece)

    def _begin_file(self) -> None:
        if self._stream:
            self._stream.close()
        make_private_folder(self._file.parent)
        if self._file.exists():
            self._file.replace(self._file.with_suffix(".old.log"))
        descriptor = open_private(str(self._file), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._stream = os.fdopen(descriptor, "wb")
        self._size = 0
