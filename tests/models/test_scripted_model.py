"""The model that plays a scenario."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from maxagent.config.errors import ModelError, UsageError
from maxagent.models.catalog import compute_cost, find_model
from maxagent.models.invoke import invoke_model
from maxagent.models.scripted_model import open_script

SCENARIO = {
    "architect": [{"text": "A plan in words"}],
    "coder": [
        {"thinking": "so be it", "tool_calls": [{"name": "look", "args": {"p": "中"}}] * 2},
        {"text": "Done"},
    ],
}


def write(tmp_path: Path, scenario: Any) -> Path:
    path = tmp_path / "scenario.json"
    path.write_text(scenario if isinstance(scenario, str) else json.dumps(scenario))
    return path


async def play(path: Path, role: str, messages: list[BaseMessage]) -> tuple[AIMessage, list[str]]:
    names: list[str] = []
    return await invoke_model(open_script(path, role), messages, names.append, names.append), names


async def test_a_role_has_its_own_turns(tmp_path: Path) -> None:
    path = write(tmp_path, SCENARIO)
    message, message_text = await play(path, "architect", [HumanMessage("x")])
    assert message.content == "A plan in words"
    assert message_text == ["A ", "plan ", "in ", "words"]


async def test_turn_index_is_number_of_answers(tmp_path: Path) -> None:
    path = write(tmp_path, SCENARIO)
    start: list[BaseMessage] = [HumanMessage("x")]
    first, message = await play(path, "coder", start)
    again, _ = await play(path, "coder", start)
    assert message == ["so ", "be ", "it"]
    assert first.tool_calls == again.tool_calls
    assert [call["id"] for call in first.tool_calls] == ["call_coder_0_0", "call_coder_0_1"]
    assert first.tool_calls[0]["args"] == {"p": "中"}
    results = [ToolMessage("out", tool_call_id=call["id"]) for call in first.tool_calls]
    last, _ = await play(path, "coder", [*start, first, *results])
    assert last.content == "Done"


async def test_a_list_is_for_any_role(tmp_path: Path) -> None:
    path = write(tmp_path, [{"text": "Hi"}])
    for role in ("", "tester"):
        message, _ = await play(path, role, [HumanMessage("x")])
        assert message.content == "Hi"


async def test_past_the_end_it_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, SCENARIO)
    with pytest.raises(ModelError, match="no turn 2 for `architect`"):
        await play(path, "architect", [HumanMessage("x"), AIMessage("y")])


async def test_it_counts_tokens_and_costs_nothing(tmp_path: Path) -> None:
    message, _ = await play(write(tmp_path, SCENARIO), "architect", [HumanMessage("x" * 400)])
    assert message.usage_metadata is not None
    assert message.usage_metadata["input_tokens"] == 100
    assert message.usage_metadata["output_tokens"] > 0
    assert compute_cost(find_model("scripted/scenario.json").price, message.usage_metadata) == 0


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        ('{\n"coder": [\n{"text": }]}', "line 3, column 10"),
        ([{"txt": "typo"}], "0.txt: Extra inputs are not permitted"),
        ({"coder": [{"tool_calls": [{"args": {}}]}]}, "coder.0.tool_calls.0.name: Field required"),
        ({"coder": "text"}, "coder: Input should be a valid list"),
        ("7", "scenario: "),
    ],
)
def test_a_broken_scenario_says_where(tmp_path: Path, scenario: Any, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_script(write(tmp_path, scenario), "coder")
    assert text in caught.value.message and caught.value.hint


def test_a_missing_scenario_or_role_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        open_script(tmp_path / "none.json", "coder")
    with pytest.raises(UsageError, match="no role `tester`") as caught:
        open_script(write(tmp_path, SCENARIO), "tester")
    assert caught.value.hint == "it has `architect`, `coder`"
