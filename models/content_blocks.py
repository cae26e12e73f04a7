"""Parts of an answer that langchain-openai stored in the message's content (pure)."""

from collections.abc import Sequence
from typing import Any, cast

from .tool_arguments import is_valid_json


def list_content_parts(content: str | Sequence[str | dict[Any, Any]]) -> list[dict[str, Any]]:
    """Return the parts of a Responses answer in order, as `models/responses` stores them.

    Thinking without encrypted content is left out: its ID names what the server has not stored.
    """
    if isinstance(content, str):
        return []
    blocks = [cast("dict[str, Any]", block) for block in content if isinstance(block, dict)]
    calls = [block for block in blocks if block.get("type") == "function_call"]
    ordered = sorted(calls, key=lambda call: not is_valid_json(str(call.get("arguments", ""))))
    parts: list[dict[str, Any]] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            parts.append({"type": "text", "length": len(str(block.get("text", "")))})
        elif kind == "function_call":
            place = next(place for place, call in enumerate(ordered) if call is block)
            parts.append({"type": "tool_call", "index": place})
        elif kind == "reasoning" and block.get("encrypted_content"):
            parts.append(_restore_item(block))
    return parts


def _restore_item(block: dict[str, Any]) -> dict[str, Any]:
    """Return the item as received: the package numbers it and each paragraph of its summary."""
    item = {name: value for name, value in block.items() if name != "index"}
    paragraphs = cast("list[dict[str, Any]]", item.get("summary") or [])
    unnumbered = [{key: part[key] for key in part if key != "index"} for part in paragraphs]
    return {**item, "summary": unnumbered}
