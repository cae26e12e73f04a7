"""What differs from what a user has consented to, with what was and what is."""

from collections.abc import Iterable, Mapping

from ..security.provenance import find_provenance_changes
from ..text import text
from .inventory import InventoryItem
from .program_item import ProgramItem
from .store import Consent, ConsentedProgram

# By message: what was, and what is; both empty where neither was kept
Differences = dict[str, tuple[str, str]]
# Most characters of the texts of one folder in the record
MAX_TEXTS = 400_000


def to_consented(item: ProgramItem) -> ConsentedProgram:
    """Return a program as the record keeps it."""
    named = item.provenance
    return ConsentedProgram(named.subject, named.source, named.digest, item.shown)


def collect_texts(inventory: Iterable[InventoryItem]) -> dict[str, str]:
    """Return the texts to keep, the most powerful files first."""
    texts, left = dict[str, str](), MAX_TEXTS
    for item in inventory:
        if item.shown and len(item.shown) <= left:
            texts[item.path] = item.shown
            left -= len(item.shown)
    return texts


def find_file_differences(yes: Consent, inventory: Iterable[InventoryItem]) -> Differences:
    """Return the changed files whose text was kept."""
    return {
        text("`{path}` changed", path=item.path): (yes.texts[item.path], item.shown)
        for item in inventory
        if item.path in yes.texts and yes.files.get(item.path, item.digest) != item.digest
    }


def find_program_differences(yes: Consent, programs: Iterable[ProgramItem]) -> Differences:
    """Return new and changed programs; what was not shown at that time is not covered."""
    if yes.programs is None:
        return {_describe_unshown(item): ("", item.shown) for item in programs}
    consented = [program.provenance for program in yes.programs]
    shown = {(program.subject, program.source): program.shown for program in yes.programs}
    return {
        message: (shown.get((item.provenance.subject, item.provenance.source), ""), item.shown)
        for item in programs
        for message in find_provenance_changes(consented, [item.provenance])
    }


def follow_programs(
    yes: Consent, changed: Mapping[str, ProgramItem]
) -> tuple[ConsentedProgram, ...] | None:
    """Return the consented programs with these by subject in their current form."""
    if yes.programs is None:
        return None
    return tuple(
        to_consented(changed[program.subject]) if program.subject in changed else program
        for program in yes.programs
    )


def _describe_unshown(item: ProgramItem) -> str:
    return text(
        "`{subject}` in `{source}` was not shown before",
        subject=item.provenance.subject,
        source=item.provenance.source,
    )
