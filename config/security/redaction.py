"""Redaction of secrets in stored and shown text: `redact` replaces each with a mark."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, cast

from ..text import TemplatedText

if TYPE_CHECKING:
    from .secrets.detection import SecretMatch

_Search = Callable[[str], "list[SecretMatch]"]
_MARK = re.compile(r"\[secret: [\w .-]{1,80}\]")


def redact(text: str) -> str:
    """Replace every secret in the text with a mark; a message keeps its template."""
    from .secrets.detection import find_secrets  # compiles its rules

    return _redact_text(text, find_secrets)


def redact_json(value: Any) -> Any:
    """Redact every text in a JSON value, including names in objects."""
    from .secrets.detection import find_secrets
    from .secrets.known_values import load_known_secrets

    return _redact_value(value, partial(find_secrets, known=load_known_secrets()))


def _redact_value(value: Any, search: _Search) -> Any:
    match value:
        case str():
            return _redact_text(value, search)
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return {
                _redact_value(name, search): _redact_field(name, item, search)
                for name, item in items
            }
        case list() | tuple():
            return [_redact_value(item, search) for item in cast("list[Any]", value)]
        case _:
            return value


def _redact_field(name: Any, value: Any, search: _Search) -> Any:
    redacted = _redact_value(value, search)
    if isinstance(name, str) and isinstance(value, str) and value and redacted == value:
        if not _may_name_secret(name):
            return value
        from .secrets.assignments import find_named_kind  # compiles its expressions

        kind = find_named_kind(name, value)
        return f"[secret: {kind}]" if kind else value
    return redacted


@lru_cache(maxsize=1000)
def _may_name_secret(name: str) -> bool:
    from .secrets.rules import holds_name_word

    return holds_name_word(name.encode("ascii", "replace").lower())


def _redact_text(text: str, search: _Search) -> str:
    redacted = _redact_plain(text, search)
    if not isinstance(text, TemplatedText):
        return redacted
    by_value = text.map_values(partial(_redact_plain, search=search))
    return by_value if by_value == redacted else redacted  # a secret may extend beyond a value


def _redact_plain(text: str, search: _Search) -> str:
    parts, at = list[str](), 0
    for secret in search(text):
        parts += text[at : secret.start], f"[secret: {secret.name}]"
        at = secret.end
    return "".join([*parts, text[at:]]) if parts else text


def find_marks(text: str) -> set[str]:
    """Return the marks of secrets in a text."""
    return set(_MARK.findall(text)) if "[secret: " in text else set()
