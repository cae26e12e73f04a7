"""`# TEXT` in a conversation: a card of the user, or a line of `notes.md` where memory is off."""

import asyncio
from typing import Literal

from ....config.paths import locate_user_notes
from ....config.security.private_files import make_private_folder, open_private
from ....config.security.redaction import redact
from ...i18n.catalogs import t
from .session import Session

NOTE_TEMPLATE = "The user notes: {note}"
SHORT_ID = 8


async def keep_note(session: Session, text: str) -> None:
    """Keep a note for all later conversations, and send it with the next message.

    Where the user has switched memory off for this thread, it is only sent. Raises CardRefusedError
    if it may become no card, such as a secret.
    """
    note = text.encode(errors="replace").decode()  # typed bytes may not be valid text
    off = await find_off_switch(session)
    if not off:
        await _keep_card(session, note)
    else:
        note = redact(note)
        if off == "disabled":
            _append_to_file(session, note)
        else:
            session.show(t("repl.not_kept"), "dim")
    session.side_context.append(NOTE_TEMPLATE.format(note=note))


async def find_off_switch(session: Session) -> Literal["", "disabled", "off"]:
    """Return whether the setting (`disabled`) or this thread (`off`) switches memory off."""
    from ....config.settings.loader import load_settings  # imports pydantic

    loaded = await asyncio.to_thread(load_settings, session.folder, session.home)
    if not loaded.settings.memory.enabled:
        return "disabled"
    return "" if session.next_options.get("memory", True) else "off"


async def _keep_card(session: Session, note: str) -> None:
    from ....memory.cards.admission import remove_hidden, sounds_like_permission
    from ....memory.cards.library import CardDraft
    from ....memory.cards.notes_import import import_user_notes
    from ....memory.cards.store import open_library

    async with open_library(session.home, session.folder) as library:
        draft = CardDraft(remove_hidden(note), type="preference", scope="user", by_hand=True)
        addition = await library.add(draft, allow_near=True)
        imported = await import_user_notes(library, session.home)
    session.show(t("repl.remembered", id=addition.card.id[:SHORT_ID]), "dim")
    if await asyncio.to_thread(sounds_like_permission, addition.card.content):
        session.show(t("memory.no_permission"), "yellow")
    if imported.notes:
        # the thread has read them from the file until now
        session.side_context += [NOTE_TEMPLATE.format(note=note) for note in imported.notes]
        count = len(imported.notes)
        session.show(t("repl.notes_imported", count=count, file=imported.kept), "dim")


def _append_to_file(session: Session, note: str) -> None:
    """Append the note to `notes.md` beside the user's configuration."""
    file = locate_user_notes(session.home)
    make_private_folder(session.home)
    with open(file, "a", encoding="utf-8", opener=open_private) as notes:
        is_open = file.read_bytes()[-1:] not in (b"", b"\n")  # an editor may omit the newline
        notes.write("\n" * is_open + f"- {note}\n")
    session.show(t("repl.noted", file=file), "dim")
