"""The JSON value that a model's answer is meant to be, however it was wrapped or misspelled (pure).

Nothing is made of prose: only what was plainly meant as JSON from its first to its last character
is repaired, since a cut or invented answer must not pass for a whole one.
"""

import json
import re
from collections.abc import Iterator

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_BRACKETED = re.compile(r"[\[{].*[\]}]", re.DOTALL)
MEANT_AS_JSON = ("{}", "[]")
"""How such a text begins and ends."""
LONGEST_REPAIR = 100_000
"""Characters; the time of a repair can grow faster than its text."""


def find_json_values(text: str) -> Iterator[object]:
    """The values that the answer may stand for, the likeliest first.

    The whole text, a fenced block (the last one first), what is between the first and the last
    bracket; then the whole text and the blocks with their spelling repaired.
    """
    wrapped = [text, *(match[2] for match in reversed(list(_FENCED.finditer(text))))]
    wrapped = [one.strip("\ufeff \t\r\n") for one in wrapped]
    between = _BRACKETED.search(text)
    for one in (*wrapped, *([between[0]] if between else ())):
        yield from _parse_strictly(one)
    for one in wrapped:
        if one[:1] + one[-1:] in MEANT_AS_JSON and len(one) <= LONGEST_REPAIR:
            yield from _parse_repaired(one)


def _parse_strictly(text: str) -> Iterator[object]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return
    if _is_json(value):
        yield value


def _parse_repaired(text: str) -> Iterator[object]:
    import json_repair  # not before it is needed

    try:
        value: object = json_repair.loads(text)
    except (ValueError, RecursionError):
        return
    if value and _is_json(value):
        yield value


def _is_json(value: object) -> bool:
    """Python also reads and writes `NaN` and `Infinity`."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True
