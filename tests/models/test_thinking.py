"""When a message needs thinking, and how each provider is told."""

from typing import Any

import pytest

from maxagent.models.http.dialect import RequestOptions
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel
from maxagent.models.thinking import (
    build_thinking_fields,
    choose_effort,
    decide_thinking,
    takes_temperature,
)

ON = {"thinking": {"type": "enabled"}}
OFF = {"thinking": {"type": "disabled"}}


def resolved(name: str, **fields: Any) -> ResolvedModel:
    provider, _, model = name.partition("/")
    row = load_providers()[provider].select_api("chat", model)
    return ResolvedModel(row, model, "http://x", "k", **fields)


GLM_KEEPS = {"thinking": {"type": "enabled", "clear_thinking": False}}


@pytest.mark.parametrize(
    "message",
    [
        "Why?",
        "EXPLAIN this",
        "how\ndoes it work",
        "find the root  cause",
        "a trade-off.",
        "请分析一下",
        "为什么why是",
        "这个race条件",
        "先读文件，再修改",
        "看看，然后改掉",
        "First read it. Then change it",
        "1. read\n2. change",
        "a? b?",
        "真的？好吗？",
        "fix\n```\nx = 1\n```",
        "x" * 151,
    ],
)
def test_auto_thinks_about_hard_messages(message: str) -> None:
    assert decide_thinking("auto", message, message)


@pytest.mark.parametrize(
    "message",
    [
        "fix the typo",
        "trace the call",
        "embrace it",
        "refactoring_notes.md",
        "改一下文件名",
        "is it green?",
        "1. only one",
        "then do it first",
        "x" * 150,
        "@" + "long/" * 40 + "file.py fix it",
        "",
    ],
)
def test_auto_does_not_think_about_easy_messages(message: str) -> None:
    assert not decide_thinking("auto", message, message)


def test_only_typed_characters_count_for_length() -> None:
    assert not decide_thinking("auto", "log line " * 50, "")
    assert not decide_thinking("disabled", "why?", "why?")
    assert decide_thinking("enabled", "hi", "hi")


@pytest.mark.parametrize(
    ("model", "on", "off"),
    [
        ("glm/glm-4.6", {"thinking": {"type": "enabled", "clear_thinking": False}}, OFF),
        ("glm-coding/glm-4.6", {"thinking": {"type": "enabled", "clear_thinking": False}}, OFF),
        (
            "glm/glm-5.3",
            {"thinking": {"type": "enabled", "clear_thinking": False}},
            {
                "thinking": {"type": "enabled", "clear_thinking": False},
                "reasoning_effort": "low",
            },
        ),
        ("deepseek/deepseek-v4-pro", ON, OFF),
        ("deepseek/deepseek-reasoner", {}, {}),
        ("kimi/kimi-k2.6", ON, OFF),
        ("kimi/kimi-k2-thinking", {}, {}),
        ("qwen/qwen3.8-max", {"enable_thinking": True}, {"enable_thinking": False}),
        ("qwen/qwen3-coder-plus", {}, {}),
        (
            "openrouter/z-ai/glm-4.6",
            {"reasoning": {"enabled": True}},
            {"reasoning": {"enabled": False}},
        ),
        (
            "openrouter/minimax/minimax-m2",
            {"reasoning": {"enabled": True}},
            {"reasoning": {"effort": "low"}},
        ),
        ("openai/gpt-4o", {}, {}),
        ("openai/gpt-5", {"reasoning_effort": "medium"}, {"reasoning_effort": "minimal"}),
        ("openai/gpt-5.1", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
        ("openai/gpt-5.6", {"reasoning_effort": "none"}, {"reasoning_effort": "none"}),
        ("openai/o3", {"reasoning_effort": "medium"}, {"reasoning_effort": "low"}),
        ("gemini/gemini-2.5-pro", {"reasoning_effort": "medium"}, {"reasoning_effort": "low"}),
        ("gemini/gemini-2.5-flash", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
        ("xai/grok-3-mini", {"reasoning_effort": "high"}, {"reasoning_effort": "low"}),
        ("xai/grok-code-fast-1", {}, {}),
        (
            "groq/openai/gpt-oss-120b",
            {"reasoning_effort": "medium"},
            {"reasoning_effort": "low"},
        ),
        ("minimax/MiniMax-M2", {}, {}),
        (
            "vllm/Qwen/Qwen3-8B",
            {"chat_template_kwargs": {"enable_thinking": True}},
            {"chat_template_kwargs": {"enable_thinking": False}},
        ),
    ],
)
def test_each_model_has_its_own_switch(model: str, on: dict[str, Any], off: dict[str, Any]) -> None:
    assert build_thinking_fields(resolved(model), RequestOptions(thinking="on")) == on
    assert build_thinking_fields(resolved(model), RequestOptions(thinking="off")) == off
    undecided = build_thinking_fields(resolved(model), RequestOptions())
    # GLM thinks by default and forgets the thinking of earlier turns unless it is told not to
    assert undecided == (GLM_KEEPS if model.startswith("glm") else {})


def test_a_model_that_does_not_think_is_left_alone() -> None:
    model = resolved("glm/glm-4.6", thinking=False)
    assert build_thinking_fields(model, RequestOptions(thinking="on")) == {}


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("openai/gpt-5", "max", {"reasoning_effort": "high"}),
        ("glm/glm-5.3", "max", {"reasoning_effort": "max"}),
        ("glm/glm-4.6", "max", {}),
        ("openrouter/any", "high", {"reasoning": {"enabled": True, "effort": "high"}}),
        ("xai/grok-3-mini", "medium", {"reasoning_effort": "low"}),
        ("deepseek/deepseek-v4-pro", "low", {"reasoning_effort": "high"}),
    ],
)
def test_effort_is_the_nearest_that_exists(
    model: str, effort: str, expected: dict[str, Any]
) -> None:
    options = RequestOptions(thinking="on", effort=effort)
    assert build_thinking_fields(resolved(model), options).items() >= expected.items()


def test_no_effort_is_chosen_without_values() -> None:
    assert choose_effort([], "high") == choose_effort(["low"], "") == ""
    assert choose_effort(["none", "low"], "low") == "low"


def test_no_temperature_while_the_vendor_rejects_it() -> None:
    on, off = RequestOptions(thinking="on"), RequestOptions(thinking="off")
    names = [
        [takes_temperature(resolved(model), options) for options in (on, off)]
        for model in ("deepseek/deepseek-v4-pro", "openai/o3", "glm/glm-4.6")
    ]
    assert names == [[False, True], [False, False], [True, True]]
