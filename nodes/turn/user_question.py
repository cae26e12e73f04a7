"""Whether an answer asks the user something, so that the turn belongs to the user."""

import re
from collections.abc import Iterator

# Lines at the end of an answer in which a question counts; options may follow it
MAX_LINES = 12
_MARK = re.compile(r"[?？؟⁇՞፧](?=[\s\"'”’»」』)\]*_~]|$)")
_REQUEST = re.compile(
    r"\b(?:please|pls|kindly) (?:confirm|choose|decide|pick|select|specify|answer|advise|reply|"
    r"tell me|let me know|give me|provide)\b"
    r"|\b(?:let me know|tell me|i need to know) (?:which|what|whether|how|where|when|who|your)\b"
    r"|\b(?:i need|waiting for|i await|awaiting) your "
    r"(?:answer|approval|choice|confirmation|decision|feedback|go-ahead|input|permission|reply)\b"
    r"|请(?:先|您|你)?(?:确认|告诉|告知|选择|决定|提供|指定|回答|回复)|吗[。！]?$",
    re.IGNORECASE,
)
_INLINE_CODE = re.compile(r"`[^`\n]*`")


def has_question(answer: str) -> bool:
    """Return whether the end of an answer asks the user; code, quotations and headings do not."""
    lines = [line for line in _iter_prose(answer) if line]
    return any(_MARK.search(line) or _REQUEST.search(line) for line in lines[-MAX_LINES:])


def _iter_prose(answer: str) -> Iterator[str]:
    """Yield the lines of an answer that are its own words, without code in them."""
    fence = ""
    for raw_line in answer.splitlines():
        line = raw_line.strip()
        mark = line[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and not line.startswith((">", "#")):
            yield _INLINE_CODE.sub("", line).strip()
