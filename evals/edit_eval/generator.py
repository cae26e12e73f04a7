"""Generated requests: the same seed, kind and number give the same request on the same machine."""

from random import Random

import adversarial_meaning
import adversarial_tables
import adversarial_tools
import adversarial_twins
import honest_blanks
import honest_depth
import honest_exact
import honest_memory
import honest_spelling
import honest_tools
import honest_twins
from request import ADVERSARIAL, HONEST, Kind, Request
from sources import draw
from true_edit import BLOCK, make

REGISTERED = (
    *(honest_exact, honest_blanks, honest_depth, honest_spelling, honest_memory, honest_twins),
    *(honest_tools, adversarial_twins, adversarial_meaning, adversarial_tables, adversarial_tools),
)
"""Imported for what they register."""
KINDS: dict[str, Kind] = {**HONEST, **ADVERSARIAL}
TRIES = 400


def generate(kind: Kind, seed: int, number: int) -> Request:
    """The request of this kind with this number; raises LookupError when no source is fit."""
    dice = Random(f"{seed} {kind.name} {number}")
    for _ in range(TRIES):
        source = draw(dice, kind.style)
        path = f"{kind.name}-{number}/{source.name}"
        edit = make(source, dice, path, kind.sizes or BLOCK)
        if edit and (request := kind.garble(edit, dice)):
            return request
    raise LookupError(f"no edit was found that can be garbled by {kind.name}")
