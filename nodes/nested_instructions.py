"""Tell a role the instruction files of folders whose files it has been shown, each once."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ..config.instructions_below import files_below, instructions_below
from .conversation import brief
from .instructions import blocks
from .state import RoleName
from .workbench import Workbench

TOLD = "instructions"
"""In a message's `additional_kwargs`: the files that it tells."""
LEFT = "instructions_left"
"""And those for which it had no room: the next tells them."""
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
    files = files_below(bench.trust, _named(_news(heard), "seen", LEFT))
    if not files:
        return []
    found = instructions_below(
        bench.workspace.root,
        bench.trust,
        bench.settings.security.ignore_patterns,
        files=files,
        known={*_named(heard, TOLD), *(one.name for one in bench.sources.instructions)},
    )
    if not found.told:
        return []
    note = brief(role, "\n\n".join([WORDS, *blocks(found.told)]))
    note.additional_kwargs |= {"synthetic": True, TOLD: [one.name for one in found.told]}
    note.additional_kwargs |= {LEFT: [*found.left]} if found.left else {}
    return [note]


def _news(heard: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """What came since the last answer, and the note right before it; what is older was told then.

    When somebody speaks to the role it is everything: they may have trusted more meanwhile, or cut
    an answer short, and then what came before it was not kept.
    """
    answers = (at for at in reversed(range(len(heard))) if isinstance(heard[at], AIMessage))
    last = next(answers, 0)
    return heard if any(map(_are_words, heard[last:])) else heard[max(last - 1, 0) :]


def _are_words(message: AnyMessage) -> bool:
    return isinstance(message, HumanMessage) and not message.additional_kwargs.get("synthetic")


def _named(messages: Sequence[AnyMessage], *marks: str) -> set[str]:
    return {
        name
        for message in messages
        for mark in marks
        for name in message.additional_kwargs.get(mark, ())
    }
