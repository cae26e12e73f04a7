"""The rules on tool calls as they are written, from every layer, each with its place.

Unlike other lists those under `permissions` add up: what one layer refuses, no other can take back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from .sources import Layer

Kind = Literal["deny", "ask", "allow"]
KINDS: tuple[Kind, ...] = ("deny", "ask", "allow")
SECTION = "permissions"


@dataclass(frozen=True)
class WrittenRule:
    """A rule before it is understood."""

    kind: Kind
    text: str
    """`TOOL` or `TOOL(PATTERN)`."""
    origin: str
    """`FILE:LINE`, `environment NAME` or `flag`."""
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()


def written_rules(layers: Sequence[Layer]) -> tuple[WrittenRule, ...]:
    """Every layer's rules, and those that settings of `security` stand for."""
    rules = [rule for layer in layers for kind in KINDS for rule in _rules(layer, kind)]
    return (*rules, *_whitelisted(layers), *_confirmed(layers), *_unconfirmed_commands(layers))


def gathered(layers: Iterable[Layer]) -> Layer:
    """A layer whose lists of rules hold those of all layers."""
    together: dict[str, object] = {
        kind: [item for layer in layers for item in _written(layer, kind)] for kind in KINDS
    }
    return Layer("", {SECTION: {kind: items for kind, items in together.items() if items}})


def _rules(layer: Layer, kind: Kind) -> Iterator[WrittenRule]:
    for number, item in enumerate(_written(layer, kind)):
        origin = layer.origin((SECTION, kind, str(number)))
        if isinstance(item, str):
            yield WrittenRule(kind, item, origin)
        else:
            rule = cast("Mapping[str, object]", item)
            match, not_match = (_texts(rule.get(key)) for key in ("match", "not_match"))
            yield WrittenRule(kind, str(rule["rule"]), origin, match, not_match)


def _whitelisted(layers: Sequence[Layer]) -> Iterator[WrittenRule]:
    """The strongest layer's whitelist; an entry without a word allows nothing."""
    for layer in reversed(layers):
        if (entries := _section(layer, "security").get("command_whitelist")) is not None:
            for number, entry in enumerate(_texts(entries)):
                origin = layer.origin(("security", "command_whitelist", str(number)))
                if entry.strip():
                    yield WrittenRule("allow", f"run_command({entry.strip()}:*)", origin)
            return


def _confirmed(layers: Sequence[Layer]) -> Iterator[WrittenRule]:
    """Ask about each tool of every layer's `security.require_confirmation`."""
    key = "require_confirmation"
    for layer in layers:
        given = _section(layer, "security").get(key)
        tools = cast("list[str]", given) if isinstance(given, list) else []
        for number, tool in enumerate(tools):
            yield WrittenRule("ask", tool, layer.origin(("security", key, str(number))))


def _unconfirmed_commands(layers: Sequence[Layer]) -> Iterator[WrittenRule]:
    """Allow commands where the strongest layer's `require_command_confirmation` is false."""
    key = "require_command_confirmation"
    for layer in reversed(layers):
        if (asks := _section(layer, "security").get(key)) is not None:
            if not asks:
                yield WrittenRule("allow", "run_command", layer.origin(("security", key)))
            return


def _written(layer: Layer, kind: Kind) -> list[object]:
    return cast("list[object]", _section(layer, SECTION).get(kind) or [])


def _section(layer: Layer, name: str) -> Mapping[str, object]:
    return cast("Mapping[str, object]", layer.values.get(name) or {})


def _texts(items: object) -> tuple[str, ...]:
    return tuple(cast("list[str]", items or []))
