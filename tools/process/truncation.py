"""Command output as text for a model: without control characters, with the middle cut."""

import re

# Bytes of a long output that are kept at its beginning and at its end
KEPT_EACH_SIDE = 8_192

_ESCAPE_SEQUENCE = re.compile(
    r"""\x1b(
        \[[0-?]*[ -/]*[@-~]             # CSI: colours, cursor
      | \][^\x07\x1b\n]*(\x07|\x1b\\)?  # OSC: titles, links
      | [PX^_][^\x1b\n]*(\x1b\\)?       # other strings
      | [ -/]*[0-~]
    )""",
    re.VERBOSE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean_text(data: bytes) -> str:
    """Return text without escape and control characters; of a redrawn line the last version."""
    text = _ESCAPE_SEQUENCE.sub("", data.decode(errors="replace"))
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", text)


def make_excerpt(data: bytes, remark: str = "", *, keep: int = KEPT_EACH_SIDE) -> str:
    """Return all data as text, or `keep` bytes of each end; `remark` names where the rest is."""
    if len(data) <= 2 * keep:
        return clean_text(data)
    return join_head_and_tail(data[:keep], data[-keep:], len(data), data.count(b"\n"), remark)


def join_head_and_tail(head: bytes, tail: bytes, size: int, lines: int, remark: str = "") -> str:
    """Join both ends of an output of `size` bytes and `lines` line ends, at whole lines if any."""
    head, tail = _to_last_line_end(head), _from_first_line_start(tail)
    cut_bytes = size - len(head) - len(tail)
    cut_lines = lines - head.count(b"\n") - tail.count(b"\n")
    cut = f"[… {cut_bytes:,} bytes, {cut_lines:,} lines cut{'; ' if remark else ''}{remark} …]"
    start = clean_text(head)
    return f"{start}{'' if start.endswith(chr(10)) else chr(10)}{cut}\n{clean_text(tail)}"


def _to_last_line_end(head: bytes) -> bytes:
    end = head.rfind(b"\n") + 1
    return head[: end or len(head)]


def _from_first_line_start(tail: bytes) -> bytes:
    start = tail.find(b"\n") + 1
    return tail[start if start < len(tail) else 0 :]
