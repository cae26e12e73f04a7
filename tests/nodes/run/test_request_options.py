"""The decision about thinking, and what each role makes of it."""

from typing import Any

import pytest

from maxagent.config.settings.schema import ModelSection, Settings
from maxagent.nodes.run.request_options import (
    build_request_options,
    select_thinking_model,
    settle_thinking,
)


def decided(strategy: str, required: bool) -> Any:
    return {
        "thinking": {
            "strategy": strategy,
            "needed": required,
            "model": "glm/glm-5",
            "effort": "auto",
        }
    }


@pytest.mark.parametrize(
    ("strategy", "required", "architect", "coder"),
    [
        ("auto", True, "on", "on"),
        ("auto", False, "on", "off"),
        ("enabled", True, "on", "on"),
        ("disabled", False, "off", "off"),
    ],
)
def test_architect_thinks_under_auto(
    strategy: str, required: bool, architect: str, coder: str
) -> None:
    state = decided(strategy, required)
    assert build_request_options(state, "architect").thinking == architect
    assert build_request_options(state, "coder").thinking == coder
    assert select_thinking_model(state, "coder") == ("glm/glm-5" if coder == "on" else "")


def test_undecided_state_leaves_the_provider_alone() -> None:
    state: Any = {"folder": "/x"}
    assert build_request_options(state, "coder").thinking == ""
    assert select_thinking_model(state, "coder") == ""


def test_options_win_over_settings() -> None:
    settings = Settings(model=ModelSection(thinking_strategy="disabled", effort="low"))
    usual = settle_thinking("why?", "why?", {}, settings)
    chosen = settle_thinking("hi", "hi", {"thinking": "enabled", "effort": "max"}, settings)
    assert (usual["needed"], usual["effort"]) == (False, "low")
    assert (chosen["needed"], chosen["effort"]) == (True, "max")
