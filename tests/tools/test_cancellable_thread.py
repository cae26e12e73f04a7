"""A cancelled call does nothing more, and the loop goes on while a worker works."""

import asyncio
import threading

import pytest

from maxagent.tools.cancellable_thread import (
    CallCancelled,
    check_cancelled,
    run_in_worker,
    without_cancellation,
)


async def test_the_answer_comes_from_another_thread() -> None:
    def work(number: int, *, other: int) -> tuple[int, int]:
        check_cancelled()
        return number + other, threading.get_ident()

    answer, thread = await run_in_worker(work, 1, other=2)
    assert answer == 3 and thread != threading.get_ident()


@pytest.mark.parametrize("protected", [False, True])
async def test_a_cancelled_worker_stops_at_its_next_check(protected: bool) -> None:
    event, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    outcome = list[str]()

    def check() -> None:
        event.set()
        assert go_on.wait(60)
        check_cancelled()

    def work() -> None:
        try:
            if protected:
                with without_cancellation():
                    check()
            else:
                check()
            outcome.append("done")
        except CallCancelled:
            outcome.append("cancelled")
        finally:
            ended.set()

    call = asyncio.create_task(run_in_worker(work))
    assert await asyncio.to_thread(event.wait, 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 10)
    assert outcome == ["done" if protected else "cancelled"]


def test_outside_of_a_call_nothing_is_cancelled() -> None:
    check_cancelled()
