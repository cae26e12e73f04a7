"""Bridge from a plain function to a coroutine, even if an event loop already runs."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from .interruptible_input import wait_until_readable

Result = TypeVar("Result")


def run_sync(work: Coroutine[Any, Any, Result]) -> Result:
    """Return the coroutine's result; use a second loop while a loop that already runs waits.

    An exception that ends the wait, such as a signal's, cancels the coroutine.
    """
    import asyncio  # late: `mcode --help` imports every command's module

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    from concurrent.futures import Future, ThreadPoolExecutor
    from socket import socketpair
    from threading import Event

    canceller: Future[Callable[[], object]] = Future()
    stopped = Event()

    async def run_cancellable() -> Result:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
        canceller.set_result(lambda: loop.call_soon_threadsafe(lambda: task.cancel()))
        if stopped.is_set():  # a signal came before there was a task to cancel
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
            if canceller.done():
                with suppress(RuntimeError):  # it has just ended
                    canceller.result()()
            raise
