import asyncio
import os
import signal

import pytest

from maxagent.cli.repl.prompt.hangup import handle_hangup, has_received_signal
from maxagent.cli.repl.prompt.protocol import ReplExit, run_question


async def test_the_loop_tells_of_a_signal() -> None:
    event = asyncio.Event()
    with handle_hangup(event.set):
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(event.wait(), 60)


async def test_signal_before_loop_handles_it_ends_question() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with handle_hangup(lambda: None):
        assert run_question(lambda: "yes") == "yes"
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(ReplExit):
            run_question(lambda: "never asked")
        assert has_received_signal()
    assert not has_received_signal() and signal.getsignal(signal.SIGTERM) == before


async def test_ignored_hangup_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does
    try:
        with handle_hangup(lambda: None):
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
