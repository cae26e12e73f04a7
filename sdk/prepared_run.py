"""A run that is ready to start: its input is valid and its thread exists."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..memory.threads.record import ThreadRow
from ..models.served_models import find_served_model
from ..nodes.agent.context import Context
from ..nodes.agent.dependencies import Dependencies
from ..nodes.agent.dependency_pool import DependencyPool
from ..nodes.options import Options
from .interrupt_response import Answer
from .pull_requests.publication import check_publication_if_wanted
from .run import UserMessage


@dataclass(frozen=True)
class PreparedRun:
    """Its thread, its context, and what the user sends."""

    row: ThreadRow
    context: Context
    notices: Sequence[str]
    answers: Sequence[Answer] = ()
    message: UserMessage | None = None
    resumed: bool = True
    wait: bool = False


async def open_with_model(
    pool: DependencyPool, folder: str, options: Options, context: Context
) -> tuple[Options, Dependencies]:
    """Open the dependencies; a model that only its server can name is kept in the options.

    Raises UsageError first, before a server is asked, if a pull request is wanted and cannot be.
    """
    await check_publication_if_wanted(options, Path(folder), Path(context.home))
    deps = await pool.open(folder, options, context)
    if deps.model.model:
        return options, deps
    options = {**options, "served_model": await find_served_model(deps.model)}
    return options, await pool.open(folder, options, context)
