"""Waiting for a coroutine in a plain function, which a conversation's loop may have called."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def waited_for(work: Coroutine[Any, Any, Result]) -> Result:
    """Its result; where a loop runs already, which waits meanwhile, in a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()
