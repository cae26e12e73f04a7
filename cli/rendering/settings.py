"""Settings as YAML, with where each value comes from behind it."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from ...config.settings.keys import KeyPath, join
from ...config.yaml.editor import inline


def as_yaml(
    values: Mapping[str, object], origins: Mapping[str, str] | None = None, above: KeyPath = ()
) -> str:
    """The settings as a YAML text; `origins` by dotted key become comments."""
    return "\n".join(_lines(values, origins or {}, above))


def as_text(value: object) -> str:
    """One value as a script wants it: a text as it is, mappings and lists as YAML."""
    if isinstance(value, Mapping) and value:
        return as_yaml(cast("Mapping[str, object]", value))
    if isinstance(value, list) and value:
        return "\n".join(_items(cast("list[object]", value)))
    return value if isinstance(value, str) else json.dumps(value)


def _lines(
    values: Mapping[str, object], origins: Mapping[str, str], above: KeyPath
) -> Iterator[str]:
    for name, value in values.items():
        path = (*above, name)
        origin = f"  # {origins[join(path)]}" if join(path) in origins else ""
        if isinstance(value, Mapping) and value:
            yield f"{inline(name)}:"
            below = _lines(cast("Mapping[str, object]", value), origins, path)
        elif isinstance(value, list) and value:
            yield f"{inline(name)}:{origin}"
            below = _items(cast("list[object]", value))
        else:
            yield f"{inline(name)}: {inline(cast(object, value))}{origin}"
            below = ()
        yield from (f"  {line}" for line in below)


def _items(values: list[object]) -> Iterator[str]:
    return (f"- {inline(value)}" for value in values)
