"""Notes of the graph that still hold, for the note that stands for hidden messages."""

from ..enforce_schema import build_schema_note
from ..roles import CHAT_ROLES, RoleName
from ..run.modes import format_announcement
from ..state import State


def build_standing_notes(state: State, role: RoleName) -> str:
    """Return the notes on a conversation's mode and on the form of its answer.

    The notes themselves are hidden, and the mode is announced again only when it changes.
    """
    options = state.get("options", {})
    if role not in CHAT_ROLES:
        return ""
    mode = [format_announcement(options)] if options.get("plan") else []
    schema = [str(note.text) for note in build_schema_note(options)]
    return "\n\n".join([*mode, *schema])
