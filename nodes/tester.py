"""The tester: judges a change whose tests are green; accepts it or sends it back."""

import re
from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .context import Context
from .conversation import brief
from .repair import send_back
from .snapshot import ground
from .state import State
from .turn import take_turn

REJECTED = "The tester rejected the change:\n\n{words}"


async def tester(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["approve", "coder", "verify", "review"]]:
    """Speak once; an accepted change is tested again if the tester did more than look."""
    turn = await take_turn(state, runtime, "tester")
    if turn.words is None:
        return Command(goto="approve", update=turn.update)
    if is_rejected(turn.words):
        told = brief("coder", REJECTED.format(words=turn.words))
        goto, update = await send_back(state, runtime, turn.update, told)
        return Command(goto=goto, update=update)
    now = await ground(state, runtime)
    tree, evidence = now.get("tree", state.get("tree", "")), state.get("evidence")
    same = evidence is not None and bool(tree) and evidence["tree"] == tree
    proven = same and state.get("proven", False)
    update = {**turn.update, **now, "accepted": True}
    return Command(goto="review" if proven else "verify", update=update)


def is_rejected(words: str) -> bool:
    """Whether a line begins with the word that sends the change back; some models lead up to it."""
    return re.search(r"(?m)^\W*((?i:verdict)\W+)?REJECTED\b", words) is not None
