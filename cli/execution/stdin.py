"""Piped input: read to its end, decoded, limited in size."""

import os
import select
import stat
import sys
from contextlib import suppress
from typing import BinaryIO, TextIO

from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..rendering.output import echo

# Bytes kept in memory from the beginning, and as many from the end
KEPT = 1 << 20
# Characters of them that the model gets
HEAD, TAIL = 150_000, 50_000
# Seconds without a byte before a notice names what the process waits for
PATIENCE = 3.0
CHUNK_SIZE = 1 << 16
CUT = "\n[… what was piped has {size} bytes; its middle is left out here …]\n"


def read_piped_text() -> str:
    """Read stdin if it is not a terminal; raise UsageError if it is not text."""
    if sys.stdin.isatty():
        return ""
    if _is_pipe(sys.stdin) and not select.select([sys.stdin], [], [], PATIENCE)[0]:
        echo(t("chat.reading"), err=True)
    return read_text(sys.stdin.buffer)


def take_terminal() -> None:
    """Read the terminal from now on, after what was piped, so that the user can be asked.

    Nothing changes without one, in the background, or where the output goes elsewhere, as in
    `… | mcode chat | less`.
    """
    if sys.stdin.isatty() or not (sys.stdout.isatty() and sys.stderr.isatty()):
        return
    with suppress(OSError):  # nobody is there
        terminal = os.open("/dev/tty", os.O_RDONLY)
        if os.tcgetpgrp(terminal) == os.getpgrp():
            os.dup2(terminal, 0)
            sys.stdin = os.fdopen(0, encoding=sys.stdin.encoding, errors=sys.stdin.errors)
        os.close(terminal)


def _is_pipe(stream: TextIO) -> bool:
    """Return whether it may wait for another process; a test's stream has no file."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def read_text(stream: BinaryIO) -> str:
    """Read the stream's text; of a long one the beginning and the end."""
    from ...tools.filesystem.text_codec import decode_text, to_printable
    from ...tools.result import ToolError

    data, size = _read_both_ends(stream)
    try:
        text = to_printable(decode_text(data).text).strip("\n")
    except ToolError:
        raise UsageError(
            "the piped input is not text", hint="pipe text, or give the file"
        ) from None
    if len(text) <= HEAD + TAIL and len(data) == size:
        return text
    echo(t("chat.cut", size=f"{size:,}", head=f"{HEAD:,}", tail=f"{TAIL:,}"), err=True)
    return f"{text[:HEAD]}{CUT.format(size=f'{size:,}')}{text[-TAIL:]}"


def _read_both_ends(stream: BinaryIO) -> tuple[bytes, int]:
    """Read at most `KEPT` bytes of either end; return them and the total count."""
    head, tail = _read_head(stream), bytearray()
    size = len(head)
    while piece := stream.read(CHUNK_SIZE):
        size += len(piece)
        tail += piece
        del tail[:-KEPT]
    return head + bytes(tail), size


def _read_head(stream: BinaryIO) -> bytes:
    """Read the first bytes, even if they arrive in pieces."""
    head = bytearray()
    while len(head) < KEPT and (piece := stream.read(KEPT - len(head))):
        head += piece
    return bytes(head)
