"""The wait at a provider's limit."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from maxagent.sdk.events import Progress, Question
from maxagent.sdk.limit_wait import compute_time_left, wait_for_limit


def ask(seconds: float | None, kind: Any = "limit") -> Question:
    moment = datetime.now(UTC) + timedelta(seconds=seconds or 0)
    until = "" if seconds is None else moment.isoformat()
    return Question("t", "q", kind, [], [], until=until)


async def gather(question: Question, *, is_stopping: bool = False) -> list[Progress]:
    return [event async for event in wait_for_limit(question, lambda: is_stopping)]


@pytest.mark.parametrize(
    ("seconds", "kind", "low", "high"),
    [
        (None, "limit", 0, 0),
        (-5, "limit", 0, 0),
        (86_400, "limit", 86_000, 86_400),
        (86_400, "approval", 0, 0),
    ],
)
def test_time_left_is_that_of_a_limit(
    seconds: float | None, kind: str, low: float, high: float
) -> None:
    assert low <= compute_time_left(ask(seconds, kind)) <= high


async def test_the_wait_ends_with_the_limit() -> None:
    question = ask(0.3)
    (told,) = await gather(question)
    assert (told.task, told.done) == ("wait", 0)
    assert compute_time_left(question) == 0


async def test_nothing_is_waited_for_when_it_is_over_or_stopped() -> None:
    assert await gather(ask(-1)) == []
    assert await gather(ask(None)) == []
    assert await gather(ask(86_400), is_stopping=True) == []


@pytest.mark.parametrize("hours", [-9000, -24, -1, 1, 9000])
async def test_wait_ends_when_clock_is_changed(
    monkeypatch: pytest.MonkeyPatch, hours: float
) -> None:
    question, now, waited = ask(0.3), time.time, list[Progress]()
    async for progress in wait_for_limit(question, lambda: False):
        monkeypatch.setattr(time, "time", lambda: now() + hours * 3600)
        waited.append(progress)
    assert [progress.total for progress in waited] == [0]
