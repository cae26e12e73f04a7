"""Waiting for a coroutine in a plain function, which a conversation's loop may have called."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from socket import socketpair
from threading import Event
from typing import Any, TypeVar

from .interruptible_input import wait_until_readable

Result = TypeVar("Result")


def run_sync(work: Coroutine[Any, Any, Result]) -> Result:
    """Its result; where a loop runs already, which waits meanwhile, in a loop of its own.

    Whatever ends the waiting, such as a signal, ends the work.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: Future[Callable[[], object]] = Future()
    stopped = Event()

    async def run_cancellable() -> Result:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
        begun.set_result(lambda: loop.call_soon_threadsafe(lambda: task.cancel()))
        if stopped.is_set():  # a signal came before there was anything to stop
            task.cancel()
        return await task

    over, tell_over = socketpair()
    with over, tell_over, ThreadPoolExecutor(1) as apart:
        try:
            result = apart.submit(asyncio.run, run_cancellable())
            result.add_done_callback(lambda _: tell_over.send(b"."))
            wait_until_readable(over.fileno())
            return result.result()
        except BaseException:
            stopped.set()
            if begun.done():
                with suppress(RuntimeError):  # it has ended just now
                    begun.result()()
            raise
