"""A function whose call of a chosen number ends the process by SIGKILL, before or after it."""

import inspect
import os
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any


def deadly(function: Callable[..., Any], number: int, side: str) -> Callable[..., Any]:
    """The function, whose call of that number is fatal."""
    calls = 0

    def counted() -> bool:
        nonlocal calls
        calls += 1
        return calls == number

    @wraps(function)
    async def die_async(*args: Any, **kwargs: Any) -> Any:
        fatal = counted()
        if fatal and side == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = await function(*args, **kwargs)
        if fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    @wraps(function)
    def die(*args: Any, **kwargs: Any) -> Any:
        fatal = counted()
        if fatal and side == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **kwargs)
        if fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return die_async if inspect.iscoroutinefunction(function) else die
