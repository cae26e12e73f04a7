"""What a forked run knows of the process that asked for it."""

import os
import socket

_callers: list[tuple[int, socket.socket]] = []


def keep_caller(session: int, connection: socket.socket) -> None:
    """Keep the session of the caller, since a fork has the server's, and the way to it."""
    _callers.append((session, connection))


def get_session() -> int:
    """Return the number of the session that the user started this run in."""
    if _callers:
        return _callers[0][0]
    return os.getsid(0) if hasattr(os, "getsid") else os.getppid()


def hand_back() -> None:
    """End a fork whose caller shall start this run itself; nothing may have been done before."""
    if _callers:
        from . import channel

        channel.send_notice(_callers[0][1], channel.COLD, 0)
        os._exit(0)
