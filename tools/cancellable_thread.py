"""Work for a thread beside the event loop, which writes nothing any more once it is cancelled."""

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
    """The call that this thread works for was cancelled; nobody waits for its answer."""


async def run_in_worker(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function in a thread; when the call is cancelled, `check_cancelled` there raises."""
    cancelled = threading.Event()
    context = contextvars.copy_context()
    context.run(_cancelled.set, cancelled)
    try:
        return await asyncio.to_thread(context.run, function, *args, **kwargs)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def check_cancelled() -> None:
    """Raise Cancelled in the worker of a cancelled call; called right before something is done."""
    cancelled = _cancelled.get()
    if cancelled and cancelled.is_set():
        raise CallCancelled


@contextmanager
def without_cancellation() -> Generator[None]:
    """What begins here is not cut short when the call is cancelled; one cancelled before raises."""
    check_cancelled()
    token = _cancelled.set(None)
    try:
        yield
    finally:
        _cancelled.reset(token)
