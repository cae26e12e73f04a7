from functools import partial

import pytest
from repl_session import Spoken

from maxagent.cli.rendering.blocks.folds import Fold, fold_lines
from maxagent.cli.rendering.thinking_view import build_thinking_block
from maxagent.config.errors import UsageError


async def test_another_model_answers_if_it_can_be_asked(spoken: Spoken) -> None:
    assert "Model: `openai/gpt-4o`" in await spoken("/model openai/gpt-4o")
    assert spoken.session.options == {"model": "openai/gpt-4o"}
    assert spoken.session.model == "openai/gpt-4o"
    with pytest.raises(UsageError, match="unknown provider `opnai`"):
        await spoken("/model opnai/gpt-4o")
    with pytest.raises(UsageError, match="No key for the provider `deepseek`"):
        await spoken("/model deepseek/deepseek-chat")
    assert spoken.session.options == {"model": "openai/gpt-4o"}


async def test_model_without_name_lists_current_and_available_models(
    spoken: Spoken,
) -> None:
    spoken.write("home/config.yaml", "model:\n  default: openai/own\n  models: {openai/big: {}}\n")
    first, *others = (await spoken("/model")).splitlines()
    assert first.startswith("Current model: `openai/own`")
    assert others[0].split()[:2] == ["*", "openai/own"]
    assert others[1].split() == ["openai/big", "128k", "?", "?", "?"]
    own = [line for line in others if " openai/" in line]
    assert len(own) > 5 and not any(" deepseek/" in line for line in others)


async def test_an_endpoint_of_ones_own_stays(spoken: Spoken) -> None:
    spoken.session.options = {"base_url": "http://localhost:1/v1"}
    await spoken("/model openai/served")
    assert spoken.session.options == {
        "base_url": "http://localhost:1/v1",
        "model": "openai/served",
    }


async def test_another_approval_mode(spoken: Spoken) -> None:
    assert "`edits`" in await spoken("/mode edits")
    assert (spoken.session.mode, spoken.session.options) == ("edits", {"mode": "edits"})
    lines = (await spoken("/mode")).splitlines()
    assert "`edits`" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["ask", "edits", "auto", "read-only"]
    with pytest.raises(UsageError, match="no approval mode `yolo`") as error_info:
        await spoken("/mode yolo")
    assert "`read-only`" in error_info.value.hint and spoken.session.mode == "edits"


async def test_plan_and_build_without_words_say_what_holds(spoken: Spoken) -> None:
    assert "Plan mode" in await spoken("/plan")
    assert spoken.session.plan
    assert "Build mode" in await spoken("/build")
    assert not spoken.session.plan


async def test_another_agent_speaks(spoken: Spoken) -> None:
    entries = await spoken("/agents")
    assert "explore" in entries and "`/agents NAME`" in entries
    assert "`explore` answers" in await spoken("/agents @explore")
    assert spoken.session.agent == "explore"
    with pytest.raises(UsageError, match="no agent `explorer`"):
        await spoken("/agents explorer")


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
