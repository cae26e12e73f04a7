"""`/keys`, `/vim`, `/theme`: the keys of the prompt and the colours of what is printed."""

from functools import partial

from rich.text import Text

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.definition_list import format_definition_list
from ...rendering.theme import THEMES, use_theme
from ...terminal_options import get_theme_name, has_vi_keys, set_key_style
from ..session.cli_bridge import run_cli_command
from ..session.session import Session

# Each row is the key `keys.NAME` of the catalogue, its keys and what they do
ROWS = (
    *("send", "newline", "history", "search", "menu", "mode", "thought", "todos", "stop", "rewind"),
    *("stash", "editor", "background", "clear", "exit", "suspend", "mention", "shell", "note"),
)
# Rows that the keys of vi change: their texts end in `.vi`
VI_ROWS = {"history", "stop"}
CHANGED = "*"

NAMES = ("auto", *THEMES)
# What a theme looks like
SAMPLE = """--- a/cart.py
+++ b/cart.py
@@ -7,2 +7,2 @@
 def total(prices, discount):
-    return sum(prices) - discount
+    return round(sum(prices) * (1 - discount), 2)
"""


async def show_keys(session: Session, _: str) -> None:
    """List the keys and what they do, those that `ui.keys` changes marked."""
    changed = VI_ROWS if has_vi_keys() else ()
    rows = [_describe_key(name, is_changed=name in changed) for name in ROWS]
    session.show(format_definition_list(rows))
    session.show(t("keys.style.vi" if has_vi_keys() else "keys.style"), "dim")


def _describe_key(name: str, *, is_changed: bool) -> tuple[str, str]:
    if not is_changed:
        return t(f"keys.{name}.key"), t(f"keys.{name}")
    return f"{t(f'keys.{name}.key.vi')} {CHANGED}", t(f"keys.{name}.vi")


async def toggle_vi_keys(session: Session, _: str) -> None:
    """Switch between the keys of vi and those of Emacs, from now on."""
    from ...commands.config import set_setting

    name = "emacs" if has_vi_keys() else "vi"
    await run_cli_command(session, partial(set_setting, "ui.keys", name))
    set_key_style(name)
    session.show(t(f"slash.vim.{name}"))
    if not session.prompt.apply_key_style():
        session.show(t("slash.vim.dumb"), "dim")


async def choose_theme(session: Session, name: str) -> None:
    """Use a theme from now on; without a name show the one in force."""
    names = ", ".join(f"`{theme}`" for theme in NAMES)
    if name and name not in NAMES:
        raise UsageError(t("slash.theme.unknown", name=name), hint=t("slash.near", names=names))
    if name:
        from ...commands.config import set_setting

        await run_cli_command(session, partial(set_setting, "ui.theme", name))
        use_theme(name)
    else:
        session.show(t("slash.theme.is", name=get_theme_name(), names=names))
    _show_sample(session)


def _show_sample(session: Session) -> None:
    from ...rendering.console import open_console
    from ...rendering.diffs.output import render_diff

    rows = render_diff(SAMPLE, open_console(stderr=False).width)
    session.show(Text("\n").join([Text(), *rows]))
