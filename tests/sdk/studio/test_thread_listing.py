"""The server's list of threads when it cannot be read."""

import asyncio
from pathlib import Path

from maxagent.config import paths
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.studio.thread_listing import READ_SECONDS, ThreadListing


class Unreadable(ThreadListing):
    """A list whose server is away."""

    tries = 0
    enough = asyncio.Event()

    async def update(self) -> None:
        self.tries += 1
        if self.tries == 3:
            self.enough.set()
        raise OSError("the server is away")


async def test_failed_reading_is_soon_tried_again(tmp_path: Path) -> None:
    await asyncio.to_thread(lambda: ThreadIndex(tmp_path).list())
    assert paths.locate_database(tmp_path).exists()
    listing = Unreadable(tmp_path)
    following = asyncio.create_task(listing.follow())
    await asyncio.wait_for(listing.enough.wait(), READ_SECONDS)
    following.cancel()
    await asyncio.wait((following,))
