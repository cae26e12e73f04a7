"""`/think` and `/effort`: what holds from the next message on, and the last folded thought."""

from functools import partial

import pytest
from repl_session import Spoken

from maxagent.cli.rendering.blocks.folds import Fold, fold_lines
from maxagent.cli.rendering.thinking_view import build_thinking_block
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
    texts = ("older", "newer")
    spoken.session.folds = [Fold("thought", partial(build_thinking_block, text)) for text in texts]
    spoken.session.folds.append(fold_lines("output", "Ran make", ["all"]))
    seen = [await spoken("/think show") for _ in range(3)]
    assert seen[:2] == ["\nThinking\n┆ newer\n", "\nThinking\n┆ older\n"]
    assert "No folded thinking" in seen[2]
