"""A partial answer: saved while it streams; after a stop, a note tells the model about it.

When the thread is resumed, the runner adds what was saved to the thread. No role reads it: a
resumed turn sends the same request and gets a complete answer instead. The model learns of it with
the user's next message, once.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from ...config.errors import MaxAgentError
from ...config.security.redaction import redact
from ...models.text_cleanup import repair_text
from ...tools.process.autosave import autosave
from ..roles import RoleName
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.message_history import LOOP, iter_newest_first
from ..run.modes import build_note
from ..state import State

INTERRUPTED = (
    "Your answer was cut short there, by the user or by a limit. Whatever you were about to call "
    "was not called."
)
UNANSWERED = "Your turn was cut short there, before you had answered."


@asynccontextmanager
async def autosave_answer(
    deps: Dependencies, runtime: Runtime[Context]
) -> AsyncGenerator[Callable[[str], None]]:
    """Yield a callback for each piece of the answer."""
    if runtime.context.sub_id:  # a resumed child sends its request again
        yield lambda piece: None
        return
    parts, info = list[str](), runtime.execution_info
    checkpoint = info.checkpoint_id if info else ""

    def save_answer(text: str) -> None:
        with suppress(MaxAgentError):  # a full disk must not stop the answer
            deps.journal.keep_partial_answer(get_thread_id(runtime), checkpoint, redact(text))

    async with autosave(lambda: "".join(parts), save_answer) as grown:

        def append_text(piece: str) -> None:
            parts.append(piece)
            grown()

        yield append_text


async def forget_answer(deps: Dependencies, runtime: Runtime[Context]) -> None:
    """Drop what was saved of an answer that failed."""
    info, thread = runtime.execution_info, get_thread_id(runtime)
    checkpoint = info.checkpoint_id if info else ""
    with suppress(MaxAgentError):  # nor does a journal that cannot be read stop the run
        if await asyncio.to_thread(deps.journal.read_partial_answer, thread, checkpoint):
            await asyncio.to_thread(deps.journal.keep_partial_answer, thread, checkpoint, "")


def build_partial_answer(role: RoleName, text: str) -> AIMessage:
    """Build the stored message of a role's partial answer."""
    marked = {"role": role, "interrupted": True}
    return AIMessage(repair_text(text), id=f"half-{uuid4().hex}", additional_kwargs=marked)


def build_interruption_notes(state: State, role: RoleName) -> list[AnyMessage]:
    """Return the previous turn's partial answer and the note that it was interrupted, if it was.

    With the note last, the conversation never ends with the model's own text, which a provider
    would continue or reject. A partial answer is left out if a complete one followed.
    """
    last_message = next(reversed(state.get("messages", [])), None)
    if isinstance(last_message, AIMessage) and last_message.additional_kwargs.get("interrupted"):
        marked = {**last_message.additional_kwargs, "told": True}
        return [
            last_message.model_copy(update={"additional_kwargs": marked}),
            build_note(role, INTERRUPTED),
        ]
    last = next(iter_newest_first(state, role), None)
    if last is None or isinstance(last, AIMessage) or state.get("outcome") == "answered":
        return []
    if LOOP in last.additional_kwargs:  # it says itself why the turn has ended
        return []
    return [build_note(role, UNANSWERED)]
