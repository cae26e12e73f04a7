"""Which files no tool may touch: every source adds to the built-in list."""

from collections.abc import Iterator, Sequence
from typing import cast

from .schema import IGNORE_PATTERNS
from .sources import Layer, build_layer

KEY = ("security", "ignore_patterns")
OTHER_KEY = "exclude_files"


def with_all_patterns(layers: Sequence[Layer], project: str) -> list[Layer]:
    """The layers, and where one of them has patterns a last one with all of them.

    As in `.gitignore` the last pattern that a name meets decides. The project's come first, so that
    it can hide more and open nothing; the user's come last, so that `!NAME` opens what it names.
    """
    if all(_read_patterns(layer) is None for layer in layers):
        return list(layers)
    own = [layer for layer in layers if layer.name == project]
    users = [layer for layer in layers if layer.name != project]
    every = [*_join_patterns(own), *IGNORE_PATTERNS, *_join_patterns(users)]
    return [*layers, build_layer("", KEY, every)]


def list_negated_patterns(layers: Sequence[Layer], project: str) -> tuple[str, ...]:
    """The user's patterns that begin with `!`, each with its place."""
    return tuple(
        f"`{pattern}` ({layer.find_origin((KEY[0], name, str(number)))})"
        for layer in layers
        if layer.name != project
        for name in (KEY[1], OTHER_KEY)
        for number, pattern in enumerate(_get_texts(layer, name) or ())
        if pattern.startswith("!")
    )


def _join_patterns(layers: Sequence[Layer]) -> Iterator[str]:
    for layer in layers:
        yield from _read_patterns(layer) or ()


def _read_patterns(layer: Layer) -> list[str] | None:
    given = [
        found for name in (KEY[1], OTHER_KEY) if (found := _get_texts(layer, name)) is not None
    ]
    return [pattern for part in given for pattern in part] if given else None


def _get_texts(layer: Layer, name: str) -> list[str] | None:
    section = cast("dict[str, object]", layer.values.get(KEY[0]) or {})
    return cast("list[str] | None", section.get(name))
