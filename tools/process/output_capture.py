"""Output of a running command, bounded: both ends in memory, long output in a file."""

import contextlib
import os
import re
from io import BufferedWriter
from pathlib import Path

from ...config.security.private_files import make_private_folder
from .truncation import KEPT_EACH_SIDE, clean_text, join_head_and_tail

# Bytes of one output that are stored in its file
ON_DISK = 50_000_000


def make_output_id(call_id: str) -> str:
    """Return the id of a call's stored output: the call's own id, as a safe file name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:100]


def get_output_path(outputs: Path, identity: str) -> Path:
    """Return the path of the stored output with this id."""
    return outputs / f"{identity}.txt"


class OutputRecorder:
    """Records pieces of output as they come; `to_text()` is what a model reads of them.

    Create it in a thread, since it creates the folder; `to_text()` reports errors with the file.
    """

    def __init__(self, outputs: Path, call_id: str) -> None:
        with contextlib.suppress(OSError):
            make_private_folder(outputs)
        self.size = 0
        """Bytes so far."""
        self._id = make_output_id(call_id)
        self._path = get_output_path(outputs, self._id)
        self._lines = 0
        self._start = bytearray()
        self._tail = b""
        self._file: BufferedWriter | None = None
        self._problem = ""

    def add(self, piece: bytes) -> None:
        """Add the next piece."""
        is_long = self.size + len(piece) > 2 * KEPT_EACH_SIDE
        if (is_long or self._file) and not self._problem:
            self._store_chunk(piece)
        self._start += piece[: 2 * KEPT_EACH_SIDE - len(self._start)]
        self._tail = (self._tail + piece)[-KEPT_EACH_SIDE:]
        self._lines += piece.count(b"\n")
        self.size += len(piece)

    def store_from_start(self) -> None:
        """Store the output in its file even if it stays short."""
        if self._file is None and not self._problem:
            self._store_chunk(b"")

    @property
    def stored_id(self) -> str:
        """The id of the stored output; empty if `to_text()` contains all of it."""
        return self._id if self._file else ""

    def to_text(self) -> str:
        """Return all of a short output, or both ends of a long one and where the rest is."""
        if self.size <= len(self._start):
            return clean_text(bytes(self._start))
        head = bytes(self._start[:KEPT_EACH_SIDE])
        return join_head_and_tail(head, self._tail, self.size, self._lines, self._build_remark())

    def flush(self) -> None:
        """Flush the file, so that others can read it."""
        try:
            if self._file:
                self._file.flush()
        except OSError as error:
            self._problem = str(error.strerror)

    def close(self) -> None:
        """Close the file; no piece may be added afterwards."""
        try:
            if self._file:
                self._file.close()
        except OSError as error:
            self._problem = str(error.strerror)

    def _store_chunk(self, piece: bytes) -> None:
        try:
            if self._file is None:
                self._file = _create_file(self._path)
                self._file.write(self._start)
            self._file.write(piece[: max(0, ON_DISK - self.size)])
        except OSError as error:
            self._problem = str(error.strerror)

    def _build_remark(self) -> str:
        if self._problem:
            return f"the output could not be saved: {self._problem}"
        note = f" (the first {ON_DISK:,} bytes are kept)" if self.size > ON_DISK else ""
        return f'to read them: command_output(id="{self._id}"){note}'


def _create_file(path: Path) -> BufferedWriter:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
