"""What a program can learn of threads, and take back, without running them."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import paths
from ..config.arguments import validate_arguments
from ..memory.threads.index import ThreadIndex

if TYPE_CHECKING:
    from ..memory.cards.library import CardLibrary
    from .threads.rollback import Rollback, ThreadChanges
    from .threads.steps import StepSummary


class ThreadHistory:
    """The past of the threads of one MaxAgent home."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home or paths.locate_home()
        self.threads = ThreadIndex(self.home)

    @validate_arguments
    async def changes(self, thread: str) -> "ThreadChanges":
        """Return what a thread has changed in its folder."""
        from .threads.rollback import read_changes

        return await read_changes(self.threads.find(thread), self.home)

    @validate_arguments
    def checkpoints(self, thread: str) -> "Sequence[StepSummary]":
        """Return the steps of a thread; each with a `checkpoint_id` can be rolled back to."""
        from .threads.steps import summarize_steps

        return summarize_steps(self.threads.find(thread), self.home)

    @validate_arguments
    def rollback(
        self, thread: str, step: int, *, files: bool = True, talk: bool = True
    ) -> "AbstractAsyncContextManager[Rollback]":
        """Plan to go back to a step: `async with runner.rollback(thread, 3) as plan:`.

        Nothing changes before `await plan.apply()`; the thread cannot run meanwhile.
        """
        from .threads.rollback import open_rollback

        row = self.threads.find(thread)
        return open_rollback(row, self.home, step, files=files, talk=talk)

    @validate_arguments
    async def keep_card(self, thread: str, card_id: str) -> None:
        """Keep a card that a thread has proposed: later threads of the project see it.

        Raises UsageError if there is no such card.
        """
        async with self._open_cards(thread) as library:
            await library.activate(card_id)

    @validate_arguments
    async def drop_card(self, thread: str, card_id: str) -> None:
        """Drop a card that a thread has proposed: it is not shown, and not proposed again."""
        async with self._open_cards(thread) as library:
            await library.retire(card_id)

    def _open_cards(self, thread: str) -> "AbstractAsyncContextManager[CardLibrary]":
        from ..memory.cards.store import open_library

        return open_library(self.home, Path(self.threads.find(thread).folder))
