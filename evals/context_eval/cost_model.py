"""What requests cost, from the server's log of their bytes: uncached input 1, cached 0.1.

What is cached is what the last requests began with, too: tools, then message after message.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from chapter_plan import ChapterPlan
from chapter_server import LoggedRequest

CACHED = 0.1
ARMS: Mapping[str, Mapping[str, Any]] = {
    "nothing": {"auto_compact": False},
    "summary alone": {"prune": False},
    "summary and pruning": {},
}
COST_WINDOW = 128_000
AT_MOST = 0.6
SIZES = (700, 1_600, 1_600, 3_000, 3_000, 5_400, 5_400, 7_800, 9_500, 14_000)
"""Characters of results: quantiles of what this repository's own files and searches in them have.
Reading a file: 10 % below 0.7 kB, a quarter below 1.6, half below 3.0, three quarters below 5.4,
90 % below 7.8, 99 % below 14; searches begin at 2 kB and have a middle of 17 kB, of which a tool
shows less."""


def build_cost_plan(messages: int) -> ChapterPlan:
    """Messages of 300 characters with nine model turns each, and results of real sizes."""
    return ChapterPlan(messages, source_sizes=SIZES, message_size=300, pages_each=1)


def compute_cost(log: Iterable[LoggedRequest]) -> float:
    """The price of the input of all requests, in uncached tokens."""
    return sum(one.tokens - one.cached + CACHED * one.cached for one in log)
