"""The one search for secrets: redaction, the scan before a push, cards and reports use it."""

from collections.abc import Iterable
from typing import NamedTuple

from .known_values import MIN_SECRET_LENGTH, find_known_values
from .rules import NAME_WORDS, find_by_rules


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
    lowered = text.encode("ascii", "replace").lower()
    found = [*find_known_values(text), *find_by_rules(text, lowered)]
    if any(word in lowered for word in NAME_WORDS):
        from .assignments import find_assigned  # compiles its expressions

        found += find_assigned(text, lowered)
    if "-----BEGIN " in text or "Private-Lines: " in text:
        from .private_keys import find_private_keys  # compiles its expressions

        found += [("private key", start, end) for start, end in find_private_keys(text)]
    return _join_overlaps(map(SecretMatch._make, found))


def _join_overlaps(matches: Iterable[SecretMatch]) -> list[SecretMatch]:
    """Return the matches in order; those that overlap are one, with the name of the first."""
    joined = list[SecretMatch]()
    for match in sorted(matches, key=lambda match: match.start):
        if joined and match.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, match.end))
        else:
            joined.append(match)
    return joined
