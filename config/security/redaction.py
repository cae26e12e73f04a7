"""Redaction of secrets in stored and shown text: `redact` replaces each with a mark.

Known secrets are the values of variables with names of keys, and of such settings; other secrets
are found by the distinctive form of a key. Each search runs only if the text contains its first
characters, so text without secrets costs next to nothing.
"""

import base64
import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast
from urllib.parse import quote

from ..text import TemplatedText
from .private_keys import without_private_keys

# characters of a known value; shorter values occur in any text
MIN_SECRET_LENGTH = 8
_MARK = re.compile(r"\[secret: [\w .-]{1,80}\]")
_NAME = re.compile(
    r"(TOKEN(?!S|IZ)|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL|_PWD$|(^|_)AUTH(_|$)"
    r"|(^|_|API|ACCESS|SECRET|PRIVATE)KEYS?(_|$))(?!.*(FILE|PATH|URL|DIR|SOCK)$)",
    re.IGNORECASE,
)
# an address or a plain word is not a secret, whatever its variable is called
_HARMLESS = re.compile(r"https?://[^\s@]*|true|false|[a-z]+|[A-Z]+")

# Name, beginning, rest: keys of these forms are nothing else. What may fail late is bounded, since
# the text may be made to take long.
_FORMATS: tuple[tuple[str, str, str], ...] = (
    ("AWS key", "AKIA", r"[0-9A-Z]{16}\b"),
    ("AWS key", "ASIA", r"[0-9A-Z]{16}\b"),
    ("GitHub token", "gh", r"[pousr]_[A-Za-z0-9]{36,}\b"),
    ("GitHub token", "github_pat_", r"[A-Za-z0-9_]{36,}"),
    ("GitLab token", "glpat-", r"[\w-]{20,}"),
    ("Slack token", "xox", r"[abeoprs]-[\w-]{10,}"),
    ("Slack token", "xapp-", r"\d-[\w-]{10,}"),
    ("API key", "sk-", r"(?=[\w-]{0,200}\d)[\w-]{20,}"),
    ("Google key", "AIza", r"[\w-]{35}"),
    ("Google token", "ya29.", r"[\w-]{20,}"),
    ("Stripe key", "sk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Stripe key", "rk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Groq key", "gsk_", r"[A-Za-z0-9]{20,}\b"),
    ("xAI key", "xai-", r"[A-Za-z0-9]{20,}\b"),
    ("npm token", "npm_", r"[A-Za-z0-9]{36}\b"),
    ("PyPI token", "pypi-AgE", r"[\w-]{40,}"),
    ("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,}\b"),
    ("JSON web token", "eyJ", r"[\w-]{10,1000}\.eyJ[\w-]{10,4000}\.[\w-]{10,}"),
)
# Name, what leads to a secret, the secret: `Authorization: Bearer …`, `https://me:password@…`
_LEADS: tuple[tuple[str, str, str], ...] = (
    ("token", "earer ", r"[A-Za-z0-9._~+/-]{16,}=*"),
    ("password", "://", r"[^\s/@:'\"<>]{0,200}:[^\s/@'\"<>$\{\}\[\]]{1,200}(?=@[\w.-])"),
)
_PATTERNS = [
    (begin, re.compile(f"{re.escape(begin)}(?<![A-Za-z0-9]{re.escape(begin)}){rest}"), name, "")
    for name, begin, rest in _FORMATS
] + [(lead, re.compile(re.escape(lead) + rest), name, lead) for name, lead, rest in _LEADS]
# by value, the name of each secret of the settings
_remembered: dict[str, str] = {}


def remember_secret(name: str, value: str) -> None:
    """Remember a secret of the settings: it is redacted like those of the environment."""
    if is_secret_value(value):
        _remembered[value] = name


def redact(text: str) -> str:
    """Replace every secret in the text with a mark; a message keeps its template."""
    redacted = _redact_plain(text)
    if not isinstance(text, TemplatedText):
        return redacted
    by_value = text.map_values(_redact_plain)
    return by_value if by_value == redacted else redacted  # a secret may extend beyond a value


def _redact_plain(text: str) -> str:
    if len(text) < MIN_SECRET_LENGTH:
        return text
    text = without_known(text)
    if "PRIVATE KEY-----" in text:
        text = without_private_keys(text, "[secret: private key]")
    for begin, pattern, name, prefix in _PATTERNS:
        if begin in text:
            text = pattern.sub(f"{prefix}[secret: {name}]", text)
    return text


def without_known(text: str) -> str:
    """Replace every secret with a known value in the text."""
    for name, spellings in _list_known_secrets():
        for spelling in spellings:
            if spelling in text:
                text = text.replace(spelling, f"[secret: {name}]")
    return text


def redact_json(value: Any) -> Any:
    """Redact every text in a JSON value, including names in objects."""
    match value:
        case str():
            return redact(value)
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return {redact_json(name): redact_json(item) for name, item in items}
        case list() | tuple():
            return [redact_json(item) for item in cast("list[Any]", value)]
        case _:
            return value


def find_marks(text: str) -> set[str]:
    """Return the marks of secrets in a text."""
    return set(_MARK.findall(text)) if "[secret: " in text else set()


def _list_known_secrets() -> tuple[tuple[str, tuple[str, ...]], ...]:
    named = (*_find_secret_variables(), *((name, value) for value, name in _remembered.items()))
    return _encode_secrets(tuple(named))


def _find_secret_variables() -> Iterator[tuple[str, str]]:
    for name in os.environ:
        if is_secret_name(name) and is_secret_value(value := os.environ[name].strip()):
            yield name, value


@lru_cache(maxsize=1000)
def is_secret_name(name: str) -> bool:
    """Return whether a variable of this name holds a secret."""
    return bool(_NAME.search(name))


def is_secret_value(value: str) -> bool:
    """Return whether a value may be a secret: long, varied, no plain word, address or path."""
    long = len(value) >= MIN_SECRET_LENGTH and len(set(value)) > MIN_SECRET_LENGTH // 2
    return long and not _HARMLESS.fullmatch(value) and not os.path.isabs(value)


@lru_cache(maxsize=4)
def _encode_secrets(named: tuple[tuple[str, str], ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each name with its value as text, URL, JSON and base64; the longest first."""
    by_length = sorted(named, key=lambda pair: -len(pair[1]))
    return tuple((name, tuple(dict.fromkeys(_list_encodings(value)))) for name, value in by_length)


def _list_encodings(value: str) -> Iterator[str]:
    yield value
    yield quote(value, safe="")
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    data = value.encode(errors="surrogateescape")
    yield base64.b64encode(data).decode()
    yield base64.urlsafe_b64encode(data).decode().rstrip("=")
