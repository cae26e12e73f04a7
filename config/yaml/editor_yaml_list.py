"""One more item at the end of a YAML list; every other byte of the text stays."""

from collections.abc import Sequence
from typing import Any

from ..settings.keys import KeyPath
from .editor import end_of, inline, line_end, with_value
from .reader import compose


def with_item(text: str, path: KeyPath, old: Sequence[object], item: object) -> str:
    """The text with the item after those (`old`) that the list at the path has by now.

    A list that is not there is made; unusual YAML may need a comparison with the wish.
    """
    found = _node(compose(text), path)
    if found is None or found.id != "sequence" or not found.value:
        return with_value(text, path, [*old, item])
    last = found.value[-1]
    at = end_of(text, last)
    if found.flow_style:
        return f"{text[:at]}, {inline(item)}{text[at:]}"
    at = line_end(text, at)
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * found.start_mark.column
    return f"{text[:at]}{newline}{indent}- {inline(item)}{text[at:]}"


def _node(node: Any, path: KeyPath) -> Any:
    """The node at the path; None where there is none."""
    for part in path:
        if node is None or node.id != "mapping":
            return None
        node = next((below for key, below in node.value if key.value == part), None)
    return node
