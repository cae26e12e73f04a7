"""What a model has said of an answer so far, kept while it streams: a killed process leaves it.

The runner puts it into the thread as the partial answer that it is, when the thread goes on.
"""

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
    """Call what this yields with each piece of the answer."""
    pieces, info = list[str](), runtime.execution_info
    checkpoint = info.checkpoint_id if info else ""

    def save_answer(text: str) -> None:
        with suppress(MaxAgentError):  # a full disk stops no answer
            deps.journal.keep_partial_answer(get_thread_id(runtime), checkpoint, redact(text))

    async with autosave(lambda: "".join(pieces), save_answer) as grown:

        def append_text(piece: str) -> None:
            pieces.append(piece)
            grown()

        yield append_text
