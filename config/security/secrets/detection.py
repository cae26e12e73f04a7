"""The one search for secrets: redaction, the scan before a push, cards and reports use it."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..private_keys import find_private_keys
from .known_values import MIN_SECRET_LENGTH, find_known_values

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
    (begin, re.compile(f"{re.escape(begin)}(?<![A-Za-z0-9]{re.escape(begin)}){rest}"), name, 0)
    for name, begin, rest in _FORMATS
] + [(lead, re.compile(re.escape(lead) + rest), name, len(lead)) for name, lead, rest in _LEADS]


class SecretMatch(NamedTuple):
    """A secret in a text, which `text[start:end]` is."""

    name: str
    """What it is, such as `GitHub token`, or the name of its variable."""
    start: int
    end: int


def find_secrets(text: str) -> list[SecretMatch]:
    """Return the secrets in a text, in order and without overlaps."""
    if len(text) < MIN_SECRET_LENGTH:
        return []
    return _join_overlaps([*map(SecretMatch._make, find_known_values(text)), *_find_forms(text)])


def _find_forms(text: str) -> Iterator[SecretMatch]:
    if "PRIVATE KEY-----" in text:
        for start, end in find_private_keys(text):
            yield SecretMatch("private key", start, end)
    for begin, pattern, name, lead in _PATTERNS:
        if begin in text:
            for match in pattern.finditer(text):
                yield SecretMatch(name, match.start() + lead, match.end())


def _join_overlaps(matches: Iterable[SecretMatch]) -> list[SecretMatch]:
    """Return the matches in order; those that overlap are one, with the name of the first."""
    joined = list[SecretMatch]()
    for match in sorted(matches, key=lambda match: match.start):
        if joined and match.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, match.end))
        else:
            joined.append(match)
    return joined
