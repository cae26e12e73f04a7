"""Plain data of a stored row: no object that it names is built."""

from collections.abc import Callable
from typing import Any, cast

from .row_compression import expand_row


def unpack_blob(blob: object, build: Callable[[bytes], object] = lambda _: None) -> object:
    """Unpack a row, its objects by `build`; None if it is damaged."""
    import ormsgpack  # loaded late: lists of threads without conversations do not need it

    try:
        data = expand_row(cast(bytes, blob))
        return ormsgpack.unpackb(data, ext_hook=lambda code, data: build(data))
    except (TypeError, ValueError):
        return None


def get_mapping(mapping: object, key: str) -> dict[str, Any]:
    """Return the mapping under that key, else an empty one."""
    value = cast("dict[str, Any]", mapping).get(key) if isinstance(mapping, dict) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def unpack_fields(data: bytes) -> object:
    """Unpack the fields of a stored object; None if it has none."""
    packed = unpack_blob(data)  # module, name, fields, …
    parts = cast("list[object]", packed) if isinstance(packed, list) else []
    return parts[2] if len(parts) > 2 else None


def extract_text(content: object) -> str:
    """Join the text of a message; providers send a string or blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(extract_text(block) for block in cast("list[object]", content))
    text = cast("dict[str, Any]", content).get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


def filter_mappings(value: object) -> list[dict[str, Any]]:
    """List the mappings of a list; skip everything else."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", each) for each in items if isinstance(each, dict)]


def to_int(value: object) -> int:
    """Return the whole number that a row holds; 0 for anything else."""
    return value if isinstance(value, int) else 0
