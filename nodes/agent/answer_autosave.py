"""What a model has said of an answer so far, kept while it streams: a killed process leaves it.

The runner puts it into the thread as the partial answer that it is, when the thread goes on.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from langgraph.runtime import Runtime

from ...config.errors import MaxAgentError
from ...config.security.redaction import redacted
from ...tools.process.autosave import autosave
from ..context import Context
from .dependencies import Workbench, thread_id


@asynccontextmanager
async def autosave_answer(
    bench: Workbench, runtime: Runtime[Context]
) -> AsyncGenerator[Callable[[str], None]]:
    """Call what this yields with each piece of the answer."""
    pieces, info = list[str](), runtime.execution_info
    checkpoint = info.checkpoint_id if info else ""

    def save(text: str) -> None:
        with suppress(MaxAgentError):  # a full disk stops no answer
            bench.journal.keep_answer(thread_id(runtime), checkpoint, redacted(text))

    async with autosave(lambda: "".join(pieces), save) as grown:

        def keep(piece: str) -> None:
            pieces.append(piece)
            grown()

        yield keep
