"""The part of an administrator's policy that is settings: the strongest layer, with its places."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from .hooks import ConfiguredHook
from .schema import SandboxSection, Settings
from .sources import Layer

if TYPE_CHECKING:
    from .managed_policy import ManagedPolicy

_MODES: tuple[Literal["off", "auto", "require"], ...] = ("off", "auto", "require")


def build_policy_layer(settings: Settings, policy: "ManagedPolicy") -> Layer:
    """Return the settings that the policy makes stricter than what all other sources say."""
    values = {
        "security": _limit_security(settings, policy),
        "sandbox": _limit_sandbox(settings.sandbox, policy),
        "model": _limit_turns(settings, policy),
        "ui": _limit_status_line(settings, policy),
    }
    lines = policy.layer.lines
    places = {
        ("security", "mode"): lines.get(("mode",), 0),
        ("model", "max_iterations"): lines.get(("limits", "turns"), 0),
        ("model", "max_steps"): lines.get(("limits", "turns"), 0),
        ("ui", "status_line"): lines.get(("hooks",), 0),
        **{path: line for path, line in lines.items() if path[0] == "sandbox"},
    }
    changed = cast("dict[str, object]", {name: keys for name, keys in values.items() if keys})
    return Layer(policy.layer.name, changed, places)


def limit_sandbox(section: SandboxSection, policy: "ManagedPolicy | None") -> SandboxSection:
    """Return the section as the policy lets it be."""
    return section.model_copy(update=_limit_sandbox(section, policy)) if policy else section


def select_allowed_hooks(
    hooks: Sequence[ConfiguredHook], policy: "ManagedPolicy | None"
) -> Sequence[ConfiguredHook]:
    """Return the hooks that the policy lets run."""
    if policy is None or policy.keys.hooks == "all":
        return hooks
    if policy.keys.hooks == "none":
        return ()
    return [hook for hook in hooks if not hook.from_project]


def _limit_security(settings: Settings, policy: "ManagedPolicy") -> dict[str, object]:
    mode = settings.security.mode
    if mode is None or policy.limit_mode(mode) == mode:
        return {}
    return {"mode": policy.limit_mode(mode)}


def _limit_sandbox(section: SandboxSection, policy: "ManagedPolicy") -> dict[str, object]:
    own, changed = policy.keys.sandbox, dict[str, object]()
    if own.mode and _MODES.index(section.mode) < _MODES.index(own.mode):
        changed["mode"] = own.mode
    if own.network is False and section.network:
        changed["network"] = False
    if own.unix_sockets == "deny" and section.unix_sockets != "deny":
        changed["unix_sockets"] = "deny"
    if own.writable is not None:
        folders = [name for name in section.writable if _is_within(name, own.writable)]
        changed |= {} if folders == section.writable else {"writable": folders}
    return changed


def _is_within(name: str, allowed: Sequence[str]) -> bool:
    """Return whether a folder is one of these or below one, wherever its links lead."""
    real = Path(os.path.realpath(Path(name).expanduser()))
    return any(
        real.is_relative_to(os.path.realpath(Path(folder).expanduser())) for folder in allowed
    )


def _limit_turns(settings: Settings, policy: "ManagedPolicy") -> Mapping[str, object]:
    most, section = policy.keys.limits.turns, settings.model
    if not most:
        return {}
    changed: dict[str, object] = {}
    if section.max_iterations > most:
        changed["max_iterations"] = most
    if section.max_steps and section.max_steps > most:
        changed["max_steps"] = most
    return changed


def _limit_status_line(settings: Settings, policy: "ManagedPolicy") -> dict[str, object]:
    """Take the command of the status line away where no hook runs."""
    is_off = policy.keys.hooks == "none" and settings.ui.status_line
    return {"status_line": ""} if is_off else {}
