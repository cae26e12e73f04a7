"""Arguments of `edit`, in the forms that models send: one pair of texts, or several."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, NotRequired, cast

from pydantic import TypeAdapter, WithJsonSchema
from typing_extensions import TypedDict

from ....models.tool_arguments import clean_value
from ...aliases import rename_arguments
from ...result import ToolError


class Pair(TypedDict):
    """One replacement, as the tool's schema describes it."""

    old_string: str
    new_string: str
    replace_all: NotRequired[bool]


class Replacement(NamedTuple):
    """One replacement of a call."""

    old: str
    new: str
    everywhere: bool


# taken as it comes, so that a refusal can say which of them is wrong
Edits = Annotated[
    list[Any] | dict[str, Any] | str | None,
    WithJsonSchema({"type": "array", "items": TypeAdapter(Pair).json_schema()}),
]


def parse_replacements(
    old: str | None, new: str | None, everywhere: bool, edits: object
) -> list[Replacement]:
    """Parse the replacements, at least one; raise ToolError for wrong arguments."""
    edit_items = _parse_edits(edits)
    if not edit_items:
        return [_build_replacement(old, new, everywhere)]
    if old or new:
        raise ToolError("give either `old_string` and `new_string`, or `edits`, not both")
    return [
        _parse_replacement(item, number, everywhere) for number, item in enumerate(edit_items, 1)
    ]


def _build_replacement(old: str | None, new: str | None, everywhere: bool) -> Replacement:
    if old is None and new is None:
        raise ToolError("give `old_string` and `new_string`, or several such pairs as `edits`")
    if old is None or new is None:
        missing = "old_string" if old is None else "new_string"
        raise ToolError(f"`{missing}` is missing; an empty `new_string` removes the text")
    return Replacement(old, new, everywhere)


def _parse_edits(edits: object) -> list[object]:
    """Parse the list of replacements."""
    # some models send it as JSON in a string, or a single pair without the list
    if isinstance(edits, str) and edits.strip():
        try:
            edits = clean_value(json.loads(edits, strict=False))
        except (ValueError, RecursionError) as error:
            raise ToolError(
                f"`edits` must be a list of pairs, and this is not JSON: {error}"
            ) from error
    if isinstance(edits, dict):
        return [cast(object, edits)]
    if not isinstance(edits, list | str | None):
        raise ToolError("`edits` must be a list of `{old_string, new_string, replace_all}`")
    return cast("list[object]", edits) if isinstance(edits, list) else []


def _parse_replacement(item: object, number: int, everywhere: bool) -> Replacement:
    names = list(Pair.__annotations__)
    if not isinstance(item, Mapping):
        raise ToolError(f"edit {number} of `edits` is not an object with {_format_names(names)}")
    arguments = rename_arguments("edit", cast("Mapping[str, object]", item), names)
    if unknown := [name for name in arguments if name not in names]:
        raise ToolError(
            f"edit {number}: `{unknown[0]}` does not exist, only {_format_names(names)}"
        )
    old, new = arguments.get("old_string"), arguments.get("new_string")
    every = arguments.get("replace_all", everywhere)
    if not (isinstance(old, str) and isinstance(new, str) and isinstance(every, bool)):
        raise ToolError(
            f"edit {number} needs `old_string` and `new_string`, both texts, and `replace_all`, "
            "if given, must be true or false"
        )
    return Replacement(old, new, every)


def _format_names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
