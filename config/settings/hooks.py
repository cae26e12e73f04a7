"""The configured hooks of all layers, each with its place.

Like rules on tool calls they add up: a project's file takes none of the user's hooks away.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ..arguments import validate_argument
from ..errors import UsageError
from ..text import text
from .hook_entries import CLAUDE_EVENTS, EVENTS, HookEvent, OnError, fold_events
from .sources import Layer

SECTION = "hooks"
DEFAULT_TIMEOUT = 60.0


HookFunction = Callable[[Mapping[str, object]], Any]


@dataclass(frozen=True)
class ConfiguredHook:
    """A command of the user or of a trusted project, run at an event."""

    event: HookEvent
    command: str
    matcher: str = ""
    """Regular expression of the names of tools; empty: each."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds."""
    on_error: OnError = "allow"
    """What becomes of a call whose `before_tool` hook fails."""
    origin: str = ""
    """`FILE:LINE`."""
    from_project: bool = False
    """Whether the project's file has it: then it runs in the sandbox."""
    function: HookFunction | None = None
    """A program's function, which is called in place of a command; `command` is its name."""


def with_own_events(layer: Layer) -> Layer:
    """Return the layer with our names of events, so that layers can be merged."""
    if SECTION not in layer.values:
        return layer
    return replace(layer, values={**layer.values, SECTION: _get_section(layer)})


def read_hooks(layers: Sequence[Layer], project: str) -> tuple[ConfiguredHook, ...]:
    """Return every layer's hooks, the user's first; `project` is the project's file."""
    hooks = [hook for layer in layers for hook in _read_layer_hooks(layer, project)]
    return tuple(sorted(hooks, key=lambda hook: hook.from_project))


def merge_hooks(layers: Iterable[Layer]) -> Layer:
    """Return a layer whose lists of hooks hold those of all layers."""
    sections = [_get_section(layer) for layer in layers]
    together: dict[str, object] = {
        event: [entry for section in sections for entry in _get_entries(section, event)]
        for event in EVENTS
    }
    merged = {event: entries for event, entries in together.items() if entries}
    return Layer("", {SECTION: merged} if merged else {})


def build_program_hooks(
    hooks: Mapping[HookEvent, Sequence[HookFunction]],
) -> tuple[ConfiguredHook, ...]:
    """Return a program's functions as hooks; raises UsageError for an event that does not exist."""
    built: list[ConfiguredHook] = []
    for event, functions in hooks.items():
        if event not in EVENTS:
            raise UsageError(
                text("there is no hook `{event}`", event=event),
                hint=text("there are: {names}", names=", ".join(EVENTS)),
            )
        validate_argument(f"hooks[{event!r}]", functions, Sequence[HookFunction])
        for function in functions:
            name = getattr(function, "__qualname__", type(function).__name__)
            count = sum(hook.command.partition("#")[0] == name for hook in built)
            command = f"{name}#{count + 1}" if count else name
            built.append(ConfiguredHook(event, command, origin="program", function=function))
    return tuple(built)


def _read_layer_hooks(layer: Layer, project: str) -> Iterator[ConfiguredHook]:
    section = _get_section(layer)
    for event in EVENTS:
        for number, entry in enumerate(_get_entries(section, event)):
            yield ConfiguredHook(
                event,
                command=str(entry["command"]),
                matcher=str(entry.get("matcher", "")),
                timeout=float(cast(float, entry.get("timeout", DEFAULT_TIMEOUT))),
                on_error=cast("OnError", entry.get("on_error", "allow")),
                origin=_find_origin(layer, event, number),
                from_project=layer.name == project,
            )


def _find_origin(layer: Layer, event: HookEvent, number: int) -> str:
    if (SECTION, event) in layer.lines:
        return layer.find_origin((SECTION, event, str(number)))
    return layer.find_origin((SECTION, CLAUDE_EVENTS[event]))


def _get_section(layer: Layer) -> dict[str, object]:
    return fold_events(cast("Mapping[str, object]", layer.values.get(SECTION) or {}))


def _get_entries(section: Mapping[str, object], event: HookEvent) -> list[Mapping[str, object]]:
    return cast("list[Mapping[str, object]]", section.get(event) or [])
