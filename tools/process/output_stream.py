"""Show a running command's output while it runs, bounded: the beginning, then only how much."""

import codecs
from collections.abc import Callable

from .truncation import clean_text

# Bytes that are shown as they come
SHOWN = 64_000
# And in how many pieces at most
PIECES = 2_000
# After that, bytes between two remarks on how much there is
HEARTBEAT = 10_000_000


class LiveOutput:
    """Takes pieces of output as they come and passes text on to `show`."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = 0
        self._pieces = 0
        self._next_remark = 0

    def add(self, piece: bytes) -> None:
        """Show the next piece, or a remark now and then once the bound is reached."""
        room = SHOWN - self._size if self._pieces < PIECES else 0
        self._size += len(piece)
        self._pieces += 1
        if room > 0 and (text := self._decoder.decode(piece[:room])):
            self._show(clean_text(text.encode()))
        if len(piece) > room and self._size >= self._next_remark:
            self._show(f"\n[… {self._size:,} bytes so far …]\n")
            self._next_remark = self._size + HEARTBEAT
