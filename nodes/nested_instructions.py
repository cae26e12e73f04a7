"""Tell a role the instruction files of folders whose files it has been shown, each once."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from ..config.instructions import instructions_below
from .conversation import brief
from .instructions import blocks
from .state import RoleName
from .workbench import Workbench

TOLD = "instructions"
"""In a message's `additional_kwargs`: the files that it tells."""
WORDS = (
    "These instruction files stand in folders whose files you were shown. They count for what "
    "is in these folders, and there more than those of the project; the later one counts more."
)


def nested_instructions(
    heard: Sequence[AnyMessage], bench: Workbench, role: RoleName
) -> list[HumanMessage]:
    """What the role is told of them, by what it has heard; mostly nothing.

    What was told stands in the conversation: so a thread that is killed and goes on repeats none,
    and one that goes back to before it is told again.
    """
    shown = {path for one in heard for path in one.additional_kwargs.get("seen", ())}
    if not shown or not bench.trust.further:
        return []
    told = {name for one in heard for name in one.additional_kwargs.get(TOLD, ())}
    found = instructions_below(
        bench.workspace.root,
        bench.trust,
        bench.settings.security.ignore_patterns,
        shown=shown,
        known={*told, *(one.name for one in bench.sources.instructions)},
    )
    if not found:
        return []
    note = brief(role, "\n\n".join([WORDS, *blocks(found)]))
    note.additional_kwargs |= {"synthetic": True, TOLD: [one.name for one in found]}
    return [note]
