"""Import of `notes.md`, where `#note` wrote before there were cards: each note becomes a card."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.paths import locate_user_notes
from ...config.security.private_files import replace_file
from .admission import CardRefusedError
from .card import Source

if TYPE_CHECKING:
    from .library import CardLibrary

# A line that begins with a dash, and the indented lines after it
_NOTE = re.compile(r"^[-*] +(\S.*(?:\n[ \t]+\S.*)*)\n?", re.MULTILINE)
_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class NotesImport:
    """What came of the notes."""

    notes: Sequence[str] = ()
    """The notes that are cards now."""
    kept: Path | None = None
    """Where the imported notes are kept as they were."""


async def import_user_notes(library: "CardLibrary", home: Path) -> NotesImport:
    """Make a card of the user from each note, once; the file keeps only what can be no card.

    `notes.md` is an instruction file, too: what has become a card would be read twice. The notes
    are first copied to `notes.imported.md`. After a kill the next import continues: a note that is
    a card already becomes no second one.
    """
    file = locate_user_notes(home)
    notes = _read_notes(file)
    if not notes:
        return NotesImport()
    imported = [note for note in notes if await _add_note(library, _join_lines(note))]
    if not imported:
        return NotesImport()
    imported_file = file.with_name("notes.imported.md")
    content = file.read_text(encoding="utf-8", errors="replace")
    _append(imported_file, "".join(f"- {note}\n" for note in imported))
    rest = _NOTE.sub(lambda match: "" if match[1] in imported else match[0], content)
    if rest.strip():
        replace_file(file, rest.encode())
    else:
        file.unlink()
    return NotesImport(imported, imported_file)


def _read_notes(file: Path) -> Sequence[str]:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return []
        content = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [match[1] for match in _NOTE.finditer(content)]


async def _add_note(library: "CardLibrary", note: str) -> bool:
    """Return whether the note is a card now; False if it may not become one."""
    from .library import CardDraft

    draft = CardDraft(note, type="preference", scope="user", source=Source(by="user"))
    try:
        await library.add(draft, allow_near=True)
    except CardRefusedError:
        return False
    return True


def _join_lines(note: str) -> str:
    return "\n".join(line.strip() for line in note.splitlines())


def _append(file: Path, content: str) -> None:
    before = file.read_bytes() if file.exists() else b""
    replace_file(file, before + content.encode())
