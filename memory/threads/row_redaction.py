"""Stored rows, unpacked and packed again without building anything that they name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import ormsgpack

from ...config.errors import UsageError


@dataclass(frozen=True, slots=True)
class Packed:
    """An object inside of a row, as it is stored."""

    code: int
    payload: bytes

    def __post_init__(self) -> None:
        if self.code < 0:  # msgpack keeps these for itself, and none is written by LangGraph
            raise ValueError(f"there are no objects of type {self.code}")


_OPTION = ormsgpack.OPT_NON_STR_KEYS | ormsgpack.OPT_PASSTHROUGH_DATACLASS
"""As LangGraph packs."""


def opened(data: bytes, inner: Callable[[int, bytes], object] = Packed) -> Any:
    """The plain data of a row; its objects stay packed, or are what `inner` makes of them.

    Raises UsageError where it is no such data.
    """
    try:
        return ormsgpack.unpackb(data, ext_hook=inner, option=ormsgpack.OPT_NON_STR_KEYS)
    except ValueError as error:
        raise UsageError(f"a row is damaged: {error}", hint="get the file again") from None


def packed(value: Any) -> bytes:
    """A row of plain data and packed objects."""
    return ormsgpack.packb(value, default=_stored, option=_OPTION)


def _stored(value: object) -> ormsgpack.Ext:
    if isinstance(value, Packed):
        return ormsgpack.Ext(value.code, value.payload)
    raise TypeError(f"{type(value)} is not plain data")


def rewritten(data: bytes, change: Callable[[str], str]) -> bytes:
    """The row with every text in it changed, also within objects."""

    def inner(code: int, payload: bytes) -> Packed:
        return Packed(code, rewritten(payload, change))

    return packed(_changed(opened(data, inner), change))


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_changed(one, change) for one in cast("list[Any]", value)]
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return {key: _changed(one, change) for key, one in items}
        case _:
            return value
