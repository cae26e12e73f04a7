"""The output of a test run: streamed; its end is kept, or all of it if it is the report."""

import codecs
from collections.abc import Callable

from ..process.output_stream import LiveOutput
from ..process.stream_redaction import RedactingSink
from ..process.truncation import clean_text

# bytes of the output's end that are kept
TAIL = 8_000
MAX_REPORT_BYTES = 20_000_000


class TestOutput:
    """Takes the output as it comes."""

    __test__ = False  # else pytest would collect it

    def __init__(
        self,
        on_output: Callable[[str], None],
        format_line: Callable[[str], str] | None = None,
        *,
        is_report: bool,
    ) -> None:
        """`format_line` makes each line readable; `is_report`: whether the whole output is kept."""
        self.misses_socket = False
        self._live = LiveOutput(on_output)
        self._tail, self._whole = bytearray(), bytearray()
        self._is_report = is_report
        self._format_line = format_line
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open_line = ""
        self._sink = RedactingSink(self._record)

    @property
    def tail(self) -> str:
        """The end of the output."""
        return clean_text(bytes(self._tail))

    @property
    def report(self) -> str:
        """The whole output; empty if it is too long to be read as a report."""
        return "" if len(self._whole) > MAX_REPORT_BYTES else self._whole.decode(errors="replace")

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._sink.add(piece)

    def close(self) -> None:
        """Flush what is left."""
        self._sink.close()
        if self._open_line:
            self._show(self._format(self._open_line))
            self._open_line = ""

    def _record(self, piece: bytes) -> None:
        if not self.misses_socket:
            from ..sandbox.failure_hint import has_socket_failure  # compiles its expressions

            self.misses_socket = has_socket_failure(piece.decode(errors="replace"))
        if self._is_report and len(self._whole) <= MAX_REPORT_BYTES:
            self._whole.extend(piece)
        if self._format_line is None:
            self._show(piece)
            return
        text = self._open_line + self._decoder.decode(piece)
        *lines, self._open_line = text.split("\n")
        for line in lines:
            self._show(self._format(f"{line}\n"))

    def _format(self, line: str) -> bytes:
        return self._format_line(line).encode() if self._format_line else b""

    def _show(self, piece: bytes) -> None:
        if piece:
            self._live.add(piece)
            self._tail.extend(piece)
            del self._tail[:-TAIL]
