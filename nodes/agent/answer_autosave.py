"""The answer so far, saved while it streams, so that it survives a killed process.

When the thread is resumed, the runner adds it to the thread as a partial answer.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from langgraph.runtime import Runtime

from ...config.errors import MaxAgentError
from ...config.security.redaction import redact
from ...tools.process.autosave import autosave
from .context import Context, get_thread_id
from .dependencies import Dependencies


@asynccontextmanager
async def autosave_answer(
    deps: Dependencies, runtime: Runtime[Context]
) -> AsyncGenerator[Callable[[str], None]]:
    """Yield a callback for each piece of the answer."""
    if runtime.context.sub_id:  # a resumed child sends its request again
        yield lambda piece: None
        return
    pieces, info = list[str](), runtime.execution_info
    checkpoint = info.checkpoint_id if info else ""

    def save_answer(text: str) -> None:
        with suppress(MaxAgentError):  # a full disk must not stop the answer
            deps.journal.keep_partial_answer(get_thread_id(runtime), checkpoint, redact(text))

    async with autosave(lambda: "".join(pieces), save_answer) as grown:

        def append_text(piece: str) -> None:
            pieces.append(piece)
            grown()

        yield append_text


async def forget_answer(deps: Dependencies, runtime: Runtime[Context]) -> None:
    """Drop what was saved of an answer that failed."""
    info, thread = runtime.execution_info, get_thread_id(runtime)
    checkpoint = info.checkpoint_id if info else ""
    if await asyncio.to_thread(deps.journal.read_partial_answer, thread, checkpoint):
        with suppress(MaxAgentError):
            await asyncio.to_thread(deps.journal.keep_partial_answer, thread, checkpoint, "")
