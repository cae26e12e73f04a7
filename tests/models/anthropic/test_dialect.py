"""Anthropic Messages, against a server that refuses what the real one refuses."""

import cProfile
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from anthropic_provider import AnthropicProvider, error, without_marks
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from provider import Request

from maxagent.models.anthropic.dialect import AnthropicDialect, build_options
from maxagent.models.errors import (
    AuthenticationError,
    BrokenStreamError,
    ContentRefusedError,
    ContextOverflowError,
    InvalidRequestError,
    ModelCallError,
    ProviderFaultError,
    QuotaExhaustedError,
    RateLimitError,
)
from maxagent.models.factory import open_model
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.invoke import invoke_model
from maxagent.models.providers import load_providers
from maxagent.models.replay import MADE_BY
from maxagent.models.resolver import ResolvedModel

OLD, NEW, NEWEST = "claude-sonnet-4-5", "claude-opus-4-7", "claude-sonnet-5-5"
ON = RequestOptions(thinking="on")
SYSTEM = SystemMessage("You are a coding agent.")
MANUAL = {"type": "enabled", "budget_tokens": 10_000}
ADAPTIVE = {"type": "adaptive"}
SUMMARIZED = {**ADAPTIVE, "display": "summarized"}
BOUND = {**SUMMARIZED, "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
DISABLED = {"type": "disabled"}
INTERLEAVED = "interleaved-thinking-2025-05-14"
BINDING = "thinking-binding-controls-2026-08-01"


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


def resolve(model: str, url: str, provider: str = "anthropic", **fields: Any) -> ResolvedModel:
    row = load_providers()[provider].select_api("anthropic", model)
    fields = {"api": "anthropic", "temperature": 0.5, **fields}
    return ResolvedModel(row, model, url, "sk-secret", max_tokens=8000, **fields)


def open_bound(server: AnthropicProvider, model: str, **fields: Any) -> HttpChatModel:
    opened = open_model(resolve(model, server.url, **fields))
    assert isinstance(opened, HttpChatModel)
    return opened.bind_tools([look])


async def ask(
    model: HttpChatModel, messages: Sequence[BaseMessage], options: RequestOptions = ON
) -> AIMessage:
    answer = await invoke_model(model, [*messages], lambda _: None, lambda _: None, options)
    answer.additional_kwargs[MADE_BY] = model.resolved.name
    return answer


async def run_loop(
    model: HttpChatModel, messages: list[BaseMessage], steps: int, options: RequestOptions = ON
) -> None:
    for _ in range(steps):
        messages.append(answer := await ask(model, messages, options))
        for call in answer.tool_calls:
            messages.append(ToolMessage(f"seen {call['id']}", tool_call_id=call["id"]))


def calls_then_text(steps: int) -> list[dict[str, Any]]:
    turns = [
        {
            "thinking": f"step {n} 😀",
            "text": "" if n % 2 else f"I look, {n}.",
            "tool_calls": [{"name": "look", "args": {"path": f"中{n}"}, "id": f"c{n}"}],
            "portion": 3,
        }
        for n in range(steps)
    ]
    return [*turns, {"thinking": "done", "text": "All seen."}]


@pytest.mark.parametrize("model", [OLD, NEW, NEWEST])
async def test_long_tool_loop_with_thinking_is_accepted(
    anthropic_provider: AnthropicProvider, model: str
) -> None:
    anthropic_provider.bound = {NEWEST}
    anthropic_provider.script(calls_then_text(10))
    bound = open_bound(anthropic_provider, model)
    messages: list[BaseMessage] = [SYSTEM, HumanMessage("go")]
    await run_loop(bound, messages, 11)
    await bound.aclose()
    assert anthropic_provider.refusals == []
    assert messages[-1].text == "All seen."
    sent = anthropic_provider.requests[-1].body["messages"]
    kinds = [[block["type"] for block in message["content"]] for message in sent[1:5]]
    assert kinds == [
        ["thinking", "text", "tool_use"],
        ["tool_result"],
        ["thinking", "tool_use"],
        ["tool_result"],
    ]
    assert sent[1]["content"][0]["thinking"] == "step 0 😀"


async def test_requests_repeat_prefix_but_for_marks(anthropic_provider: AnthropicProvider) -> None:
    anthropic_provider.script([*calls_then_text(6), {"text": "ok"}])
    bound = open_bound(anthropic_provider, OLD)
    messages: list[BaseMessage] = [SYSTEM, HumanMessage("go")]
    await run_loop(bound, messages, 7)
    messages.append(HumanMessage("again"))
    await ask(bound, messages)
    await bound.aclose()
    bodies = [without_marks(json.loads(request.raw)) for request in anthropic_provider.requests]
    for before, after in zip(bodies, bodies[1:], strict=False):
        count = len(before["messages"])
        assert {**after, "messages": after["messages"][:count]} == before
    assert list(bodies[0])[-3:] == ["tools", "system", "messages"]
    last = anthropic_provider.requests[-1].body
    marked = [i for i, m in enumerate(last["messages"]) if "cache_control" in m["content"][-1]]
    assert marked == [len(last["messages"]) - 2, len(last["messages"]) - 1]
    assert "cache_control" in last["tools"][-1] and "cache_control" in last["system"][-1]


async def test_thinking_goes_only_to_its_own_model(anthropic_provider: AnthropicProvider) -> None:
    anthropic_provider.script(calls_then_text(15))
    messages: list[BaseMessage] = [HumanMessage("go")]
    for model in (OLD, NEW, NEWEST, OLD, "claude-opus-5"):
        bound = open_bound(anthropic_provider, model)
        await run_loop(bound, messages, 3)
        await bound.aclose()
    assert anthropic_provider.refusals == []


async def test_thinking_can_change_between_requests(anthropic_provider: AnthropicProvider) -> None:
    anthropic_provider.script(calls_then_text(20))
    bound = open_bound(anthropic_provider, OLD)
    messages: list[BaseMessage] = [HumanMessage("go")]
    for thinking in ("on", "off", "on", "", "on"):
        await run_loop(bound, messages, 2, RequestOptions(thinking=thinking))
    await bound.aclose()
    assert anthropic_provider.refusals == []


async def test_lost_results_notices_and_broken_calls_are_accepted(
    anthropic_provider: AnthropicProvider,
) -> None:
    anthropic_provider.script([{"text": "ok"}])
    broken = {
        "name": "look",
        "args": '{"pa',
        "id": "b:1",
        "error": "x",
        "type": "invalid_tool_call",
    }
    calls = [{"name": "look", "args": {"path": "a"}, "id": "c1"}]
    messages = [
        SYSTEM,
        HumanMessage("go"),
        HumanMessage(" "),
        AIMessage("", tool_calls=calls, invalid_tool_calls=[broken]),
        HumanMessage("a notice"),
        ToolMessage("", tool_call_id="b:1", status="error"),
        ToolMessage("orphan", tool_call_id="c9"),
        HumanMessage("another"),
        AIMessage("  \n"),
        HumanMessage("go on"),
    ]
    bound = open_bound(anthropic_provider, OLD)
    await ask(bound, messages, RequestOptions())
    await bound.aclose()
    assert anthropic_provider.refusals == []
    sent = without_marks(anthropic_provider.requests[0].body)["messages"]
    missing = "No result: the call was interrupted."
    assert sent[1]["content"][1] == {
        "type": "tool_use", "id": "b_1", "name": "look", "input": {},
    }  # fmt: skip
    assert sent[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": missing, "is_error": True},
        {"type": "tool_result", "tool_use_id": "b_1", "content": "error", "is_error": True},
        *({"type": "text", "text": text} for text in ("a notice", "another", "go on")),
    ]


async def test_parts_come_back_in_their_order(anthropic_provider: AnthropicProvider) -> None:
    blocks = [["thinking", "a"], ["text", "One. "], ["redacted_thinking", "xyz"], ["text", "Two."]]
    call = {"name": "look", "args": {"path": "a"}, "id": "c1"}
    anthropic_provider.script([{"blocks": blocks, "tool_calls": [call]}, {"text": "ok"}])
    bound = open_bound(anthropic_provider, NEW)
    messages: list[BaseMessage] = [HumanMessage("go")]
    await run_loop(bound, messages, 2)
    await bound.aclose()
    assert anthropic_provider.refusals == []
    assert messages[1].text == "One. Two."
    sent = anthropic_provider.requests[1].body["messages"][1]["content"]
    texts = [block.get("thinking") or block.get("text") or block.get("data") for block in sent]
    assert texts == ["a", "One. ", "xyz", "Two.", None]


async def test_cut_stream_fails_and_repeats_cleanly(anthropic_provider: AnthropicProvider) -> None:
    turn = calls_then_text(1)[0]
    anthropic_provider.script([{**turn, "cut_after": 6}, turn, {"text": "ok"}])
    bound = open_bound(anthropic_provider, OLD)
    messages: list[BaseMessage] = [HumanMessage("go")]
    with pytest.raises(BrokenStreamError) as caught:
        await ask(bound, messages)
    assert caught.value.retryable
    await run_loop(bound, messages, 2)
    await bound.aclose()
    assert anthropic_provider.refusals == [] and messages[-1].text == "ok"


@pytest.mark.parametrize(
    ("answer", "failure", "retryable"),
    [
        (error(529, "overloaded_error", "Overloaded"), ProviderFaultError, True),
        (error(500, "api_error", "Internal server error"), ProviderFaultError, True),
        (error(413, "request_too_large", "Request exceeds the maximum size"),
         ContextOverflowError, False),
        (error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
         ContextOverflowError, False),
        (error(400, "invalid_request_error", "Your credit balance is too low"),
         QuotaExhaustedError, False),
        (error(402, "billing_error", "Payment"), QuotaExhaustedError, False),
        (error(401, "authentication_error", "invalid x-api-key"), AuthenticationError, False),
        (error(400, "invalid_request_error", "tools.0: bad"), InvalidRequestError, False),
        ({"sse": ['data: {"type": "error", "error": {"type": "overloaded_error"}}', ""]},
         ProviderFaultError, True),
        ({"sse": ['data: {"type": "error", "error": {"type": "rate_limit_error"}}', ""]},
         RateLimitError, True),
        ({"text": "No.", "finish_reason": "refusal"}, ContentRefusedError, False),
        ({"text": "So far", "finish_reason": "model_context_window_exceeded"},
         ContextOverflowError, False),
        ({"text": "ok", "usage": {"input_tokens": 10, "cache_read_input_tokens": 300_000}},
         ContextOverflowError, False),
    ],
)  # fmt: skip
async def test_failure_is_named_and_retried_if_sensible(
    anthropic_provider: AnthropicProvider,
    answer: Any,
    failure: type[ModelCallError],
    retryable: bool,
) -> None:
    anthropic_provider.script([answer])
    bound = open_bound(anthropic_provider, OLD, context_length=200_000, has_known_window=True)
    with pytest.raises(failure) as caught:
        await ask(bound, [HumanMessage("go")])
    await bound.aclose()
    assert caught.value.retryable is retryable
    assert caught.value.hint


async def test_rate_limit_says_how_long(anthropic_provider: AnthropicProvider) -> None:
    limited = error(429, "rate_limit_error", "Slow down", **{"Retry-After": "7"})
    anthropic_provider.script([limited])
    bound = open_bound(anthropic_provider, OLD)
    with pytest.raises(RateLimitError) as caught:
        await ask(bound, [HumanMessage("go")])
    await bound.aclose()
    assert caught.value.retry_after == 7


@pytest.mark.parametrize("signs", [True, False])
@pytest.mark.parametrize("provider", ["minimax", "deepseek", "kimi", "glm"])
async def test_endpoints_of_others_get_thinking_back(provider: str, signs: bool) -> None:
    with AnthropicProvider(thinks_unasked=True, signs=signs) as server:
        server.script(calls_then_text(4))
        bound = open_bound(server, "m", provider=provider)
        messages: list[BaseMessage] = [HumanMessage("go")]
        await run_loop(bound, messages, 5, RequestOptions())
        await bound.aclose()
        assert server.refusals == []
        last = server.requests[-1]
        answers = [m for m in last.body["messages"] if m["role"] == "assistant"]
        assert all(answer["content"][0]["type"] == "thinking" for answer in answers)
        assert last.headers["Authorization"] == "Bearer sk-secret"
        assert last.headers["x-api-key"] == "sk-secret"


@pytest.mark.parametrize("provider", ["deepseek", "kimi"])
async def test_foreign_calls_have_empty_thinking_where_demanded(provider: str) -> None:
    call = {"name": "look", "args": {"path": "a"}, "id": "x1"}
    marks = {MADE_BY: f"anthropic/{NEW}", "reasoning_content": "foreign"}
    messages: list[BaseMessage] = [
        HumanMessage("go"),
        AIMessage("I look.", tool_calls=[call], additional_kwargs=marks),
        ToolMessage("A", tool_call_id="x1"),
    ]
    with AnthropicProvider(thinks_unasked=True, signs=False) as server:
        server.script(calls_then_text(3))
        for model in ("m", "m2"):
            bound = open_bound(server, model, provider=provider)
            await run_loop(bound, messages, 2, RequestOptions())
            await bound.aclose()
        assert server.refusals == []
        assert b"foreign" not in server.requests[-1].raw


async def test_answer_may_be_one_document(anthropic_provider: AnthropicProvider) -> None:
    anthropic_provider.script([{**calls_then_text(1)[0], "streamed": False}, {"text": "ok"}])
    bound = open_bound(anthropic_provider, NEW)
    messages: list[BaseMessage] = [HumanMessage("go")]
    await run_loop(bound, messages, 2)
    await bound.aclose()
    assert anthropic_provider.refusals == []
    assert messages[1].additional_kwargs["reasoning_content"] == "step 0 😀"


async def test_images_are_blocks(anthropic_provider: AnthropicProvider) -> None:
    def see(request: Request) -> dict[str, Any]:
        content = request.body["messages"][-1]["content"]
        return {"text": " ".join(block["type"] for block in content)}

    anthropic_provider.script(see)
    anthropic_provider.blind = {NEW}
    picture = {"type": "image", "base64": "AA==", "mime_type": "image/png"}
    messages = [HumanMessage([{"type": "text", "text": "see"}, picture])]
    bound = open_bound(anthropic_provider, OLD)
    assert (await ask(bound, messages)).text == "text image"
    await bound.aclose()


def test_base_url_may_end_in_version() -> None:
    paths = [
        AnthropicDialect(resolve(OLD, url)).path for url in ("https://x", "https://x/anthropic/v1")
    ]
    assert paths == ["/v1/messages", "/messages"]


def test_step_in_a_long_thread_stays_cheap() -> None:
    dialect, messages = AnthropicDialect(resolve(OLD, "http://x")), list[BaseMessage]()
    for n in range(400):
        call = {"name": "look", "args": {"path": "a" * 50}, "id": f"c{n}"}
        messages += [
            AIMessage("I look.", tool_calls=[call]),
            ToolMessage("x" * 500, tool_call_id=f"c{n}"),
        ]
    messages.insert(0, HumanMessage("go"))
    first, second = (
        count_calls(lambda: dialect.build_request(messages, b"", RequestOptions()))
        for _ in range(2)
    )
    assert second < first / 4


def count_calls(act: Callable[[], object]) -> int:
    """Count the functions in Python that this calls."""
    profile = cProfile.Profile(builtins=False)
    profile.runcall(act)
    return sum(entry.callcount for entry in profile.getstats())


def resolve_official(model: str, **fields: Any) -> ResolvedModel:
    row = load_providers()["anthropic"].select_api("anthropic", model)
    fields = {"api": "anthropic", "max_tokens": 32_000, **fields}
    return ResolvedModel(row, model, "http://x", "key", **fields)


def build(model: str, thinking: Any, effort: str = "", **fields: Any) -> dict[str, Any]:
    options = RequestOptions(thinking=thinking, effort=effort)
    return build_options(resolve_official(model, **fields), options, tools=True)


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
    assert resolve_official(model).provider.headers.get("anthropic-beta") == beta


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
