"""A process that was told to end does so in time, also where a thread cannot be stopped."""

import signal
import subprocess
import sys

import pytest

from maxagent.cli.execution.stop_signal import StopSignal, run_stoppable

STUCK = """
import asyncio, time
from maxagent.cli.execution import stop_signal

async def main(stop):
    stop.receive({number})
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    return 0

stop_signal.MAX_EXIT_SECONDS = 0.1
stop_signal.run_stoppable(main)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stuck_thread_holds_no_process(number: signal.Signals) -> None:
    stuck = [sys.executable, "-c", STUCK.format(number=int(number))]
    assert subprocess.run(stuck, timeout=250).returncode == 128 + number


@pytest.mark.parametrize(
    ("signals", "code"), [([], 7), ([15, 2], 143), ([1, 15], 129), ([2, 15], 130)]
)
def test_the_first_signal_is_the_exit_code(signals: list[int], code: int) -> None:
    async def main(stop: StopSignal) -> int:
        for number in signals:
            stop.receive(number)
        return 7

    assert run_stoppable(main) == code
