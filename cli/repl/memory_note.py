"""`# text`: a note in the user's own file, which every run reads, told with the next message."""

from ...config.paths import locate_user_notes
from ...config.security.private_files import make_private_folder, open_private
from ...config.security.redaction import redact
from ..i18n.catalogs import t
from .session.session import Session

MESSAGE_TEMPLATE = "The user notes: {note}"


def keep_note(session: Session, text: str) -> None:
    """Append the note to `notes.md` beside the user's configuration."""
    note = redact(text).encode(errors="replace").decode()  # bytes may be typed that are no text
    file = locate_user_notes(session.home)
    make_private_folder(session.home)
    with open(file, "a", encoding="utf-8", opener=open_private) as notes:
        is_open = file.read_bytes()[-1:] not in (b"", b"\n")  # as an editor may leave the last line
        notes.write("\n" * is_open + f"- {note}\n")
    session.side_context.append(MESSAGE_TEMPLATE.format(note=note))
    session.show(t("repl.noted", file=file), "dim")
