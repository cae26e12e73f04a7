"""Stored rows, unpacked and packed without building the objects in them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import ormsgpack

from ...config.errors import UsageError
from ...config.text import text


@dataclass(frozen=True, slots=True)
class PackedObject:
    """An object inside a row, as it is stored."""

    code: int
    payload: bytes

    def __post_init__(self) -> None:
        if self.code < 0:  # msgpack reserves these codes, and LangGraph writes none
            raise ValueError(text("there are no objects of type {code}", code=self.code))


# As LangGraph packs
_OPTION = ormsgpack.OPT_NON_STR_KEYS | ormsgpack.OPT_PASSTHROUGH_DATACLASS


def unpack_row(data: bytes, inner: Callable[[int, bytes], object] = PackedObject) -> Any:
    """Return the plain data of a row; its objects stay packed, or become what `inner` returns.

    Raises UsageError for any other data.
    """
    try:
        return ormsgpack.unpackb(data, ext_hook=inner, option=ormsgpack.OPT_NON_STR_KEYS)
    except ValueError as error:
        raise UsageError(
            text("a row is damaged: {error}", error=error), hint="get the file again"
        ) from None


def pack_row(value: Any) -> bytes:
    """Pack a row of plain data and packed objects."""
    return ormsgpack.packb(value, default=_to_ext, option=_OPTION)


def _to_ext(value: object) -> ormsgpack.Ext:
    if isinstance(value, PackedObject):
        return ormsgpack.Ext(value.code, value.payload)
    raise TypeError(text("{type} is not plain data", type=type(value)))


def rewrite_texts(data: bytes, change: Callable[[str], str]) -> bytes:
    """Return the row with every text in it changed, also within objects."""

    def rewrite_object(code: int, payload: bytes) -> PackedObject:
        return PackedObject(code, rewrite_texts(payload, change))

    return pack_row(map_texts(unpack_row(data, rewrite_object), change))


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return the value with every text in it changed."""
    match value:
        case str():
            return change(value)
        case list():
            return [map_texts(item, change) for item in cast("list[Any]", value)]
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return {key: map_texts(item, change) for key, item in items}
        case _:
            return value
