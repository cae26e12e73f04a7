"""What a stdio server writes to its errors: in a bounded file, with secrets redacted."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ....config.security.private_files import make_private_folder, open_private
from ...process.stream_redaction import RedactingSink
from ...process.truncation import clean_text
from ..definition_cache import get_data_folder

# Bytes of a server's log; the one before is kept as well
MAX_LOG_BYTES = 500_000
# Bytes of the last line that is told as the reason of an end
MAX_REASON = 300


def get_log_path(home: Path, name: str) -> Path:
    """Return the path of a server's log."""
    return get_data_folder(home) / "logs" / f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)[:80]}.log"


class ServerLog:
    """Takes pieces of a server's errors; `last_line` is the last that was not empty."""

    def __init__(self, file: Path) -> None:
        self.last_line = ""
        self._file = file
        self._sink = RedactingSink(self._write)
        self._stream: BinaryIO | None = None
        self._size = 0
        self._is_closed = False

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
        lines = [line for line in clean_text(piece[-4_096:]).splitlines() if line.strip()]
        self.last_line = lines[-1].strip()[:MAX_REASON] if lines else self.last_line
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
