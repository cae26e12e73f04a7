"""Whether a value that is assigned to the name of a secret may be one: no code, no example."""

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import cast
from urllib.parse import unquote

# Characters of a password and of a key, at least
MIN_PASSWORD_LENGTH, MIN_QUOTED_LENGTH, MIN_KEY_LENGTH = 6, 8, 12
_EXAMPLE = re.compile(
    r"""example|sample|dummy|placeholder|redacted|insecure(?!-)|change[-_.]?(?:me|it|this)|(?<![a-z])(?:your|my|some)[-_.]
    |passw(?:or)?d|passphrase|secret|token|credential|api[-_]?key|test|letmein|qwert|hello|world
    |(?<![a-z])(?:fake|mock|foo|bar|baz|todo|tbd|none|null|undefined|insert|replace|here|demo|invalid|wrong
    |correct(?!-horse)|unknown|default|value|key|pass|pw|admin|root|user|guest|abc)(?![a-z])
    |x{4}|\*{3}|\.{3}|_{4}|-{4}|12345|abcdefg|0{6}|deadbeef|cafebabe|^abc123|^123
    |^<.*>$|^\[.*\]$|^\{.*\}$|^\(.*\)$|^%.*%$|^[$&@#]|\$\{|\$\(|\{\{|%\(|%[sdr]|\{[\w.!]*\}|\[secret:|…|\\u|\s""",
    re.IGNORECASE | re.VERBOSE,
)
# A value without quotes that is an expression or a plain name, path, address, number
_EXPRESSION = re.compile(
    r"""[(){}\[\],;"'`\\]|::|->|\.\.|^[*%&!]|^[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)+$|^\d[\d_.,:-]*$""",
    re.VERBOSE,
)
_HARMLESS = re.compile(
    r"""^\.{0,2}/|^~/|^[A-Za-z]:\\|^[a-z][a-z0-9+.-]*://|^[A-Za-z]+(?:[._-][A-Za-z]+)*(?:[._-]?v?\d{1,4})?$
    |^(?:sha|md|rs|hs|es|ps|aes|rsa|utf|iso|base|ssh|tls)[-_]?\d|^(?:application|text|image)/
    |(?:sha\d{1,3}|md5|pbkdf2\w*|bcrypt\w*|argon2\w*|scrypt)[-:$]|^\$\w{1,12}\$""",
    re.IGNORECASE | re.VERBOSE,
)
_PATH = re.compile(r"^\.{0,2}/|^~/|^[A-Za-z]:\\|^[a-z][a-z0-9+.-]*://|^\d+$")
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}(?![a-z])")
# Letters that no word has
_NO_WORD = re.compile(r"(?i)[^aeiouy]{4}|^[^aeiouy]+$|q(?!u)")
# `user:password` in an address that only shows where they would be
_EXAMPLE_USER = re.compile(r"(?:\w*user\w*|u|foo|test|login|name)?", re.IGNORECASE)
_EXAMPLE_PASSWORDS = frozenset(
    ["pass", "passwd", "password", "pw", "pwd", "p", "bar", "baz", "foo", "test"]
)
# What the claims of example tokens say, such as jwt.io's `1234567890` and `John Doe`
_EXAMPLE_CLAIM = re.compile(
    r"^(?:1234567890|)$|\b(?:j(?:ohn|ane)[ _.-]?doe|foo|bar|baz|bob|alice|test\w*|example)\b",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"[$<{%*]|\$\{|\{\w*\}")
# Letters for digits and signs, as in `s3cr3t`
_LEET = str.maketrans("0134578@$!", "oieastbasi")


def compute_entropy(secret: str) -> float:
    """Return the bits a character, by how often each occurs."""
    counts, total = Counter(secret).values(), len(secret)
    return -sum(count / total * math.log2(count / total) for count in counts)


@lru_cache(maxsize=500)
def is_password(value: str, *, is_quoted: bool, is_setting: bool) -> bool:
    """Return whether a value may be a password; in `NAME=value` it may be plainer."""
    if is_setting:
        return len(value) >= MIN_PASSWORD_LENGTH and not _is_placeholder(value) and _has_mix(value)
    if len(value) < MIN_QUOTED_LENGTH or not _may_be_secret(value, is_quoted):
        return False
    if is_quoted:
        plain = value.translate(_LEET)
        replaced = sum(map(str.__ne__, value, plain))
        if _EXAMPLE.search(plain) or (plain.isalpha() and replaced < 3):
            return False
    return _has_mix(value)


