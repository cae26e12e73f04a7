"""Splitter of `<think>…</think>` at the beginning of an answer from the answer itself (pure)."""

OPEN, CLOSE = "<think>", "</think>"
# Most characters of blanks before the tag
MAX_BLANK_LENGTH = 1_000


class ThinkingSplitter:
    """Accepts an answer's text in any portions; only a tag before the first word counts."""

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""

    def feed(self, text: str) -> tuple[str, str]:
        """Return the thinking and the answer, as far as this portion decides."""
        if self._state == "answer":
            return "", text
        self._held += text
        thinking = answer = ""
        if self._state == "start":
            self._detect_start()
        if self._state == "thinking":
            thinking = self._split_thinking()
        if self._state == "gap":
            self._skip_gap()
        if self._state == "answer":
            answer, self._held = self._held, ""
        return thinking, answer

    def close(self) -> tuple[str, str]:
        """Return the text held back at the end of the answer."""
        held, self._held = self._held, ""
        return (held, "") if self._state == "thinking" else ("", held)

    def _detect_start(self) -> None:
        word = self._held.lstrip()
        if len(self._held) - len(word) > MAX_BLANK_LENGTH:
            self._state = "answer"
        elif word.startswith(OPEN):
            self._state, self._held = "thinking", word[len(OPEN) :]
        elif not OPEN.startswith(word):
            self._state = "answer"

    def _split_thinking(self) -> str:
        thinking, tag, rest = self._held.partition(CLOSE)
        if tag:
            self._state, self._held = "gap", rest
            return thinking
        keep = _measure_overlap(self._held, CLOSE)
        thinking = self._held[: len(self._held) - keep]
        self._held = self._held[len(thinking) :]
        return thinking

    def _skip_gap(self) -> None:
        """Drop blank lines between the thinking and the answer."""
        self._held = self._held.lstrip()
        if self._held:
            self._state = "answer"


def _measure_overlap(text: str, tag: str) -> int:
    """Return the number of characters at the end of the text that could begin the tag."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), 0)
