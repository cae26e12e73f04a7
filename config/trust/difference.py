"""What differs from what a user has consented to, with what was and what is."""

import json
from collections.abc import Iterable, Mapping, Sequence

from ..security.provenance import find_provenance_changes
from ..text import text
from .inventory import InventoryItem
from .program_item import ProgramItem
from .store import Consent, ConsentedProgram

# By message: what was, and what is; None: what was is not kept
Differences = dict[str, tuple[str | None, str]]
# Most bytes of what the record keeps of one folder's files and programs to show differences
MAX_KEPT = 200_000


def keep_shown(
    inventory: Iterable[InventoryItem], programs: Iterable[ProgramItem]
) -> tuple[dict[str, str], tuple[ConsentedProgram, ...]]:
    """Return texts by path, and programs, as the record keeps them, without secrets.

    What does not fit is kept by its digest only, the most powerful files last.
    """
    budget = _Budget()
    consented = tuple(to_consented(item, budget) for item in programs)
    return _keep_texts(inventory, budget), consented


def follow_shown(
    yes: Consent, files: Iterable[InventoryItem], scripts: Mapping[str, ProgramItem]
) -> tuple[dict[str, str], tuple[ConsentedProgram, ...] | None]:
    """Return what the consent keeps, with these files, and scripts by subject, as they are now."""
    changed = list(files)
    paths = {item.path for item in changed}
    texts = {path: content for path, content in yes.texts.items() if path not in paths}
    others = [one for one in yes.programs or () if one.subject not in scripts]
    budget = _Budget(*texts.values(), *(program.shown for program in others))
    programs = [
        to_consented(scripts[program.subject], budget) if program.subject in scripts else program
        for program in yes.programs or ()
    ]
    texts |= _keep_texts(changed, budget)
    return texts, None if yes.programs is None else tuple(programs)


class _Budget:
    """What of a folder may still be kept."""

    def __init__(self, *kept: str) -> None:
        self._left = MAX_KEPT - sum(map(_count_bytes, kept))

    def take(self, content: str) -> str | None:
        """Return a text without secrets; None if it does not fit."""
        redacted = _redact(content)
        if _count_bytes(redacted) > self._left:
            return None
        self._left -= _count_bytes(redacted)
        return redacted


def _redact(content: str) -> str:
    from ..security.redaction import redact  # loaded late: it is slow

    return redact(content) if content else ""


def _count_bytes(content: str) -> int:
    """Count the bytes that a text has in the record."""
    return len(json.dumps(content, ensure_ascii=False).encode(errors="backslashreplace"))


def to_consented(item: ProgramItem, budget: _Budget) -> ConsentedProgram:
    """Return a program as the record keeps it."""
    named = item.provenance
    shown = budget.take(item.shown)
    return ConsentedProgram(named.subject, named.source, named.digest, shown or "")


def _keep_texts(inventory: Iterable[InventoryItem], budget: _Budget) -> dict[str, str]:
    kept = ((item.path, budget.take(item.shown)) for item in inventory if item.kind != "mcp")
    return {path: content for path, content in kept if content is not None}


def find_file_differences(yes: Consent, inventory: Iterable[InventoryItem]) -> Differences:
    """Return the changed files that have a text to show."""
    return {
        text("`{path}` changed", path=item.path): (yes.texts.get(item.path), _redact(item.shown))
        for item in inventory
        if yes.files.get(item.path, item.digest) != item.digest
        and (item.shown or item.path in yes.texts)
    }


def find_program_differences(yes: Consent, programs: Iterable[ProgramItem]) -> Differences:
    """Return new and changed programs; what was not shown at that time is not covered."""
    if yes.programs is None:
        return {_describe_unshown(item): ("", _redact(item.shown)) for item in programs}
    consented = [program.provenance for program in yes.programs]
    return {
        message: (_find_shown(yes.programs, item), _redact(item.shown))
        for item in programs
        for message in find_provenance_changes(consented, [item.provenance])
    }


def _find_shown(consented: Sequence[ConsentedProgram], item: ProgramItem) -> str | None:
    """Return what a consent showed of a program; empty if it is new, None if it is not kept."""
    names = (item.provenance.subject, item.provenance.source)
    for program in consented:
        if (program.subject, program.source) == names:
            return program.shown or (None if item.shown else "")
    return ""


def _describe_unshown(item: ProgramItem) -> str:
    return text(
        "`{subject}` in `{source}` was not shown before",
        subject=item.provenance.subject,
        source=item.provenance.source,
    )
