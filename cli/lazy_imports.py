"""Imports without garbage collection, which costs a tenth of their time and finds nothing."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

# Objects made, less those deleted, after which the collector runs; Python's own is 700
COLLECTION_THRESHOLD = 100_000


def collect_seldom() -> None:
    """Run the collector rarely: most of what a command makes until its first request stays."""
    gc.set_threshold(COLLECTION_THRESHOLD)


@contextmanager
def without_collector() -> Generator[None]:
    """Import inside with the collector off; afterwards it ignores all objects that exist then."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
