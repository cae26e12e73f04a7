"""Hyperlinks of a terminal (OSC 8) on addresses and places in files, which are their own targets.

A link never stands on other words than its target, so that nobody is led elsewhere.
"""

import re
from pathlib import Path

from rich.style import Style
from rich.text import Text

from ..line_breaks import link_addresses

# A place in a file: `src/cart.py:12`
_PLACE = re.compile(r"(?<![\w/.:-])((?:\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*\.\w+):\d+(?::\d+)?")


def add_links(row: Text, folder: Path) -> Text:
    """Link the addresses of a row, and the places in files that exist below this folder."""
    link_addresses(row)
    for match in _PLACE.finditer(row.plain):
        file = folder / match[1]
        if file.is_file():
            row.stylize(Style(link=file.absolute().as_uri()), *match.span())
    return row
