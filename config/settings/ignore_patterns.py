"""Which files no tool may touch: a project adds to the user's patterns and takes none away."""

from collections.abc import Sequence
from typing import cast

from .schema import IGNORE_PATTERNS
from .sources import Layer, merged, single

KEY = ("security", "ignore_patterns")


def with_own(layers: Sequence[Layer], project: str) -> list[Layer]:
    """The layers, and where the one named `project` has patterns a last one with all of them.

    As in `.gitignore` the last pattern that a name meets decides, so the project's come first.
    """
    own = _patterns([layer for layer in layers if layer.name == project])
    if own is None:
        return list(layers)
    users = _patterns([layer for layer in layers if layer.name != project])
    both = [*own, *(IGNORE_PATTERNS if users is None else users)]
    return [*layers, single("", KEY, both)]


def _patterns(layers: Sequence[Layer]) -> list[str] | None:
    """The strongest layer's patterns; None when none has any."""
    section = cast("dict[str, object]", merged(layers).get(KEY[0]) or {})
    return cast("list[str] | None", section.get(KEY[1]))
