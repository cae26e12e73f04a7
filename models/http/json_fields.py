"""Fields of a provider's JSON: a value of the wrong type counts as absent (pure)."""

from typing import Any, cast


def to_dict(value: object) -> dict[str, Any]:
    """Return the object, or an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def to_list(value: object) -> list[object]:
    """Return the list, or an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def to_text(value: object) -> str:
    """Return the string, or an empty one."""
    return value if isinstance(value, str) else ""


def to_count(value: object) -> int:
    """Return the number of tokens, also from a text or a fraction, or 0."""
    if isinstance(value, str | float):
        try:
            value = round(float(value))
        except (ValueError, OverflowError):
            return 0
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value < 2**63 else 0
