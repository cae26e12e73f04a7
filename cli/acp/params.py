"""The parameters of a request, checked where they are read."""

from collections.abc import Mapping
from typing import Any, cast

from .frames import INVALID_PARAMS, RpcError


def as_object(value: object) -> dict[str, Any]:
    """Return a JSON object; empty for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def require_text(params: Mapping[str, Any], name: str) -> str:
    """Return a text that is not empty; raises RpcError."""
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise RpcError(INVALID_PARAMS, f"`{name}` must be a text")
    return value


def read_list(params: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list; empty where there is none. Raises RpcError for anything else."""
    value = params.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RpcError(INVALID_PARAMS, f"`{name}` must be a list")
    return cast("list[Any]", value)
