"""What a call of `edit` asks for, however a model wrote it: one pair of texts, or several."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, NotRequired, cast

from pydantic import TypeAdapter, WithJsonSchema
from typing_extensions import TypedDict

from ...aliases import arguments
from ...result import ToolRefusal


class Pair(TypedDict):
    """One replacement, as a model is told to write it."""

    old_string: str
    new_string: str
    replace_all: NotRequired[bool]


class Request(NamedTuple):
    """One replacement that is asked for."""

    old: str
    new: str
    everywhere: bool


Edits = Annotated[
    list[Any] | dict[str, Any] | str | None,
    WithJsonSchema({"type": "array", "items": TypeAdapter(Pair).json_schema()}),
]
"""Taken as it comes, so that a refusal can say which of them is wrong."""


def requests_of(old: str | None, new: str | None, everywhere: bool, edits: object) -> list[Request]:
    """The replacements in their order, at least one; raises ToolRefusal for what is none."""
    listed = _listed(edits)
    if not listed:
        return [_pair(old, new, everywhere)]
    if old or new:
        raise ToolRefusal("give either `old_string` and `new_string`, or `edits`, not both")
    return [_request(item, number, everywhere) for number, item in enumerate(listed, 1)]


def _pair(old: str | None, new: str | None, everywhere: bool) -> Request:
    if old is None and new is None:
        raise ToolRefusal("give `old_string` and `new_string`, or several such pairs as `edits`")
    if old is None or new is None:
        missing = "old_string" if old is None else "new_string"
        raise ToolRefusal(f"`{missing}` is missing; an empty `new_string` takes the text out")
    return Request(old, new, everywhere)


def _listed(edits: object) -> list[object]:
    """The list; some models write it as a text of JSON, or leave out the brackets of one."""
    if isinstance(edits, str) and edits.strip():
        try:
            edits = json.loads(edits, strict=False)
        except (ValueError, RecursionError) as error:
            raise ToolRefusal(
                f"`edits` is a list of pairs, and this is no JSON: {error}"
            ) from error
    if isinstance(edits, dict):
        return [cast(object, edits)]
    if not isinstance(edits, list | str | None):
        raise ToolRefusal("`edits` is a list of `{old_string, new_string, replace_all}`")
    return cast("list[object]", edits) if isinstance(edits, list) else []


def _request(item: object, number: int, everywhere: bool) -> Request:
    names = list(Pair.__annotations__)
    if not isinstance(item, Mapping):
        raise ToolRefusal(f"edit {number} of `edits` is no object with {_named(names)}")
    given = arguments("edit", cast("Mapping[str, object]", item), names)
    if unknown := [name for name in given if name not in names]:
        raise ToolRefusal(f"edit {number}: there is no `{unknown[0]}`, only {_named(names)}")
    old, new = given.get("old_string"), given.get("new_string")
    every = given.get("replace_all", everywhere)
    if not (isinstance(old, str) and isinstance(new, str) and isinstance(every, bool)):
        raise ToolRefusal(
            f"edit {number} needs `old_string` and `new_string`, both texts, and `replace_all`, "
            "if given, is true or false"
        )
    return Request(old, new, every)


def _named(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
