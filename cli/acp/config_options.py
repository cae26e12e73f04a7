"""What a client can choose for a conversation: mode, agent, model, effort, thinking."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast, get_args

from ...config.errors import UsageError
from ...config.settings.loader import load_settings
from ...config.settings.schema import ApprovalMode
from ...config.text import text
from ...config.trust.decision import check_trust
from ..i18n.catalogs import t

if TYPE_CHECKING:
    from pathlib import Path

    from ...nodes.options import Options

MODES = (*get_args(ApprovalMode), "plan")
LEVELS = {
    "effort": ("auto", "low", "medium", "high", "max"),
    "thinking": ("auto", "enabled", "disabled"),
}
_CATEGORIES = {
    "mode": "mode",
    "model": "model",
    "effort": "thought_level",
    "thinking": "thought_level",
}


class Choices:
    """What there is to choose from in a folder, and what holds where nothing is chosen."""

    def __init__(self, folder: "Path", home: "Path", environ: Mapping[str, str]) -> None:
        """Read the settings, agents and models of the folder; blocks."""
        from ...config.agents.registry import find_agents
        from ...models.listing import find_model_in_use, list_models

        trust = check_trust(folder, home)
        settings = load_settings(folder, home, trust=trust).settings
        self.mode = settings.security.mode or "ask"
        self.levels = {
            "effort": settings.model.effort,
            "thinking": settings.model.thinking_strategy,
        }
        self.model = find_model_in_use(settings, environ)
        listings = list_models(settings, environ)
        names = [listing.model.name for listing in listings if listing.has_key]
        self.models = tuple(dict.fromkeys(filter(None, [self.model, *names])))
        agents = find_agents(folder, home, trust).profiles.values()
        self.agents = tuple(agent.name for agent in agents if agent.mode != "subagent")


def get_mode(options: "Options", choices: Choices) -> str:
    """Return the mode in force: plan mode, or the approval mode."""
    return "plan" if options.get("plan") else options.get("mode") or choices.mode


def build_options(options: "Options", choices: Choices, version: int) -> list[dict[str, Any]]:
    """Return every option with what it can be and what it is."""
    agents = [name for name in choices.agents if name != "plan"]
    model = options.get("model") or choices.model
    rows = [
        ("mode", MODES, get_mode(options, choices)),
        ("agent", agents, options.get("agent") or "build"),
        ("model", dict.fromkeys([*choices.models, model]), model),
        *(
            (name, values, options.get(name) or choices.levels[name] or "auto")
            for name, values in LEVELS.items()
        ),
    ]
    return [
        _build_option(name, [*values], str(current), version)
        for name, values, current in rows
        if current
    ]


def build_modes(options: "Options", choices: Choices) -> dict[str, Any]:
    """Return the modes for clients that know no options."""
    modes = [
        {"id": mode, "name": t(f"acp.mode.{mode}"), "description": t(f"acp.mode.{mode}.help")}
        for mode in MODES
    ]
    return {"currentModeId": get_mode(options, choices), "availableModes": modes}


def _build_option(name: str, values: Iterable[str], current: str, version: int) -> dict[str, Any]:
    named = [
        {"value": value, "name": t(f"acp.mode.{value}") if name == "mode" else value}
        for value in dict.fromkeys([*values, current])
    ]
    category = {"category": _CATEGORIES[name]} if name in _CATEGORIES else {}
    return {
        "id" if version == 1 else "configId": name,
        "name": t(f"acp.option.{name}"),
        "type": "select",
        "currentValue": current,
        "options": named,
        **category,
    }


def choose(options: "Options", name: str, value: str, choices: Choices) -> "Options":
    """Return the options with one chosen; raises UsageError for what there is not."""
    allowed: Mapping[str, Iterable[str]] = {
        "mode": MODES,
        "agent": choices.agents,
        "model": choices.models,
        **LEVELS,
    }
    if name not in allowed:
        raise UsageError(
            text("unknown option `{name}`", name=name),
            hint=text("there are: {names}", names=", ".join(allowed)),
        )
    if value not in allowed[name] and value != options.get(name):
        raise UsageError(
            text("the option `{name}` cannot be {value}", name=name, value=repr(value)),
            hint=text("there are: {names}", names=", ".join(allowed[name])),
        )
    if name == "mode":
        changed = {"plan": value == "plan"} | ({"mode": value} if value != "plan" else {})
        return cast("Options", {**options, **changed})
    return cast("Options", {**options, name: value})
