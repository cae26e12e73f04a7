"""`/keys`, `/vim`: the keys of the prompt."""

from functools import partial

from ...i18n.catalogs import t
from ...rendering.definition_list import format_definition_list
from ...terminal_options import has_vi_keys, set_key_style
from ..session.cli_bridge import run_cli_command
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


async def toggle_vi_keys(session: Session, _: str) -> None:
    """Switch between the keys of vi and those of Emacs, from now on."""
    from ...commands.config import set_setting

    name = "emacs" if has_vi_keys() else "vi"
    await run_cli_command(session, partial(set_setting, "ui.keys", name))
    set_key_style(name)
    session.show(t(f"slash.vim.{name}"))
    if not session.prompt.apply_key_style():
        session.show(t("slash.vim.dumb"), "dim")
