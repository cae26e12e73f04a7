"""Which names inside modules say nothing about the thing: locals, parameters, constants."""

import ast
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from module_names import list_words
from source_tree import parse_module

VAGUE_NAMES = list_words(
    """
    one ones found given told said heard known shown kept listed wanted gone begun news also taken
    came went brought meant thing things what who whom put got needed stays lost began
    """
)
ALSO_VAGUE = list_words("words place own named rest left whole why pieces most")
"""Added later, when the source had many of them."""
SUPERLATIVES = ("LONGEST", "LARGEST", "FEWEST", "MOST_", "LEAST_", "SMALLEST", "SHORTEST", "MANY")
"""A limit begins with MAX_ or MIN_."""


def find_vague_names(module: Path, vague: Collection[str] = VAGUE_NAMES) -> Sequence[str]:
    """Find the vague names that a module gives to something, with their lines."""
    return [
        f"{module}:{line}: {name}"
        for name, line in _find_names(module)
        if name.strip("_") in vague or _is_limit(name.strip("_"))
    ]


@cache
def _find_names(module: Path) -> Sequence[tuple[str, int]]:
    """Find what a module names, with the lines."""
    result: list[tuple[str, int]] = []
    for node in ast.walk(parse_module(module)):
        if isinstance(node, ast.arg):
            result.append((node.arg, node.lineno))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            result.append((node.id, node.lineno))
    return result


def _is_limit(name: str) -> bool:
    return name.isupper() and name.startswith(SUPERLATIVES)
