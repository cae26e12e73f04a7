"""Rules on tool calls as written, from every layer, each with its place.

Unlike other lists those under `permissions` add up: no layer can allow what another denies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ..security.provenance import Provenance
from .sources import Layer

RuleKind = Literal["deny", "ask", "allow"]
KINDS: tuple[RuleKind, ...] = ("deny", "ask", "allow")
SECTION = "permissions"


@dataclass(frozen=True)
class RawRule:
    """A rule before it is parsed."""

    kind: RuleKind
    text: str
    """`TOOL` or `TOOL(PATTERN)`."""
    origin: str
    """`FILE:LINE`, `environment NAME` or `flag`."""
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()
    setting: str = ""
    """Key of the setting that implies this rule; empty: it is written as a rule."""
    consent: tuple[Provenance, ...] | None = None
    """What a rule from an answer of the user covers: what its calls started then. None: the user
    has written it himself, and it is about names alone."""


def read_rules(layers: Sequence[Layer]) -> tuple[RawRule, ...]:
    """Return every layer's rules, and those that settings of `security` imply."""
    rules = [rule for layer in layers for kind in KINDS for rule in _read_layer_rules(layer, kind)]
    return (
        *rules,
        *_read_whitelist(layers),
        *_read_confirmed_tools(layers),
        *_read_command_confirmation(layers),
    )


def merge_rules(layers: Iterable[Layer]) -> Layer:
    """Return a layer whose lists of rules hold those of all layers."""
    together: dict[str, object] = {
        kind: [item for layer in layers for item in _get_entries(layer, kind)] for kind in KINDS
    }
    return Layer("", {SECTION: {kind: items for kind, items in together.items() if items}})


def _read_layer_rules(layer: Layer, kind: RuleKind) -> Iterator[RawRule]:
    for number, item in enumerate(_get_entries(layer, kind)):
        origin = layer.find_origin((SECTION, kind, str(number)))
        if isinstance(item, str):
            yield RawRule(kind, item, origin)
        else:
            rule = cast("Mapping[str, object]", item)
            match, not_match = (_to_texts(rule.get(key)) for key in ("match", "not_match"))
            yield RawRule(kind, str(rule["rule"]), origin, match, not_match)


def _read_whitelist(layers: Sequence[Layer]) -> Iterator[RawRule]:
    """Read the strongest layer's whitelist; a blank entry allows nothing."""
    for layer in reversed(layers):
        if (entries := _get_section(layer, "security").get("command_whitelist")) is not None:
            for number, entry in enumerate(_to_texts(entries)):
                origin = layer.find_origin(("security", "command_whitelist", str(number)))
                if entry.strip():
                    text = f"run_command({entry.strip()}:*)"
                    yield RawRule("allow", text, origin, setting="security.command_whitelist")
            return


def _read_confirmed_tools(layers: Sequence[Layer]) -> Iterator[RawRule]:
    """Ask about each tool of every layer's `security.require_confirmation`."""
    key = "require_confirmation"
    for layer in layers:
        setting = _get_section(layer, "security").get(key)
        tools = cast("list[str]", setting) if isinstance(setting, list) else []
        for number, tool in enumerate(tools):
            origin = layer.find_origin(("security", key, str(number)))
            yield RawRule("ask", tool, origin, setting=f"security.{key}")


def _read_command_confirmation(layers: Sequence[Layer]) -> Iterator[RawRule]:
    """Allow commands if the strongest layer's `require_command_confirmation` is false."""
    key = "require_command_confirmation"
    for layer in reversed(layers):
        if (asks := _get_section(layer, "security").get(key)) is not None:
            if not asks:
                yield RawRule("allow", "run_command", layer.find_origin(("security", key)))
            return


def _get_entries(layer: Layer, kind: RuleKind) -> list[object]:
    return cast("list[object]", _get_section(layer, SECTION).get(kind) or [])


def _get_section(layer: Layer, name: str) -> Mapping[str, object]:
    return cast("Mapping[str, object]", layer.values.get(name) or {})


def _to_texts(items: object) -> tuple[str, ...]:
    return tuple(cast("list[str]", items or []))
