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


CLEANING = """
import asyncio
from maxagent.cli.execution import stop_signal

async def main():
    with stop_signal.exit_on_termination():
        try:
            print("ready", flush=True)
            await asyncio.sleep(600)
        finally:
            print("cleaning", flush=True)
            {cleanup}
            print("cleaned", flush=True)

stop_signal.MAX_EXIT_SECONDS = {seconds}
asyncio.run(main())
"""
# a line for each signal, so that all have arrived before the cleanup goes on
READ = "await asyncio.to_thread(input)"


@pytest.mark.parametrize(
    ("signals", "code"),
    [([15], 143), ([15, 15], 143), ([15, 1], 143), ([1, 15], 129), ([1, 1], 129), ([15] * 3, 143)],
)
def test_a_cleanup_is_not_ended_by_later_signals(signals: list[int], code: int) -> None:
    program = CLEANING.format(cleanup=READ, seconds=250)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=-1, stdout=-1, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signals[0])
        assert process.stdout.readline() == "cleaning\n"
        for number in signals[1:]:
            process.send_signal(number)
        assert process.communicate("\n", timeout=250)[0] == "cleaned\n"
    assert process.returncode == code


def test_a_cleanup_that_never_ends_is_left() -> None:
    program = CLEANING.format(cleanup="await asyncio.sleep(600)", seconds=0.1)
    with subprocess.Popen([sys.executable, "-c", program], stdout=-1, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=250)[0] == "cleaning\n"
    assert process.returncode == 143


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
