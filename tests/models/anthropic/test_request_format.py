"""The thinking fields of each generation of Claude models."""

from typing import Any

import pytest

from maxagent.models.anthropic.request_format import build_options
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel

MANUAL = {"type": "enabled", "budget_tokens": 10_000}
ADAPTIVE = {"type": "adaptive"}
SUMMARIZED = {**ADAPTIVE, "display": "summarized"}
BOUND = {**SUMMARIZED, "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
DISABLED = {"type": "disabled"}
INTERLEAVED = "interleaved-thinking-2025-05-14"
BINDING = "thinking-binding-controls-2026-08-01"


def resolve(model: str, **fields: Any) -> ResolvedModel:
    row = load_providers()["anthropic"].select_api("anthropic", model)
    fields = {"api": "anthropic", "max_tokens": 32_000, **fields}
    return ResolvedModel(row, model, "http://x", "key", **fields)


def build(model: str, thinking: Any, effort: str = "", **fields: Any) -> dict[str, Any]:
    options = RequestOptions(thinking=thinking, effort=effort)
    return build_options(resolve(model, **fields), options, tools=True)


@pytest.mark.parametrize(
    ("model", "default", "on", "off", "beta"),
    [
        ("claude-3-7-sonnet-latest", None, MANUAL, None, INTERLEAVED),
        ("claude-sonnet-4-20250514", None, MANUAL, None, INTERLEAVED),
        ("claude-opus-4-1", None, MANUAL, None, INTERLEAVED),
        ("claude-sonnet-4-5", None, MANUAL, None, INTERLEAVED),
        ("claude-haiku-4-5-20251001", None, MANUAL, None, INTERLEAVED),
        ("claude-opus-4-6", None, ADAPTIVE, None, None),
        ("claude-sonnet-4-6", None, ADAPTIVE, None, None),
        ("claude-opus-4-7", None, SUMMARIZED, None, None),
        ("claude-opus-4-8", None, SUMMARIZED, None, None),
        ("claude-opus-5", SUMMARIZED, SUMMARIZED, DISABLED, None),
        ("claude-sonnet-5", SUMMARIZED, SUMMARIZED, DISABLED, None),
        ("claude-fable-5", SUMMARIZED, SUMMARIZED, SUMMARIZED, None),
        ("claude-mythos-5", SUMMARIZED, SUMMARIZED, SUMMARIZED, None),
        ("claude-sonnet-5-5", BOUND, BOUND, {"type": "between_tools"}, BINDING),
        ("claude-opus-5-5", BOUND, BOUND, BOUND, BINDING),
        ("claude-fable-5-1", BOUND, BOUND, BOUND, BINDING),
        ("claude-mythos-5-1", BOUND, BOUND, BOUND, BINDING),
    ],
)
def test_each_generation_has_its_own_fields(
    model: str, default: object, on: object, off: object, beta: str | None
) -> None:
    sent = [build(model, thinking).get("thinking") for thinking in ("", "on", "off")]
    assert sent == [default, on, off]
    assert resolve(model).provider.headers.get("anthropic-beta") == beta


@pytest.mark.parametrize(
    ("model", "thinking", "effort", "sent"),
    [
        ("claude-sonnet-4-5", "on", "max", None),
        ("claude-opus-4-6", "on", "max", "max"),
        ("claude-opus-4-7", "on", "medium", "medium"),
        ("claude-opus-5", "on", "low", "low"),
        ("claude-opus-5", "on", "", None),
        ("claude-opus-5-5", "off", "", "low"),
        ("claude-fable-5", "off", "", "low"),
    ],
)
def test_effort_is_a_field_where_it_exists(
    model: str, thinking: str, effort: str, sent: str | None
) -> None:
    assert build(model, thinking, effort).get("output_config", {}).get("effort") == sent


@pytest.mark.parametrize(
    ("effort", "max_tokens", "budget"),
    [
        ("low", 32_000, 4_000),
        ("", 32_000, 10_000),
        ("high", 64_000, 24_000),
        ("max", 32_000, 16_000),
        ("max", 200_000, 60_000),
        ("", 4_096, 2_048),
        ("", 2_000, None),
    ],
)
def test_budget_leaves_room_for_the_answer(
    effort: str, max_tokens: int, budget: int | None
) -> None:
    fields = build("claude-sonnet-4-5", "on", effort, max_tokens=max_tokens)
    assert fields.get("thinking", {}).get("budget_tokens") == budget


@pytest.mark.parametrize(
    ("model", "thinking", "temperature"),
    [("claude-sonnet-4-5", "off", 0.5), ("claude-sonnet-4-5", "on", None)],
)
def test_temperature_goes_only_without_thinking(
    model: str, thinking: str, temperature: float | None
) -> None:
    assert build(model, thinking, temperature=0.5).get("temperature") == temperature
