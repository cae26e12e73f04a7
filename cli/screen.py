"""What reaches the terminal: a console, and foreign text made safe for it."""

import sys

from rich.console import Console, RenderableType
from rich.text import Text

from ..config.redaction import redacted
from .safe_text import safe


def open_console(*, stderr: bool = True) -> Console:
    """A console that neither guesses styles nor wraps; `NO_COLOR` and pipes are plain."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def styled(text: str, style: str) -> Text:
    """Foreign text in one style, no secret in it."""
    return Text(safe(redacted(text)), style=style)


def rendered(what: str | RenderableType) -> str:
    """Lines as this terminal shows them, for what writes them later; a `str` is foreign text."""
    console = open_console(stderr=False)
    line = styled(what, "") if isinstance(what, str) else what
    with console.capture() as lines:
        console.print(line)
    return lines.get()


def write(lines: str) -> None:
    """Write what `rendered` made, at once."""
    sys.stdout.write(lines)
    sys.stdout.flush()
