"""The files that a pattern with `*`, `?` or `[` stands for, as shells and make find them."""

import os
import re
from itertools import islice
from pathlib import Path

# Most files that one pattern may stand for
MAX_MATCHES = 200
_SIGNS = re.compile(r"[*?\[]")
_STARS = re.compile(r"\*\*+")


def is_pattern(name: str) -> bool:
    """Return whether a name may stand for several files."""
    return _SIGNS.search(name) is not None


def find_matches(pattern: str, folder: Path) -> list[Path] | None:
    """Return the files that a pattern stands for; None if they are too many to look at."""
    path = Path(pattern)
    start, parts = (Path(path.anchor), path.parts[1:]) if path.anchor else (folder, path.parts)
    parts = tuple(part if part == "**" else _STARS.sub("*", part) for part in parts)
    if "**" in parts and (path.anchor or ".." in parts):  # a walk far outside the project
        return None
    if parts[-1:] == ("**",):
        parts += ("*",)
    try:
        found = list(islice(start.glob(os.path.join(*parts)), MAX_MATCHES + 1))
    except (OSError, ValueError, NotImplementedError, TypeError):  # no shell finds anything, too
        return []
    return found if len(found) <= MAX_MATCHES else None
