"""A run that is ready to start: its input is valid and its thread exists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import paths
from ..memory.threads.pull_requests import PullRequestRecords
from ..memory.threads.record import ThreadRow
from ..nodes.options import Options
from ..nodes.run.context import Context
from ..nodes.run.dependencies import Dependencies
from ..nodes.run.dependency_pool import DependencyPool
from .events import Question
from .interrupt_response import Answer
from .run import UserMessage

if TYPE_CHECKING:
    from .pull_requests.flow import PullRequestFlow


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
    now: bool = False
    asked: Question | None = None
    """The open question, if it is all that is wanted: nothing runs."""


async def open_with_model(
    pool: DependencyPool, folder: str, options: Options, context: Context
) -> tuple[Options, Dependencies]:
    """Open the dependencies; a model that only its server can name is kept in the options.

    Raises UsageError first, before a server is asked, if a pull request is wanted and cannot be.
    """
    if options.get("pr"):
        from .pull_requests.publication import check_publication_if_wanted

        await check_publication_if_wanted(options, Path(folder), Path(context.home))
    deps = await pool.open(folder, options, context)
    if deps.model.model:
        return options, deps
    from ..models.served_models import find_served_model

    options = {**options, "served_model": await find_served_model(deps.model)}
    return options, await pool.open(folder, options, context)


def open_pull_request(
    row: ThreadRow, deps: Dependencies, is_stopping: Callable[[], bool]
) -> "PullRequestFlow | None":
    """Open the pull request of a thread; None if it has none and wants none. Blocks."""
    records = PullRequestRecords(paths.locate_database(deps.home))
    if not row.options.get("pr") and records.find(row.thread_id) is None:
        return None
    from .pull_requests.flow import PullRequestFlow

    return PullRequestFlow(row, deps, is_stopping)
