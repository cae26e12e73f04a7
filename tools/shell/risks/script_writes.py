"""The files that scripts of `sed`, `awk` and editors write to, found by a plain look."""

import re

from ...protected_paths import find_protected_name
from ..parsing.simple_command import SimpleCommand

_PROGRAMS = frozenset(
    ["sed", "gsed", "awk", "gawk", "mawk", "nawk", "ed", "ex", "vi", "vim", "nvim", "view"]
)
_WRITES = re.compile(
    r"""(?:(?<![A-Za-z])|/[gpIime0-9]+)(?:w|W|wq|write|x|sav|saveas|up|update)!?\s+([^\s"'|;}]+)"""
    r"""|/[gpIime0-9]*w\s*([^\s;}]+)|>\s*"([^"]+)\""""
)


def find_script_write(step: SimpleCommand) -> str:
    """The protected name that a script in a step's words or input writes to; empty when none."""
    if step.program not in _PROGRAMS:
        return ""
    texts = [word.text for word in step.words[1:]] + [step.feed.text or ""]
    names = (name for text in texts for found in _WRITES.findall(text) for name in found if name)
    return next((name for name in names if find_protected_name(name)), "")
