"""Which histories are told: others with each run, but where `CI` is set always the same ones."""

import os
import time


def any_seed(fixed: int) -> int:
    """A new seed, or the fixed one where a change must be judged by itself and not by luck."""
    return fixed if os.environ.get("CI") else time.time_ns()
