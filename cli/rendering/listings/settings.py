"""Settings as YAML, each with its origin as a comment."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from ....config.settings.keys import KeyPath, join_key
from ....config.yaml.editor import format_inline


def as_yaml(
    values: Mapping[str, object], origins: Mapping[str, str] | None = None, above: KeyPath = ()
) -> str:
    """Return the settings as YAML; `origins` by dotted key become comments."""
    return "\n".join(_format_lines(values, origins or {}, above))


def as_text(value: object) -> str:
    """Return one value for a script: a string unchanged, mappings and lists as YAML."""
    if isinstance(value, Mapping) and value:
        return as_yaml(cast("Mapping[str, object]", value))
    if isinstance(value, list) and value:
        return "\n".join(_format_items(cast("list[object]", value)))
    return value if isinstance(value, str) else json.dumps(value)


def _format_lines(
    values: Mapping[str, object], origins: Mapping[str, str], above: KeyPath
) -> Iterator[str]:
    for name, value in values.items():
        path = (*above, name)
        origin = f"  # {origins[join_key(path)]}" if join_key(path) in origins else ""
        if isinstance(value, Mapping) and value:
            yield f"{format_inline(name)}:"
            below = _format_lines(cast("Mapping[str, object]", value), origins, path)
        elif isinstance(value, list) and value:
            yield f"{format_inline(name)}:{origin}"
            below = _format_items(cast("list[object]", value))
        else:
            yield f"{format_inline(name)}: {format_inline(cast(object, value))}{origin}"
            below = ()
        yield from (f"  {line}" for line in below)


def _format_items(values: list[object]) -> Iterator[str]:
    return (f"- {format_inline(value)}" for value in values)
