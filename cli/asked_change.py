"""Change what is asked before saying yes: a call's main text, or all its arguments as JSON."""

import json
from collections.abc import Mapping
from typing import Any, cast

from ..config.errors import UsageError
from .editor import edited

TEXTS = {"run_command": ("command", ".sh"), "plan_exit": ("text", ".md")}
"""The argument that is all of a call, and what kind of text it is."""
Request = Mapping[str, Any]


def changed(request: Request) -> Request:
    """The request as the human left it; raises UsageError. A diff of the old one goes."""
    args: Mapping[str, Any] = request["args"]
    name, suffix = TEXTS.get(request["name"], ("", ".json"))
    if isinstance(args.get(name), str):
        new = {**args, name: edited(args[name], suffix).strip()}
    else:
        new = _object(edited(json.dumps(dict(args), ensure_ascii=False, indent=2), ".json"))
    kept = {key: value for key, value in request.items() if key not in ("diff", "always")}
    return request if new == args else {**kept, "args": new}


def edit_of(request: Request) -> dict[str, Any]:
    """The decision to run the request as it was changed."""
    action = {"name": request["name"], "args": dict(request["args"])}
    return {"type": "edit", "edited_action": action}


def _object(text: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise UsageError(f"these are no arguments in JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError("the arguments are one JSON object")
    return cast("dict[str, Any]", value)
