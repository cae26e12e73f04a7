"""What some models must be told besides an agent's prompt."""

import pytest

from maxagent.models.prompt_addenda import find_addenda


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gemini/gemini-2.5-pro", "call the tool in the same answer"),
        ("ollama/Qwen3-coder:30b", "call the tool in the same answer"),
        ("openai/gpt-4o", "until the request is done"),
    ],
)
def test_some_models_get_an_addendum(name: str, sentence: str) -> None:
    [text] = find_addenda(name)
    assert sentence in text


@pytest.mark.parametrize("name", ["glm/glm-5.3", "anthropic/claude-sonnet-4-5", "openai/served"])
def test_most_models_need_no_addendum(name: str) -> None:
    assert find_addenda(name) == []
