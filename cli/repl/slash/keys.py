"""`/keys`: the keys of the prompt."""

from ...i18n.catalogs import t
from ...rendering.definition_list import format_definition_list
from ..session.session import Session

# Each row is the key `keys.NAME` of the catalogue, its keys and what they do
ROWS = (
    *("send", "newline", "history", "search", "menu", "mode", "thought", "todos", "stop", "rewind"),
    *("stash", "editor", "background", "clear", "exit", "suspend", "mention", "shell", "note"),
)


async def show_keys(session: Session, _: str) -> None:
    """List the keys, and the signs that a line may begin with."""
    rows = [(t(f"keys.{name}.key"), t(f"keys.{name}")) for name in ROWS]
    session.show(format_definition_list(rows))
