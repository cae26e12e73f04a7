import asyncio
import os
import signal

import pytest

from maxagent.cli.repl.prompt.hangup import is_gone, told_when_gone
from maxagent.cli.repl.prompt.protocol import LeaveRepl, asked


async def test_the_loop_tells_of_a_signal() -> None:
    left = asyncio.Event()
    with told_when_gone(left.set):
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(left.wait(), 60)


async def test_a_signal_of_which_the_loop_has_not_heard_ends_a_question() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with told_when_gone(lambda: None):
        assert asked(lambda: "yes") == "yes"
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(LeaveRepl):
            asked(lambda: "never asked")
        assert is_gone()
    assert not is_gone() and signal.getsignal(signal.SIGTERM) == before
