"""Protection of this process's memory and environment, which hold the user's keys."""

import sys

# PR_SET_DUMPABLE, prctl(2)
_DUMPABLE = 4


def close_memory() -> None:
    """Keep other processes of the same user from reading this one; root can."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)
