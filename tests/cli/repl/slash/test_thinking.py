"""`/think` and `/effort`: what holds from the next message on, and the last folded thought."""

import pytest
from repl_session import Spoken

from maxagent.config.errors import UsageError


async def test_think_sets_the_next_strategy(spoken: Spoken) -> None:
    assert "thinking: on" in await spoken("/think on")
    assert spoken.session.options == {"thinking": "enabled"}
    assert "thinking: on" in await spoken("/think")
    await spoken("/think disabled")
    assert spoken.session.next_options["thinking"] == "disabled"
    with pytest.raises(UsageError, match="unknown choice `maybe`"):
        await spoken("/think maybe")


async def test_effort_sets_the_next_effort(spoken: Spoken) -> None:
    assert "`auto`" in await spoken("/effort")
    assert "`high`" in await spoken("/effort high")
    assert spoken.session.options == {"effort": "high"}
    with pytest.raises(UsageError, match="unknown choice `most`"):
        await spoken("/effort most")


async def test_show_opens_newest_thought_then_older(spoken: Spoken) -> None:
    spoken.session.thoughts = ["older", "newer"]
    seen = [await spoken("/think show") for _ in range(3)]
    assert seen[:2] == ["Thinking\n┆ newer\n", "Thinking\n┆ older\n"]
    assert "No folded thinking" in seen[2]
