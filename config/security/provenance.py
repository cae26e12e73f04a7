"""Provenance: what is started, where that is written, and a digest of all that decides it."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..text import text


@dataclass(frozen=True, order=True)
class Provenance:
    """What a consent covers: consent binds to content and origin, not to a name."""

    subject: str
    """What is started, such as `server db`, `script build.sh` or `git core.hooksPath`."""
    source: str
    """The file that says so: relative to the project, or absolute outside it."""
    digest: str
    """Digest of all that decides what runs; empty: it cannot be read, so no consent covers it."""


def compute_provenance_digest(*parts: str | bytes) -> str:
    """Compute one digest of several parts; no two lists of parts have the same."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def find_provenance_changes(
    consented: Iterable[Provenance], current: Iterable[Provenance]
) -> Sequence[str]:
    """Return what differs from what was consented to, as messages; empty if all of it is covered.

    What is started no more needs no consent, so it is not a change.
    """
    return list(_describe_changes(list(consented), list(current)))


def _describe_changes(consented: list[Provenance], current: list[Provenance]) -> Iterator[str]:
    digests = {(item.subject, item.source): item.digest for item in consented}
    for item in current:
        known = digests.get((item.subject, item.source))
        names = {"subject": item.subject, "source": item.source}
        if not item.digest and item.subject == "tasks":
            yield text("`{source}` reads or runs files that are known only when it runs", **names)
        elif known is None:
            yield text("`{subject}` in `{source}` is new", **names)
        elif not item.digest:
            yield text("`{subject}` in `{source}` cannot be read", **names)
        elif known != item.digest:
            yield text("`{subject}` in `{source}` changed", **names)
