"""Values as they are shown: `${NAME}` by name, and what may be a secret as stars."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import urlsplit, urlunsplit

from .redaction import redact
from .secrets.known_values import is_secret_name

HIDDEN = "***"
# `${NAME}`, also with a default, which may have a variable of its own
_REFERENCE = re.compile(r"\$\{((?:[^{}]|\$\{(?:[^{}]|\$\{[^{}]*\})*\})*)\}")
_OPTION = re.compile(r"--?([A-Za-z][\w-]*)(=?)(.*)", re.DOTALL)
_SCHEMES = re.compile(r"(basic|bearer|token|digest|apikey)", re.IGNORECASE)
_SECRET_NAMES = frozenset(["authorization", "proxy_authorization", "cookie"])
_USER = re.compile(r"(://)[^/\s@]*:[^/\s@]*@|(://)[^/\s@]{20,}@")


def has_secret_name(name: str) -> bool:
    """Return whether the name of a header, variable or option says that it holds a secret."""
    plain = name.replace("-", "_")
    return is_secret_name(plain) or plain.lower() in _SECRET_NAMES


def mask_literals(value: str, hidden: str = HIDDEN) -> str:
    """Replace all of a secret but its variables and the word before it, such as `Bearer`."""
    return "".join(_mask_parts(value, hidden))


def mask_secrets(value: str) -> str:
    """Replace what looks like a secret outside of variables."""
    value = _USER.sub(lambda match: f"://{HIDDEN}@" if "${" not in match[0] else match[0], value)
    return "".join(
        f"${{{_mask_default(part, redact)}}}" if is_reference else redact(part)
        for part, is_reference in _split_references(value)
    )


def mask_named(name: str, value: str) -> str:
    """Return the value of a variable or option: masked if its name says that it is a secret."""
    return mask_literals(value) if has_secret_name(name) else mask_secrets(value)


def mask_arguments(arguments: Iterable[str]) -> Iterator[str]:
    """Yield the arguments of a command, without the values of secret options."""
    secret_follows = False
    for argument in arguments:
        match = _OPTION.fullmatch(argument)
        is_named = bool(match and has_secret_name(match[1]))
        if secret_follows and not match:
            yield mask_literals(argument)
        elif match and is_named and match[2]:
            yield f"{argument.partition('=')[0]}={mask_literals(match[3])}"
        else:
            yield mask_secrets(argument)
        secret_follows = bool(match and is_named and not match[2])


def join_words(words: Sequence[str]) -> str:
    """Join the words as for a shell, but leave `${NAME}` and stars readable."""
    plain = (word.replace("${", "").replace("}", "").replace("*", "") for word in words)
    return " ".join(
        word if shlex.quote(bare) == bare else shlex.quote(word)
        for word, bare in zip(words, plain, strict=True)
    )


def mask_url(url: str) -> str:
    """Return the URL without its password, and without the literal values in its query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return mask_literals(url)
    user, at, host = parts.netloc.rpartition("@")
    place = f"{mask_literals(user)}@{host}" if at else host
    query = "&".join(_mask_query(pair) for pair in parts.query.split("&")) if parts.query else ""
    return mask_secrets(urlunsplit((parts.scheme, place, parts.path, query, "")))


def _mask_query(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return f"{name}={mask_literals(value)}" if equals else name


def _mask_parts(value: str, hidden: str) -> Iterator[str]:
    for part, is_reference in _split_references(value):
        if is_reference:
            yield f"${{{_mask_default(part, lambda default: mask_literals(default, hidden))}}}"
            continue
        words = part.split(" ")
        scheme = " ".join(word for word in words[:1] if len(words) > 1 and _SCHEMES.fullmatch(word))
        rest = part[len(scheme) :]
        blank = rest[: len(rest) - len(rest.lstrip(" "))]
        yield f"{scheme}{blank}{hidden if rest.strip() else ''}"


def _mask_default(reference: str, mask: Callable[[str], str]) -> str:
    name, separator, default = reference.partition(":-")
    return f"{name}{separator}{mask(default)}" if separator else reference


def _split_references(value: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a value; a variable is a part of its own, without `${` and `}`."""
    end = 0
    for match in _REFERENCE.finditer(value):
        if match.start() > end:
            yield value[end : match.start()], False
        yield match[1], True
        end = match.end()
    if end < len(value):
        yield value[end:], False
