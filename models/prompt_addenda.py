"""What some models must be told besides an agent's prompt, as data (`prompt_addenda.json`)."""

import json
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import cast


def find_addenda(name: str) -> list[str]:
    """Return the texts for `PROVIDER/MODEL`; patterns are matched in lower case."""
    lowered = name.lower()
    return [
        text
        for patterns, text in _load_addenda()
        if any(fnmatchcase(lowered, pattern) for pattern in patterns)
    ]


@cache
def _load_addenda() -> tuple[tuple[tuple[str, ...], str], ...]:
    content = Path(__file__).with_name("prompt_addenda.json").read_text(encoding="utf-8")
    rows = cast("list[dict[str, list[str] | str]]", json.loads(content))
    return tuple((tuple(cast("list[str]", row["models"])), str(row["text"])) for row in rows)
