"""`# text`: a note in the user's own file, which every run reads, told with the next message."""

from ...config.paths import user_notes
from ...config.security.private_files import make_private_folder, private_opener
from ...config.security.redaction import redacted
from ..i18n.catalogs import t
from .session.session import Session

TOLD = "The user notes: {note}"


def keep_note(session: Session, text: str) -> None:
    """Append the note to `notes.md` beside the user's configuration."""
    note = redacted(text).encode(errors="replace").decode()  # bytes may be typed that are no text
    file = user_notes(session.home)
    make_private_folder(session.home)
    with open(file, "a", encoding="utf-8", opener=private_opener) as notes:
        is_open = file.read_bytes()[-1:] not in (b"", b"\n")  # as an editor may leave the last line
        notes.write("\n" * is_open + f"- {note}\n")
    session.aside.append(TOLD.format(note=note))
    session.show(t("repl.noted", file=file), "dim")
