"""Secrets whose values are known: variables with names of keys, and keys of the settings."""

import os
import re
import string
from collections.abc import Iterator
from functools import lru_cache

# characters of a known value; shorter values occur in any text
MIN_SECRET_LENGTH = 8
_NAME = re.compile(
    r"(TOKEN(?!S|IZ)|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL|_PWD$|(_|SSH)PASS$|(^|_)AUTH(_|$)"
    r"|(^|_|API|ACCESS|SECRET|PRIVATE)KEYS?(_|$))(?!.*(FILE|PATH|URL|DIR|SOCK)$)",
    re.IGNORECASE,
)
# an address or a plain word is not a secret, whatever its variable is called
_HARMLESS = re.compile(r"https?://[^\s@]*|true|false|[a-z]+|[A-Z]+")
# A path: few changes of case and digits between its signs; a key in base64 has many, and may begin
# with `/`
_RUN = r"(?:[A-Z]?[^\W\d_A-Z]++|[A-Z]++|\d++){1,3}+(?![^\W_])"
_PATH = re.compile(rf"/[a-z._-]+|(?=/+[^/]++/)(?:/(?:[-_. ~@:,#()]++|{_RUN})*+)++")
# each by its name and the value as text, URL, JSON and base64
KnownSecrets = tuple[tuple[str, tuple[str, ...]], ...]
# What people leave around a value in an env file
_AROUND = f"{string.whitespace}\"'`“”‘’<>\ufeff\u200b"
# by value, the name of each secret of the settings
_remembered: dict[str, str] = {}


def remember_secret(name: str, value: str) -> None:
    """Remember a secret of the settings: it is redacted like those of the environment."""
    if is_secret_value(value) and not (value.startswith("${") and value.endswith("}")):
        _remembered[value] = name  # a variable's name is none


def load_known_secrets() -> KnownSecrets:
    """Return the secrets with a known value, as they are now; the longest first."""
    remembered = ((name, value) for value, name in _remembered.items())
    return _encode_secrets((*_find_secret_variables(), *remembered))


def find_known_values(text: str, secrets: KnownSecrets) -> Iterator[tuple[str, int, int]]:
    """Yield the name, start and end of every secret with a known value."""
    for name, spellings in secrets:
        for spelling in spellings:
            start = text.find(spelling)
            while start >= 0:
                yield name, start, start + len(spelling)
                start = text.find(spelling, start + len(spelling))


def _find_secret_variables() -> Iterator[tuple[str, str]]:
    # each search asks anew, and a name is decoded only once
    for name in filter(None, map(_decode_secret_name, os.environb)):
        if is_secret_value(value := os.environ[name].strip(_AROUND)):
            yield name, value


@lru_cache(maxsize=1000)
def _decode_secret_name(name: bytes) -> str:
    """Return the name of a variable that holds a secret, empty for another one."""
    decoded = os.fsdecode(name)
    return decoded if is_secret_name(decoded) else ""


@lru_cache(maxsize=1000)
def is_secret_name(name: str) -> bool:
    """Return whether a variable of this name holds a secret."""
    return bool(_NAME.search(name))


def is_secret_value(value: str) -> bool:
    """Return whether a value may be a secret: long, varied, no plain word, address or path."""
    long = len(value) >= MIN_SECRET_LENGTH and len(set(value)) > MIN_SECRET_LENGTH // 2
    return long and not _HARMLESS.fullmatch(value) and not _is_path(value)


def _is_path(value: str) -> bool:
    return os.path.isabs(value) and bool(_PATH.fullmatch(value) or os.path.lexists(value))


@lru_cache(maxsize=4)
def _encode_secrets(named: tuple[tuple[str, str], ...]) -> KnownSecrets:
    by_length = sorted(named, key=lambda pair: -len(pair[1]))
    return tuple((name, tuple(dict.fromkeys(_list_encodings(value)))) for name, value in by_length)


def _list_encodings(value: str) -> Iterator[str]:
    import base64  # most starts need none of these: they know no secret
    import json
    from urllib.parse import quote

    yield value
    yield quote(value, safe="")
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    data = value.encode(errors="surrogateescape")
    yield base64.b64encode(data).decode()
    yield base64.urlsafe_b64encode(data).decode().rstrip("=")
