"""What must be on the disk before a run lets go of its thread, however often it is stopped."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def run_shielded(work: Coroutine[Any, Any, Result]) -> Result:
    """What it answers; who is stopped meanwhile waits for its end, then that holds."""
    doing, stopped = asyncio.ensure_future(work), False
    while not doing.done():
        try:
            await asyncio.shield(doing)
        except asyncio.CancelledError:
            stopped = True
    result = doing.result()
    if stopped:
        raise asyncio.CancelledError
    return result
