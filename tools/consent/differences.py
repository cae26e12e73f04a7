"""The difference between what the user has consented to and what is written there now."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...config.security.provenance import Provenance
from ...config.security.redaction import redact
from ..textedits.unified_diff import build_diff, shorten_diff
from .kept_texts import read_kept_text
from .origin import Origin

# Most characters of a difference in a question
MAX_DIFFERENCE = 8_000


def list_changed(
    consented: Iterable[Provenance], current: Iterable[Origin]
) -> list[tuple[Provenance | None, Origin]]:
    """Return what is new or differs from what was consented to, each with its consented state."""
    known = {(item.subject, item.source): item for item in consented}
    pairs = [
        (known.get((origin.provenance.subject, origin.provenance.source)), origin)
        for origin in current
    ]
    return [(old, origin) for old, origin in pairs if old != origin.provenance]


def render_differences(
    home: Path | None, consented: Sequence[Provenance], current: Iterable[Origin]
) -> str:
    """Render what has changed as one bounded diff; empty if nothing of it can be shown."""
    differences = [
        _render_difference(home, old, origin) for old, origin in list_changed(consented, current)
    ]
    return shorten_diff("".join(filter(None, differences)), MAX_DIFFERENCE)


def _render_difference(home: Path | None, old: Provenance | None, origin: Origin) -> str:
    name, now = origin.provenance.source, redact(origin.text)
    before = read_kept_text(home, old.digest) if home and old else ""
    return build_diff(before or "", now, name)
