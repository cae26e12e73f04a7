"""Editor of YAML text: changes one value and keeps every other byte.

ruamel's own round trip drops comments before `---` and after a replaced list, and realigns lines;
so here its parser only finds the places of values.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from ..errors import UsageError
from ..text import text
from .reader import KeyPath, compose_tree

# Start, end, and the replacement
YamlEdit = tuple[int, int, str]

_PLAIN = re.compile(r"(?!(true|false|null|yes|no|on|off|y|n)$)[a-z_][\w./-]*", re.I | re.ASCII)
_LINE_END = re.compile(r"\r?\n|\Z")


def with_value(text: str, path: KeyPath, value: object) -> str:
    """Return the text with the value at the path; check the result for unusual YAML."""
    start, end, new = _compute_edit(text, compose_tree(text), path, value)
    line_end = "\r\n" if "\r\n" in text else "\n"
    return text[:start] + new.replace("\n", line_end) + text[end:]


def _compute_edit(text: str, node: Any, path: KeyPath, value: object) -> YamlEdit:
    if node is None or node.id != "mapping":
        gap = "\n" if text and not text.endswith("\n") else ""
        return len(text), len(text), gap + _format_block(path, value, 0) + "\n"
    for key, below in node.value:
        if key.value == path[0]:
            return _edit_nested(text, key, below, path[1:], value)
    return _add_pair(text, node, path, value)


def _edit_nested(content: str, key: Any, below: Any, rest: KeyPath, value: object) -> YamlEdit:
    if below.start_mark.index < key.end_mark.index:
        raise UsageError(
            text("`{key}` is a YAML alias", key=key.value), hint="change the file by hand"
        )
    if rest and below.id == "mapping":
        return _compute_edit(content, below, rest, value)
    if rest and _is_empty(below):
        at = find_line_end(content, _find_pair_end(content, key, below))
        return at, at, "\n" + _format_block(rest, value, key.start_mark.column + 2)
    for part in reversed(rest):
        value = {part: value}
    return _replace_value(content, key, below, value)


def _replace_value(text: str, key: Any, below: Any, value: object) -> YamlEdit:
    after_colon = _find_after_colon(text, key)
    if _is_empty(below):
        return after_colon, after_colon, " " + format_inline(value)
    start, end = below.start_mark.index, find_value_end(text, below)
    if "\n" not in text[after_colon:start]:
        return start, end, format_inline(value)
    comments = text[after_colon:start].rstrip()
    return after_colon, end, f" {format_inline(value)}{comments}"


def _add_pair(text: str, node: Any, path: KeyPath, value: object) -> YamlEdit:
    if not node.value:
        for part in reversed(path):
            value = {part: value}
        return node.start_mark.index, node.end_mark.index, format_inline(value)
    at = _find_pair_end(text, *node.value[-1])
    if node.flow_style:
        for part in reversed(path[1:]):
            value = {part: value}
        return at, at, f", {format_inline(path[0])}: {format_inline(value)}"
    at = find_line_end(text, at)
    return at, at, "\n" + _format_block(path, value, node.start_mark.column)


def _is_empty(node: Any) -> bool:
    """Return whether the value is empty in the text."""
    return node.id == "scalar" and node.start_mark.index == node.end_mark.index


def _find_after_colon(text: str, key: Any) -> int:
    return text.index(":", key.end_mark.index) + 1


def _find_pair_end(text: str, key: Any, value: Any) -> int:
    is_alias = value.start_mark.index < key.end_mark.index
    if is_alias or _is_empty(value):
        return _find_after_colon(text, key)
    return find_value_end(text, value)


def find_value_end(text: str, node: Any) -> int:
    """Return a value's end, without the blank lines and comments that ruamel includes."""
    if node.id == "mapping" and not node.flow_style:
        return _find_pair_end(text, *node.value[-1])
    if node.id == "sequence" and not node.flow_style:
        return find_value_end(text, node.value[-1])
    return len(text[: node.end_mark.index].rstrip())


def find_line_end(text: str, at: int) -> int:
    """Return the end of the line at a position."""
    match = _LINE_END.search(text, at)
    return match.start() if match else len(text)


def _format_block(path: KeyPath, value: object, column: int) -> str:
    """Return one line for every part of the path, each nested in the one before."""
    lines = [
        " " * (column + 2 * depth) + format_inline(part) + ":" for depth, part in enumerate(path)
    ]
    return "\n".join(lines) + " " + format_inline(value)


def format_inline(value: object) -> str:
    """Return the value on one line: JSON, which is valid YAML, with plain words unquoted."""
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        return (
            "{"
            + ", ".join(f"{format_inline(name)}: {format_inline(below)}" for name, below in pairs)
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(format_inline(item) for item in cast("list[object]", value)) + "]"
    return json.dumps(value, ensure_ascii=False, default=str)
