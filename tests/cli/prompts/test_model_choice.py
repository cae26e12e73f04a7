"""The list of models to choose from."""

from maxagent.cli.prompts.model_choice import format_models


def test_models_are_shown_with_window_and_price() -> None:
    first, second = format_models("deepseek", ["deepseek-chat", "an-own-one"])
    assert first.split()[:3] == ["1", "deepseek-chat", "131k"] and "$" in first
    assert second == "2  an-own-one"
    assert max(map(len, (first, second))) <= 40
