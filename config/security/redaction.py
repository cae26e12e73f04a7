"""Redaction of secrets in stored and shown text: `redact` replaces each with a mark."""

import re
from typing import Any, cast

from ..text import TemplatedText

_MARK = re.compile(r"\[secret: [\w .-]{1,80}\]")


def redact(text: str) -> str:
    """Replace every secret in the text with a mark; a message keeps its template."""
    redacted = _redact_plain(text)
    if not isinstance(text, TemplatedText):
        return redacted
    by_value = text.map_values(_redact_plain)
    return by_value if by_value == redacted else redacted  # a secret may extend beyond a value


def _redact_plain(text: str) -> str:
    from .secrets.detection import find_secrets  # compiles its rules

    parts, at = list[str](), 0
    for secret in find_secrets(text):
        parts += text[at : secret.start], f"[secret: {secret.name}]"
        at = secret.end
    return "".join([*parts, text[at:]]) if parts else text


def redact_json(value: Any) -> Any:
    """Redact every text in a JSON value, including names in objects."""
    match value:
        case str():
            return redact(value)
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return {redact_json(name): _redact_field(name, item) for name, item in items}
        case list() | tuple():
            return [redact_json(item) for item in cast("list[Any]", value)]
        case _:
            return value


def _redact_field(name: Any, value: Any) -> Any:
    redacted = redact_json(value)
    if isinstance(name, str) and isinstance(value, str) and redacted == value:
        from .secrets.rules import NAME_WORDS

        lowered = name.encode("ascii", "replace").lower()
        if not value or not any(word in lowered for word in NAME_WORDS):
            return value
        from .secrets.assignments import find_named_kind  # compiles its expressions

        kind = find_named_kind(name, value)
        return f"[secret: {kind}]" if kind else value
    return redacted


def find_marks(text: str) -> set[str]:
    """Return the marks of secrets in a text."""
    return set(_MARK.findall(text)) if "[secret: " in text else set()
