"""A running command's output, bounded: both ends in memory, the whole of a long one in a file."""

import contextlib
import os
import re
from io import BufferedWriter
from pathlib import Path

from ...config.security.private_files import make_private_folder
from .truncation import KEPT_EACH_SIDE, clean_text, join_head_and_tail

# Bytes of one output that its file keeps
ON_DISK = 50_000_000


def make_output_id(call_id: str) -> str:
    """The id under which a call's output is stored: the call's own, as a safe file name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:100]


def get_output_path(outputs: Path, identity: str) -> Path:
    """Where the output with this id is stored."""
    return outputs / f"{identity}.txt"


class OutputRecorder:
    """Takes pieces of output as they come; `text()` is what a model reads of them.

    Made in a thread, since it makes the folder; what goes wrong with the file is told in `text()`.
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
        """Take the next piece."""
        if self.size + len(piece) > 2 * KEPT_EACH_SIDE and not self._problem:
            self._store_chunk(piece)
        self._start += piece[: 2 * KEPT_EACH_SIDE - len(self._start)]
        self._tail = (self._tail + piece)[-KEPT_EACH_SIDE:]
        self._lines += piece.count(b"\n")
        self.size += len(piece)

    @property
    def stored_id(self) -> str:
        """The id of the stored output; empty when `text()` is all of it."""
        return self._id if self._file else ""

    def to_text(self) -> str:
        """All of a short output, both ends of a long one and where the rest is."""
        if self.size <= len(self._start):
            return clean_text(bytes(self._start))
        head = bytes(self._start[:KEPT_EACH_SIDE])
        return join_head_and_tail(head, self._tail, self.size, self._lines, self._build_remark())

    def flush(self) -> None:
        """Let what the file has be read by others."""
        try:
            if self._file:
                self._file.flush()
        except OSError as error:
            self._problem = str(error.strerror)

    def close(self) -> None:
        """Finish the file; nothing may be added afterwards."""
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
        kept = f" (the first {ON_DISK:,} bytes are kept)" if self.size > ON_DISK else ""
        return f'to read them: command_output(id="{self._id}"){kept}'


def _create_file(path: Path) -> BufferedWriter:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
