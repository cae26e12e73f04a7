"""What happens to a model in a loop: a warning, then a return to before the loop, then the end."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ..conversation.cut import get_conversation
from ..events.context import CacheReset
from ..events.progress import Notice
from ..roles import RoleName
from ..run.context import Context
from ..run.emit import emit
from ..run.message_history import HIDES, LOOP, iter_newest_first
from ..state import State

if TYPE_CHECKING:
    from .loop_detection import Loop

# The level of `Loop` from which on the run ends
STOPPED = 3
IN_A_LOOP = "The model repeats itself: {calls}; it is asked to try something else"
SET_BACK = "The model still repeats itself: {calls}; it continues from before the repetition"
ENDED = "Stopped: the model kept repeating itself and got no further: {calls}"
WARNING = """These calls brought nothing new; the same was called up to {count} times:

{calls}

To repeat them will not help. Work with what you already know, or try something else: read the \
message of a failed call closely, look at another file, take other arguments or another tool. If \
you are done, say so; if something keeps you from finishing, say what."""
NEW_START = """You went in circles, so you are back at the point before. These calls were made \
again and again, and brought nothing new:

{calls}

Do not make these calls again. Take another way; if there is none, answer without a tool call and \
say what keeps you from finishing."""
GIVEN_UP = (
    "The run was stopped here, since these calls were repeated without anything new:\n\n{calls}"
)


@dataclass(frozen=True)
class LoopResponse:
    """What the next request of a role is to contain, or to leave out, because of a loop."""

    notes: tuple[HumanMessage, ...] = ()
    hidden: frozenset[str] = frozenset()
    """IDs of the messages that it leaves out."""
    is_stopped: bool = False
    """Whether there is no next request."""

    def select_messages(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """Return the messages of a conversation that are sent nevertheless."""
        if not self.hidden:
            return messages
        return [message for message in messages if message.id not in self.hidden]


def respond_to_loop(state: State, runtime: Runtime[Context], role: RoleName) -> LoopResponse:
    """Return what to do if the role is in a loop; emit a notice about it."""
    if not any(isinstance(message, ToolMessage) for message in state.get("messages", [])):
        return LoopResponse()  # a first request imports no detection
    from .loop_detection import find_loop

    cut = state.get("cuts", {}).get(get_conversation(role))
    loop = find_loop(iter_newest_first(state, role), state.get("tree", ""), cut)
    if loop is None:
        return LoopResponse()
    words = {1: IN_A_LOOP, 2: SET_BACK}.get(loop.level, ENDED)
    named = ", ".join(f"`{call}`" for call in loop.calls)
    emit(runtime, Notice(text(words, calls=named)))
    if loop.level >= STOPPED:
        return LoopResponse((_build_note(role, GIVEN_UP, loop),), is_stopped=True)
    if loop.level == 1 or not loop.hidden:
        return LoopResponse((_build_note(role, WARNING, loop),))
    note = _build_note(role, NEW_START, loop)
    note.additional_kwargs[HIDES] = list(loop.hidden)
    emit(runtime, CacheReset("loop"))
    return LoopResponse((note,), frozenset(loop.hidden))


def is_stopped(state: State) -> bool:
    """Return whether the thread's last run ended because of a loop."""
    last_message = next(reversed(state.get("messages", [])), None)
    return bool(last_message and last_message.additional_kwargs.get(LOOP, 0) >= STOPPED)


def _build_note(role: RoleName, words: str, loop: "Loop") -> HumanMessage:
    calls = "\n".join(f"- `{call}`" for call in loop.calls)
    return HumanMessage(
        words.format(calls=calls, count=loop.count),
        id=f"brief-{uuid4().hex}",
        additional_kwargs={"role": role, "synthetic": True, LOOP: loop.level},
    )
