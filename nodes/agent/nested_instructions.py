"""Tell a role the instruction files of folders whose files it has been shown, each once."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ...config.instructions.discovery import NOT_AGREED
from ...config.instructions.nested import files_below, instructions_below
from ..state import RoleName
from .dependencies import Workbench
from .instruction_blocks import blocks
from .message_history import brief

TOLD = "instructions"
"""In a message's `additional_kwargs`: the files that it tells."""
LEFT = "instructions_left"
"""And those for which it had no room: the next tells them."""
PASSED_OVER = "instructions_passed_over"
"""And those that nobody said yes to as they are."""
NOT_TOLD = (
    "`{path}` is not told: {why}; `mcode trust`, or `/trust` in a conversation, asks about it"
)
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
    root, begun_with = bench.workspace.root, bench.sources.instructions
    files = files_below(root, bench.trust, _named(_news(heard), "seen", LEFT))
    if not files:
        return []
    found = instructions_below(
        root,
        bench.trust,
        bench.settings.security.ignore_patterns,
        files=files,
        known={*_named(heard, TOLD), *(one.name for one in begun_with if one.text)},
        passed_over={*_named(heard, PASSED_OVER), *(one.name for one in begun_with if one.ask)},
    )
    if not found.told:
        return []
    note = brief(role, "\n\n".join([WORDS, *blocks(found.told)]))
    note.additional_kwargs |= {
        "synthetic": True,
        TOLD: [one.name for one in found.told if one.text],
    }
    passed_over = [one.name for one in found.told if one.ask]
    more = {LEFT: [*found.left], PASSED_OVER: passed_over}
    note.additional_kwargs |= {mark: names for mark, names in more.items() if names}
    return [note]


def passed_over_in(notes: Sequence[AnyMessage]) -> list[str]:
    """What to tell the user of files that are told by none of these, though they stand there."""
    return [
        NOT_TOLD.format(path=path, why=NOT_AGREED) for path in sorted(_named(notes, PASSED_OVER))
    ]


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
        if type(message) is not AIMessage and len(message.additional_kwargs) > 1
        for mark in marks
        for name in message.additional_kwargs.get(mark, ())
    }
