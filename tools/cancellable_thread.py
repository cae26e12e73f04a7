"""Worker threads that write nothing after their call was cancelled."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_cancelled: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar(
    "cancelled", default=None
)


class CallCancelled(Exception):
    """Raised in a worker whose call was cancelled."""


async def run_in_worker(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function in a thread; after cancellation, `check_cancelled` raises there."""
    cancelled = threading.Event()
    context = contextvars.copy_context()
    context.run(_cancelled.set, cancelled)
    try:
        return await asyncio.to_thread(context.run, function, *args, **kwargs)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def check_cancelled() -> None:
    """Raise CallCancelled in the worker of a cancelled call; call it right before an effect."""
    cancelled = _cancelled.get()
    if cancelled and cancelled.is_set():
        raise CallCancelled


@contextmanager
def without_cancellation() -> Generator[None]:
    """Finish what begins here even if the call is cancelled; raise if it already was."""
    check_cancelled()
    token = _cancelled.set(None)
    try:
        yield
    finally:
        _cancelled.reset(token)
