"""Choices for one request to the model, from the thread's state."""

from typing import TYPE_CHECKING, cast

from ...config.settings.schema import Settings
from ...models.http.dialect import RequestOptions
from ...models.thinking import decide_thinking
from ..options import Options
from ..roles import RoleName
from ..state import State, ThinkingChoice
from ..tool_task import ToolTask

if TYPE_CHECKING:
    from .context import Context


def build_request_options(state: State, role: RoleName) -> RequestOptions:
    """Return the choices for the thread's next request."""
    thinking = state.get("thinking")
    if not thinking:
        return RequestOptions()
    effort = "" if thinking["effort"] == "auto" else thinking["effort"]
    return RequestOptions(thinking="on" if _is_thinking(thinking, role) else "off", effort=effort)


def select_thinking_model(state: State | ToolTask, role: RoleName) -> str:
    """Return the model for the thinking of this request; empty: the usual one."""
    thinking = cast(State, state).get("thinking")
    return thinking["model"] if thinking and _is_thinking(thinking, role) else ""


async def settle_first_thinking(state: State, context: "Context") -> ThinkingChoice:
    """Decide about a request that is a job of its own."""
    deps = await context.open_dependencies(state)
    request = state["request"]
    return settle_thinking(request, request, state.get("options", {}), deps.settings)


def settle_thinking(
    message: str, typed: str, options: Options, settings: Settings
) -> ThinkingChoice:
    """Decide once for a message, by the user's choice or the configuration.

    `typed` is what the human typed of it.
    """
    strategy = options.get("thinking") or settings.model.thinking_strategy
    return ThinkingChoice(
        strategy=strategy,
        needed=decide_thinking(strategy, message, typed),
        model=settings.model.thinking_model,
        effort=options.get("effort") or settings.model.effort,
    )


def _is_thinking(thinking: ThinkingChoice, role: RoleName) -> bool:
    """Return whether a role thinks: under `auto` the architect always does."""
    return thinking["needed"] or (thinking["strategy"] == "auto" and role == "architect")
