"""Cleanup of providers' text: no NUL, no half characters (pure)."""


def repair_text(text: str) -> str:
    """Return the text without NUL, surrogate pairs joined and lone surrogates replaced with `�`."""
    text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class CharacterJoiner:
    """Joins characters whose two UTF-16 halves arrive in different portions."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Return the repaired text; a first half at its end waits for the second."""
        if not text:
            return ""
        held, self._half = self._half + text, ""
        if "\ud800" <= held[-1] <= "\udbff":
            held, self._half = held[:-1], held[-1]
        return repair_text(held)

    def close(self) -> str:
        """Return the replacement of a half that is left."""
        half, self._half = self._half, ""
        return repair_text(half)
