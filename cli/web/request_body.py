"""The body of a request: its fields, checked, and what it chooses for a run."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import Request

from ...config.errors import UsageError
from ...config.text import text

if TYPE_CHECKING:
    from ...nodes.options import Options
    from ...nodes.run.context import Context
    from ...sdk.interrupt_response import Answer


async def read_object(request: Request) -> dict[str, Any]:
    """Return the body; raises UsageError if it is no JSON object."""
    try:
        body = await request.json()
    except (ValueError, RecursionError) as error:
        raise UsageError("the body is not JSON") from error
    if not isinstance(body, dict):
        raise UsageError("the body must be a JSON object")
    return cast("dict[str, Any]", body)


def as_object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def require_text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(text("`{name}` must be a text", name=name))
    return value


def require_number(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(text("`{name}` must be a whole number", name=name))
    return value


def read_checkpoint(body: Mapping[str, Any]) -> str:
    """Return the checkpoint that tells a step from others of its number; empty: the current one."""
    value = body.get("checkpoint", "")
    if not isinstance(value, str):
        raise UsageError(text("`{name}` must be a text", name="checkpoint"))
    return value


def require_folder(value: object) -> Path:
    if not isinstance(value, str) or "\0" in value or not os.path.isabs(value):
        raise UsageError("`folder` must be an absolute path")
    if not os.path.isdir(value):
        raise UsageError(text("`{folder}` is no folder", folder=value))
    return Path(value)


# The options of a run that a client may choose; where its requests go is no client's choice
OPTIONS = frozenset(
    {"apply", "skip_tests", "best_of", "models", "thinking", "effort", "max_turns", "max_cost"}
    | {"pr", "agent", "goal"}
)


def read_options(body: Mapping[str, Any], context: Sequence[str] = ()) -> "Options":
    """Return what the user has chosen for the thread; raises UsageError."""
    options: dict[str, Any] = {"mentioning": body.get("text", "")}
    options |= {"aside": list(context)} if context else {}
    options |= _read_mode(body, _list_modes())
    if isinstance(model := body.get("model"), str) and model:
        options["model"] = model
    chosen = as_object(body.get("options"))
    if unknown := sorted(chosen.keys() - OPTIONS):
        raise UsageError(
            text("the option `{name}` cannot be chosen here", name=unknown[0]),
            hint=text("there are: {names}", names=", ".join(sorted(OPTIONS))),
        )
    return cast("Options", {**options, **chosen})


def _list_modes() -> Sequence[str]:
    from ..acp.config_options import MODES  # builds the settings: after the first answer

    return MODES


def _read_mode(body: Mapping[str, Any], modes: Sequence[str]) -> dict[str, Any]:
    mode = body.get("mode")
    if not mode:
        return {}
    if mode not in modes:
        raise UsageError(
            text("the option `{name}` cannot be {value}", name="mode", value=repr(mode)),
            hint=text("there are: {names}", names=", ".join(modes)),
        )
    return {"plan": mode == "plan"} | ({"mode": mode} if mode != "plan" else {})


def read_context(body: Mapping[str, Any]) -> "Context":
    """Return what a run that goes on uses from now on; raises UsageError."""
    from ...nodes.run.context import Context

    mode = _read_mode(body, [each for each in _list_modes() if each != "plan"]).get("mode", "")
    model = body.get("model", "")
    if not isinstance(model, str):
        raise UsageError(text("`{name}` must be a text", name="model"))
    return Context(mode=mode, model=model)


def read_answers(value: object) -> "list[Answer]":
    """Return the answers of the SDK, as JSON; raises UsageError."""
    from ...sdk.interrupt_response import Answer

    if not isinstance(value, list) or not value:
        raise UsageError("`answers` must be a list", hint="give one for each question to answer")
    try:
        return [Answer(**as_object(each)) for each in cast("list[Any]", value)]
    except TypeError as error:
        raise UsageError(
            text("an answer is not one: {problem}", problem=str(error)),
            hint="its fields are those of the SDK's `Answer`: docs/web.md",
        ) from error
