"""One source of settings: its values, their places, and errors against the schema."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..errors import UsageError
from ..text import join_texts, text
from .keys import KeyPath, is_secret, join_key, suggest_key
from .schema import Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


@dataclass(frozen=True)
class Layer:
    """The values of one file, environment variable or set of flags."""

    name: str
    """The file, `environment NAME`, or `flag`."""
    values: dict[str, object]
    lines: Mapping[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    """The line of each key in the file, from 1."""

    def find_origin(self, path: KeyPath) -> str:
        """Return `FILE:LINE` of the key or of its section; the name if there are no lines."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.name}:{self.lines[path]}" if path else self.name


def build_layer(name: str, path: KeyPath, value: object) -> Layer:
    """Return a layer with one value."""
    for part in reversed(path):
        value = {part: value}
    return Layer(name, cast("dict[str, object]", value))


def merge_layers(layers: Iterable[Layer]) -> dict[str, object]:
    """Merge all layers, later ones over earlier: mappings merge, other values replace."""
    result: dict[str, object] = {}
    for layer in layers:
        result = _merge_mappings(result, layer.values)
    return result


_EXPECTED = "Input should be "
_LIMITS = {
    "greater_than": "`{key}` must be greater than {limit}, not {shown}",
    "greater_than_equal": "`{key}` must be greater than or equal to {limit}, not {shown}",
    "less_than": "`{key}` must be less than {limit}, not {shown}",
    "less_than_equal": "`{key}` must be less than or equal to {limit}, not {shown}",
}


def find_mistakes(layer: Layer) -> dict[KeyPath, str]:
    """Return the values that the schema rejects, each with what it accepts."""
    from pydantic import ValidationError

    try:
        Settings.model_validate(layer.values, strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        return dict(_describe_mistake(detail) for detail in details if not _is_other_form(detail))
    return {}


def format_mistakes(layer: Layer, mistakes: Mapping[KeyPath, str]) -> list[str]:
    """Return the errors with their places, in line order."""
    ordered = sorted(mistakes.items(), key=lambda item: layer.lines.get(item[0], 0))
    return [
        text("{place}: {problem}", place=layer.find_origin(path), problem=mistake)
        for path, mistake in ordered
    ]


def raise_mistakes(reports: list[str]) -> None:
    """Raise one UsageError for all errors, if there are any."""
    if reports:
        mistakes = join_texts("\n  ", reports)
        if reports[1:]:
            many = "{count} mistakes in the configuration:\n  {mistakes}"
            mistakes = text(many, count=len(reports), mistakes=mistakes)
        raise UsageError(mistakes)


def _merge_mappings(lower: object, upper: dict[str, object]) -> dict[str, object]:
    below = cast("dict[str, object]", lower) if isinstance(lower, dict) else {}
    return below | {
        name: _merge_mappings(below.get(name), cast("dict[str, object]", value))
        if isinstance(value, dict)
        else value
        for name, value in upper.items()
    }


def _is_other_form(detail: "ErrorDetails") -> bool:
    """Return whether the error is about the form of a rule that was not used: text or mapping."""
    place, is_mapping = detail["loc"], isinstance(detail["input"], dict)
    other = "str" if is_mapping else "PermissionRule"
    return place[0] == "permissions" and place[3:] == (other,)


def _describe_mistake(detail: "ErrorDetails") -> tuple[KeyPath, str]:
    path = tuple(str(part) for part in detail["loc"])
    if path[0] == "permissions":  # in the path, a rule's number is followed by its form
        path = (*path[:3], *path[4:])
    key = join_key(path)
    if detail["type"] == "extra_forbidden":
        return path, text("unknown key `{key}`; {suggestion}", key=key, suggestion=suggest_key(key))
    if detail["type"] == "missing":
        return path, text("`{key}` is missing", key=key)
    expected = "a mapping" if detail["type"] == "model_type" else detail["msg"]
    values = {"key": key, "shown": _format_value(path, detail["input"])}
    if detail["type"] in _LIMITS:
        limit = expected.rpartition(" ")[2]
        return path, text(_LIMITS[detail["type"]], limit=limit, **values)
    if detail["type"] == "literal_error" and " or " in expected:
        first, _, last = expected.removeprefix(_EXPECTED).rpartition(" or ")
        return path, text(
            "`{key}` must be {values} or {last}, not {shown}", values=first, last=last, **values
        )
    if expected.startswith(_EXPECTED) or detail["type"] == "model_type":
        expected = expected.removeprefix(_EXPECTED)
        return path, text("`{key}` must be {expected}, not {shown}", expected=expected, **values)
    return path, text("`{key}` {expected}, not {shown}", expected=expected, **values)


def _format_value(path: KeyPath, value: Any) -> str:
    if is_secret(path):
        return "the value there"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return f"`{json.dumps(value, ensure_ascii=False, default=str)[:60]}`"
