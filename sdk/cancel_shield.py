"""Protection of final writes: a cancelled run finishes them before it releases its thread."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def run_shielded(work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of `work`; if cancelled meanwhile, wait for its end, then raise."""
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
