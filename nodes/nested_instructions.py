"""Tell a role the instruction files of folders whose files it has just been shown, each once."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ..config.instructions import instructions_below
from .conversation import brief
from .instructions import blocks
from .state import RoleName
from .workbench import Workbench

TOLD = "instructions"
"""In a message's `additional_kwargs`: the files that it tells."""
WORDS = (
    "These instruction files stand in folders whose files you were just shown. They count for what "
    "is in these folders, and there more than those of the project; the later one counts more."
)


def nested_instructions(
    heard: Sequence[AnyMessage], bench: Workbench, role: RoleName
) -> list[HumanMessage]:
    """What the role is told of them, by what it has heard since it spoke last; mostly nothing.

    What was told stands in the conversation, so a thread that goes on anywhere repeats nothing, and
    tells again what it has forgotten.
    """
    shown = _shown_since_the_last_answer(heard) if bench.trust.nested else set[str]()
    if not shown:
        return []
    known = {name for message in heard for name in message.additional_kwargs.get(TOLD, ())}
    known |= {one.name for one in bench.sources.instructions}
    patterns = bench.settings.security.ignore_patterns
    found = instructions_below(bench.workspace.root, bench.trust, patterns, shown)
    new = [one for one in found if one.name not in known]
    if not new:
        return []
    note = brief(role, "\n\n".join([WORDS, *blocks(new)]))
    note.additional_kwargs |= {"synthetic": True, TOLD: [one.name for one in new]}
    return [note]


def _shown_since_the_last_answer(heard: Sequence[AnyMessage]) -> set[str]:
    shown = set[str]()
    for message in reversed(heard):
        if isinstance(message, AIMessage):
            break
        shown.update(message.additional_kwargs.get("seen", ()))
    return shown
