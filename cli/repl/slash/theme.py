"""`/theme`: the colours of diffs and code, at once and in the user's file."""

from functools import partial

from rich.text import Text

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.theme import THEMES, use_theme
from ...terminal_options import get_theme_name
from ..session.cli_bridge import run_cli_command
from ..session.session import Session

NAMES = ("auto", *THEMES)
# What a theme looks like
SAMPLE = """--- a/cart.py
+++ b/cart.py
@@ -7,2 +7,2 @@
 def total(prices, discount):
-    return sum(prices) - discount
+    return round(sum(prices) * (1 - discount), 2)
"""


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
