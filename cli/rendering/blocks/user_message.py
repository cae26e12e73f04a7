"""The user's message: behind a bar, so that it is found again in a long conversation."""

from rich.text import Text

from ..console import can_redraw, open_console, render_lines, style_text
from ..line_breaks import wrap_text
from ..text_width import measure_width
from ..theme import get_theme

BAR = "▌ "
SIGN = "› "
BAR_STYLE, TEXT_STYLE = "cyan", "bold"


def build_user_message(text: str, width: int) -> Text:
    """Return the message on a band, in rows of at most `width` cells."""
    message = style_text(text.strip(), "")
    rows, style = list(wrap_text(message, max(width - len(BAR), 1))), get_theme().message
    room = width - len(BAR) if "on" in style else 0  # the band ends at the right edge
    bands = [Text(f"{row.plain}{' ' * (room - measure_width(row.plain))}", style) for row in rows]
    return Text("\n").join(Text.assemble((BAR, BAR_STYLE), band) for band in bands)


def render_user_message(text: str) -> str:
    """Return the lines of a message for later output, with an empty one before them."""
    console = open_console(stderr=False)
    if can_redraw(console):
        return render_lines(Text.assemble("\n", build_user_message(text, console.width)))
    indented = text.strip().replace("\n", "\n" + " " * len(SIGN))
    return render_lines(style_text(f"\n{SIGN}{indented}", TEXT_STYLE))
