"""Swap names in pairs, over and over, from `begun` until the standard input ends; say how often.

    python swapper.py NAME OTHER [NAME OTHER ...]

Linux swaps two names in one step; elsewhere, for a moment, one of them is missing.
"""

import ctypes
import os
import sys
import threading

_HERE, _EXCHANGE = -100, 2


def main(names: list[str]) -> int:
    """Swap until the input ends."""
    pairs = list(zip(names[::2], names[1::2], strict=True))
    swap = _swap_at_once if _can_exchange(*pairs[0]) else _swap_in_steps
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    swaps = 0
    print("begun", flush=True)
    while not ended.is_set():
        for first, second in pairs:
            swap(first, second)
            swaps += 1
    print(swaps, flush=True)
    return 0


def _can_exchange(first: str, second: str) -> bool:
    try:
        _swap_at_once(first, second)
    except (AttributeError, OSError):
        return False
    return True


def _swap_at_once(first: str, second: str) -> None:
    names = os.fsencode(first), os.fsencode(second)
    if _libc.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE):
        raise OSError(ctypes.get_errno(), "not swapped")


def _swap_in_steps(first: str, second: str) -> None:
    aside = f"{second}-aside"
    os.rename(first, aside)
    os.rename(second, first)
    os.rename(aside, second)


_libc = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
