"""Names of variables, fields, headers and options that say that their value is a secret."""

import re
from enum import Enum
from functools import lru_cache


class SecretKind(Enum):
    """What a name says about its value; the value is how a mark calls it."""

    PASSWORD = "password"
    KEY = "key"
    HEADER = "token"
    LOGIN = "login"
    """`user:password` in base64."""


_PASSWORD = re.compile(
    r"(?:passw(?:or)?d|passwort|passphrase|passcode|pwd|(?:wpa|sae)[_.-]?psk"
    r"|(?:^|[_.-])(?:pass|pw))$|(?-i:(?<=[a-z])Pass)$",
    re.IGNORECASE,
)
_QUALIFIERS = (
    "api|access|private|secret|auth|encryption|encrypt|signing|sign|account|master|service|licen[sc]e"
    "|shared|shared[_.-]?access|preshared|admin|storage|deploy|client|consumer|subscription|server"
    "|jwt|session|cipher|aes|hmac|webhook|app|application|host|integration|write|ingest|functions?"
)
_KEY = re.compile(
    rf"(?:secret|credentials?|(?<!\w)sig|secret[_.-]?id|(?:{_QUALIFIERS})[_.-]?key|(?:auth)?token)$",
    re.IGNORECASE,
)
_ENVIRONMENT_KEY = re.compile(r"[A-Z][A-Z0-9_]*_KEY")
_HEADER = re.compile(
    r"(?:proxy-)?authorization|x-(?:[a-z]+-)*(?:key|token|secret|auth|password)|private-token"
    r"|(?:dd-)?api-key|apikey|(?:job|deploy|circle)-token|ocp-apim-subscription-key",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"_?auth|\S*:_auth", re.IGNORECASE)
# What may follow such a name without another meaning: `TOKEN_PROD`, `password2`; the longest word
# first, since none is given back: a long run of digits would take forever
_ENDING = re.compile(
    r"(?:[_.-]?(?:value|raw|plaintext|plain|b64|base64|base|default|data|production|prod|dev|staging"
    r"|stage|live|primary|secondary|main|string|str|\d{1,3}))++$",
    re.IGNORECASE,
)
# A whole word before it says that it is none: `csrf_token`, `hasPassword`; not `redis_password`
_HARMLESS = re.compile(
    r"(?:^|[_.-]|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
    r"(?:(?:page|next|continuation|sync|start|end|[ebu]os|pad|unk|mask|sep|cls|stop|special|[ck]srf|xsrf"
    r"|cancel(?:l?ation)?|public|cache|context|parser?|lex|syntax|delimiter|previous|prev|resume|cursor"
    r")[_.-]?(?:token|key)"
    r"|(?:is|has|no|num|use|needs?|allow|with|show|hide|forgot|reset|change|confirm)[_.-]?"
    r"(?:token|key|passw(?:or)?d|secret|credentials?))$",
    re.IGNORECASE,
)


@lru_cache(maxsize=2000)
def find_kind(name: str) -> SecretKind | None:
    """Return what the value of a name is, if the name says that it is a secret."""
    name = name.strip("-.")
    if _HEADER.fullmatch(name):
        return SecretKind.HEADER
    if _LOGIN.fullmatch(name):
        return SecretKind.LOGIN
    plain = _ENDING.sub("", name)
    if _HARMLESS.search(plain):
        return None
    if _PASSWORD.search(plain):
        return SecretKind.PASSWORD
    is_key = _KEY.search(plain) or _ENVIRONMENT_KEY.fullmatch(plain)
    return SecretKind.KEY if is_key else None