@lru_cache(maxsize=500)
def is_key(value: str, *, is_quoted: bool) -> bool:
    """Return whether a value may be a key or token: random letters and digits."""
    if len(value) < MIN_KEY_LENGTH or not value.isascii() or not _may_be_secret(value, is_quoted):
        return False
    explained = sum(len(word) for word in _WORDS.findall(value) if not _NO_WORD.search(word))
    changes = _count_changes(value)
    has_digit = any(character.isdigit() for character in value)
    return (has_digit and changes >= max(3, len(value) // 8) and explained < len(value) * 0.6) or (
        len(value) >= 20 and changes >= len(value) // 3
    )


@lru_cache(maxsize=500)
def is_bearer_token(value: str) -> bool:
    """Return whether what follows `Bearer` may be a token, not a word or a variable."""
    if not is_web_token(value):
        return False
    return any(character.isdigit() for character in value) or _count_changes(value) > 5


@lru_cache(maxsize=500)
def is_web_token(value: str) -> bool:
    """Return whether a JSON web token may be real; what is none may be. An example says nothing."""
    claims = _decode_claims(value)
    texts = [claim for claim in claims.values() if isinstance(claim, str)]
    return not texts or not all(_EXAMPLE_CLAIM.search(claim) for claim in texts)


def _decode_claims(value: str) -> dict[str, object]:
    """Return what a JSON web token says; empty if it is none, or encrypted."""
    _, _, rest = value.partition(".")
    content, dot, _ = rest.partition(".")
    if not dot or not value.startswith("eyJ"):
        return {}
    try:
        claims = json.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4)))
    except ValueError:
        return {}
    return cast("dict[str, object]", claims) if isinstance(claims, dict) else {}


@lru_cache(maxsize=500)
def is_address_login(value: str) -> bool:
    """Return whether `user:password` in an address may be real."""
    user, _, password = value.partition(":")
    if user == password or _VARIABLE.match(password) or not password.strip("*x."):
        return False
    plain = unquote(password).lower()
    readings = (plain, plain.replace("@", "a"))
    return not (
        _EXAMPLE_USER.fullmatch(unquote(user).rpartition("%")[2])
        and any(_EXAMPLE_PASSWORDS.issuperset(re.split(r"\W+", text)) for text in readings)
    )


def is_login_in_base64(value: str) -> bool:
    """Return whether a value is `user:password` in base64, as in Docker's settings."""
    login = decode_login(value)
    return len(login.partition(":")[2]) > 2 and login.isascii() and is_address_login(login)


def decode_login(value: str) -> str:
    """Return the `user:password` that a value is in base64; empty if it is none."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except ValueError:
        return ""
    user, _, password = plain.partition(":")
    return plain if user and password and plain.isprintable() else ""


def _may_be_secret(value: str, is_quoted: bool) -> bool:
    if not (is_quoted or value.isascii()):  # the words after a colon, in another script
        return False
    if _EXAMPLE.search(value) or _HARMLESS.search(value) or len(set(value)) < 4:
        return False
    return is_quoted or not _EXPRESSION.search(value)


def _is_placeholder(value: str) -> bool:
    return bool(_EXAMPLE.search(value) or _PATH.search(value)) or len(set(value)) < 4


def _has_mix(value: str) -> bool:
    """Return whether letters, and digits, signs or capitals mix more than in a name."""
    has_letter = any(character.isalpha() for character in value)
    has_other = any(not character.isalpha() and character not in "_. " for character in value)
    return has_letter and has_other and compute_entropy(value) > 2.2


def _count_changes(value: str) -> int:
    """Count where the kind of character changes; a capital before small letters is none."""
    kinds = re.sub("[A-Z](?=[a-z])", "a", value)
    kinds = re.sub("[a-z]", "a", re.sub("[A-Z]", "A", re.sub("[0-9]", "0", kinds)))
    return sum(left != right for left, right in zip(kinds, kinds[1:], strict=False))


CHECKS: Mapping[str, Callable[[str], bool]] = {
    "address": is_address_login,
    "bearer": is_bearer_token,
    "web_token": is_web_token,
    "key": partial(is_key, is_quoted=True),
    "password": partial(is_password, is_quoted=True, is_setting=False),
}
"""What a rule may ask of a secret, by name."""
