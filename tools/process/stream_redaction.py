"""Redaction of secrets in streamed output."""

import re
from collections.abc import Callable

from ...config.security.redaction import redact
from .output_capture import ON_DISK

# Bytes of a line without an end that are buffered
MAX_LINE_BYTES = 65_536
# Bytes of it that stay buffered after that; no secret in one line is longer
OVERLAP = 4_096
# Bytes after the beginning of a private key in which its end must come
MAX_KEY_BYTES = 16_384
# Bytes kept at the end of an output longer than `ON_DISK`; the middle is dropped
LAST = 65_536
# As in config/security/secrets/detection.py: the blanks may be those of an address
_BLANKS = rb"(?: |\+|%(?:25)?20)"
_LABEL = rb"(?:[A-Z0-9]|%b){0,40}PRIVATE%bKEY(?:%bBLOCK)?-----" % ((_BLANKS,) * 3)
_KEY_BEGINS = re.compile(rb"-----BEGIN%b%b|Private-Lines: " % (_BLANKS, _LABEL))
_KEY_ENDS = re.compile(rb"-----END%b%b|Private-(?:MAC|Hash): [0-9a-f]{40}" % (_BLANKS, _LABEL))
# A line that ends with a secret's name, whose value may be in the next: `- name: API_TOKEN`
_NAME_ENDS = re.compile(
    rb"(?i)(?:pass|pwd|secret|token|key|credential)[\w.-]{0,40}[\"']?"
    rb"[ \t]{0,5}[,{]?[ \t]{0,5}\r?\n\Z"
)
# Bytes of the end of the data that such a line is looked for in
MAX_NAME_BYTES = 200


class RedactingSink:
    """A sink before another: takes pieces as they come and passes on whole lines, redacted.

    The other sink keeps and shows the first `ON_DISK` bytes at most, and some of the last.
    """

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self._sink = sink
        self._held = b""
        self._given = 0

    def add(self, piece: bytes) -> None:
        """Add the next piece."""
        data = self._held + piece
        if self._given < ON_DISK:
            end = _find_safe_end(data)
            self._emit_redacted(data[:end])
        else:  # redacting a gigabyte would take longer than producing it
            end = max(0, len(data) - LAST)
            self._sink(data[:end])
        self._held = data[end:]

    def close(self) -> None:
        """Pass on the rest; no piece may be added afterwards."""
        rest, self._held = self._held, b""
        self._emit_redacted(rest)

    def _emit_redacted(self, data: bytes) -> None:
        if data:
            text = data.decode(errors="surrogateescape")
            hidden = redact(text)
            output = data if hidden == text else hidden.encode(errors="surrogateescape")
            self._given += len(output)
            self._sink(output)


def _find_safe_end(data: bytes) -> int:
    """Return where no secret can be cut in two: at a line's end outside private keys."""
    end = data.rfind(b"\n") + 1
    if len(data) - end > MAX_LINE_BYTES:
        end = len(data) - OVERLAP
    if _NAME_ENDS.search(data, max(0, end - MAX_NAME_BYTES), end):
        end = data.rfind(b"\n", 0, end - 1) + 1
    key_start = _find_open_key(data[:end])
    return (
        end if key_start is None or len(data) - key_start > MAX_KEY_BYTES else min(end, key_start)
    )


def _find_open_key(data: bytes) -> int | None:
    """Return where a private key begins whose end has not arrived."""
    if b"PRIVATE" not in data and b"Private-Lines: " not in data:
        return None
    begins = [match.start() for match in _KEY_BEGINS.finditer(data)]
    return begins[-1] if begins and not _KEY_ENDS.search(data, begins[-1]) else None
