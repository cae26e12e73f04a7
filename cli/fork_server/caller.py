"""What a forked run knows of the process that asked for it."""

import os

_session: list[int] = []


def keep_session(number: int) -> None:
    """Keep the session of the caller: a fork has the server's."""
    _session.append(number)


def is_forked() -> bool:
    """Return whether this process was forked by a server."""
    return bool(_session)


def get_session() -> int:
    """Return the number of the session that the user started this run in."""
    if _session:
        return _session[0]
    return os.getsid(0) if hasattr(os, "getsid") else os.getppid()
