"""Output of tests on stderr while they run, line by line."""

import codecs

from ...rendering.output import echo


class LiveLines:
    """Collects output and shows complete lines."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open_line = ""

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        self.add_text(self._decoder.decode(piece))

    def add_text(self, text: str) -> None:
        """Take the next characters."""
        *lines, self._open_line = (self._open_line + text).split("\n")
        for line in lines:
            echo(line, err=True)

    def close(self) -> None:
        """Show the last line if it is incomplete."""
        self.add_text(self._decoder.decode(b"", final=True))
        if self._open_line:
            echo(self._open_line, err=True)
            self._open_line = ""
