"""Live output of a running command, bounded: its beginning, then only its size."""

import codecs
from collections.abc import Callable

from .truncation import clean_text

# Most bytes that are shown as they come
SHOWN = 64_000
# Most pieces that are shown
PIECES = 2_000
# After that, bytes between two remarks on the size
HEARTBEAT = 10_000_000


class LiveOutput:
    """Takes pieces of output as they come and passes text to `show`."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = 0
        self._pieces = 0
        self._next_remark = 0

    def add(self, piece: bytes) -> None:
        """Show the next piece; above the limit, show a remark from time to time."""
        room = SHOWN - self._size if self._pieces < PIECES else 0
        self._size += len(piece)
        self._pieces += 1
        if room > 0 and (text := self._decoder.decode(piece[:room])):
            self._show(clean_text(text.encode()))
        if len(piece) > room and self._size >= self._next_remark:
            self._show(f"\n[… {self._size:,} bytes so far …]\n")
            self._next_remark = self._size + HEARTBEAT
