"""Lines that were typed and sent before there was a prompt."""

import os
import select
import termios

MOST = 65_536
"""Bytes of a line."""


def read_typeahead(keys: int) -> list[str]:
    """The lines that a terminal holds ready; a begun one stays there, for the prompt to read.

    The terminal has made line feeds of every Enter by then, which are new lines to the prompt.
    """
    lines: list[str] = []
    while _has_lines(keys) and (typed := os.read(keys, MOST)):
        lines.append(typed.decode(errors="replace").rstrip("\n"))
    return lines


def _has_lines(keys: int) -> bool:
    in_lines = os.isatty(keys) and termios.tcgetattr(keys)[3] & termios.ICANON
    return bool(in_lines and select.select([keys], [], [], 0)[0])
