"""Responses against a strict server: every request of a conversation is accepted."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import tool
from responses_provider import ResponsesProvider

from maxagent.models.errors import BrokenStreamError, InvalidRequestError
from maxagent.models.factory import close_model, open_model
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.invoke import invoke_model, is_cut
from maxagent.models.providers import Api, load_providers
from maxagent.models.replay import MADE_BY, OUTPUT_PARTS
from maxagent.models.resolver import ResolvedModel
from maxagent.models.responses.dialect import (
    ResponsesDialect,
    build_options,
    convert_message,
    encode_message,
)

USUAL = RequestOptions()
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
THINKS = {"include": ["reasoning.encrypted_content"], "max_output_tokens": 4096}


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


@pytest.fixture
def server() -> Iterator[ResponsesProvider]:
    with ResponsesProvider() as opened:
        yield opened


def resolve(server: ResponsesProvider, model: str, api: Api = "responses") -> ResolvedModel:
    row = load_providers()["openai"].select_api(api, model)
    return ResolvedModel(row, model, server.url, "sk-secret", api=api)


async def ask(resolved: ResolvedModel, messages: list[BaseMessage]) -> AIMessage:
    """Ask as a node does: the answer remembers its model, its calls get IDs of ours."""
    model = open_model(resolved)
    try:
        answer = await invoke_model(model.bind_tools([look]), messages, print, print, USUAL)
    finally:
        await close_model(model)
    answer.additional_kwargs[MADE_BY] = resolved.name
    for each in (*answer.tool_calls, *answer.invalid_tool_calls):
        each["id"] = f"call_{uuid4().hex}"
    return answer


def answer_calls(answer: AIMessage) -> list[ToolMessage]:
    calls = (*answer.tool_calls, *answer.invalid_tool_calls)
    return [ToolMessage("seen", tool_call_id=call["id"] or "") for call in calls]


TURNS: list[dict[str, Any]] = [
    {"thinking": "First", "tool_calls": [{"name": "look", "args": {"path": "a"}}]},
    {"items": [{"thinking": "Two"}, {"name": "look"}, {"thinking": "more"}, {"name": "look"}]},
    {"items": [{"text": "I look.", "phase": "commentary"}, {"thinking": "hm"}, {"name": "look"}]},
    {"items": [{"thinking": "broken"}, {"name": "look", "args": '{"half'}, {"name": "look"}]},
    {"thinking": "cut", "text": "Half an", "finish_reason": "max_output_tokens"},
    {"text": "Done"},
]


@pytest.mark.parametrize("api", ["responses", "langchain-openai"])
async def test_strict_server_accepts_every_request(server: ResponsesProvider, api: Api) -> None:
    """Also of another model in the middle, of the package, and of threads that it wrote."""
    server.script(TURNS * 3)
    messages: list[BaseMessage] = [SystemMessage("Be good."), HumanMessage("go")]
    other: Api = "langchain-openai" if api == "responses" else "responses"
    routes: list[tuple[str, Api]] = [("gpt-5", api), ("gpt-5.2", api), ("gpt-5", other)]
    for model, protocol in routes:
        for _ in TURNS:
            answer = await ask(resolve(server, model, protocol), messages)
            messages += [answer, *answer_calls(answer)]
        messages.append(HumanMessage("go on"))
    assert server.refused == []
    echoed = [item for item in server.requests[-1].body["input"] if item.get("type") == "reasoning"]
    assert {item["encrypted_content"].partition("/")[0] for item in echoed} == {"gpt-5"}
    assert len(echoed) == 12


async def test_cut_answer_is_known(server: ResponsesProvider) -> None:
    server.script([TURNS[4]])
    assert is_cut(await ask(resolve(server, "gpt-5"), [HumanMessage("go")]))


async def test_broken_stream_can_be_repeated(server: ResponsesProvider) -> None:
    server.script([{**TURNS[0], "cut_after": 4}, {"text": "Hi", "streamed": False}])
    model = resolve(server, "gpt-5")
    with pytest.raises(BrokenStreamError) as caught:
        await ask(model, [HumanMessage("go")])
    assert caught.value.retryable
    assert (await ask(model, [HumanMessage("go")])).text == "Hi"


async def test_server_refuses_what_the_real_one_refuses(server: ResponsesProvider) -> None:
    server.script([])
    call = {"id": "1", "name": "look", "args": {}, "type": "tool_call"}
    with pytest.raises(InvalidRequestError, match="No tool output"):
        await ask(resolve(server, "gpt-5"), [AIMessage("", tool_calls=[call])])
    with pytest.raises(InvalidRequestError, match="No tool call"):
        await ask(resolve(server, "gpt-5"), [ToolMessage("x", tool_call_id="1")])


def test_request_repeats_previous_one_byte_for_byte() -> None:
    resolved = ResolvedModel(load_providers()["openai"], "gpt-5", "http://x", "k", api="responses")
    dialect, before = ResponsesDialect(resolved), b""
    messages: list[BaseMessage] = [SystemMessage("s")]
    tools = dialect.encode_tools([look])
    for number in range(5):
        messages += [HumanMessage(f"ask {number}"), AIMessage(""), AIMessage(f"answer {number}")]
        request = dialect.build_request(messages, tools, USUAL)
        assert request.startswith(before.removesuffix(b"]}"))
        before = request
    body = json.loads(before)
    assert list(body)[-3:] == ["instructions", "tools", "input"]
    assert (body["instructions"], len(body["input"])) == ("s", 10)
    (function,) = body["tools"]
    assert (function["type"], function["name"], function["strict"]) == ("function", "look", False)


def resolved(model: str = "gpt-5", **fields: Any) -> ResolvedModel:
    row = load_providers()["openai"].select_api("responses", model)
    return ResolvedModel(row, model, "http://x", "k", api="responses", **fields)


GPT = resolved()


def call(id: str, name: str, **args: Any) -> dict[str, Any]:
    return {"id": id, "name": name, "args": args, "type": "tool_call"}


def invalid(id: str, name: str) -> dict[str, Any]:
    error = {"id": id, "name": name, "args": '{"half', "error": "broken"}
    return {**error, "type": "invalid_tool_call"}


def sent(id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": arguments}


def text(words: str, **fields: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": words}]
    return {"type": "message", "role": "assistant", "content": content, **fields}


@pytest.mark.parametrize(
    ("message", "items"),
    [
        (SystemMessage("s"), [{"role": "system", "content": "s"}]),
        (HumanMessage("中文"), [{"role": "user", "content": "中文"}]),
        (HumanMessage(["a", {"type": "text", "text": "b"}]), [{"role": "user", "content": "a\nb"}]),
        (HumanMessage([{"type": "text", "text": "see"},
                       {"type": "image", "base64": "AA==", "mime_type": "image/png"}]),
         [{"role": "user", "content": [{"type": "input_text", "text": "see"}, IMAGE]}]),
        (HumanMessage([{"type": "image_url", "image_url": {"url": IMAGE["image_url"]}}]),
         [{"role": "user", "content": [IMAGE]}]),
        (ChatMessage("c", role="developer"), [{"role": "developer", "content": "c"}]),
        (AIMessage("a"), [text("a")]),
        (AIMessage(""), []),
        (AIMessage("x", tool_calls=[call("1", "a", path="ä")],
                   invalid_tool_calls=[invalid("2", "b")]),
         [text("x"), sent("1", "a", '{"path":"ä"}'), sent("2", "b")]),
        (ToolMessage("out", tool_call_id="1"),
         [{"type": "function_call_output", "call_id": "1", "output": "out"}]),
        (ToolMessage([{"type": "image", "base64": "AA==", "mime_type": "image/png"}],
                     tool_call_id="1"),
         [{"type": "function_call_output", "call_id": "1", "output": [IMAGE]}]),
    ],
)  # fmt: skip
def test_every_message_has_its_items(message: BaseMessage, items: list[dict[str, Any]]) -> None:
    assert json.loads(b"[" + encode_message(message, GPT) + b"]") == items


def reasoning(number: int) -> dict[str, Any]:
    return {"id": f"rs_{number}", "type": "reasoning", "summary": [], "encrypted_content": "e"}


PARTS = [
    reasoning(1),
    {"type": "text", "length": 2, "phase": "commentary"},
    reasoning(2),
    {"type": "tool_call", "index": 1},
    {"type": "tool_call", "index": 0},
    {"type": "text", "length": 1},
    reasoning(3),
]


def thought(parts: list[dict[str, Any]], content: str = "abc", maker: str = GPT.name) -> AIMessage:
    marks = {MADE_BY: maker, OUTPUT_PARTS: {"api": "responses", "parts": parts}}
    calls, broken = [call("1", "a")], [invalid("2", "b")]
    return AIMessage(content, additional_kwargs=marks, tool_calls=calls, invalid_tool_calls=broken)


PLAIN = [text("abc"), sent("1", "a"), sent("2", "b")]


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        (thought(PARTS), [reasoning(1), text("ab", phase="commentary"), reasoning(2),
                          sent("2", "b"), sent("1", "a"), text("c")]),
        (thought(PARTS, maker="openai/gpt-5.2"), PLAIN),
        (thought(PARTS, maker="litellm/gpt-5"), PLAIN),
        (thought(PARTS[:-3]), PLAIN),
        (thought(PARTS, content="abcd"), [text("abcd"), *PLAIN[1:]]),
    ],
)  # fmt: skip
def test_thinking_goes_back_in_its_place(answer: AIMessage, items: list[dict[str, Any]]) -> None:
    assert convert_message(answer, GPT) == items


def stored(model: str) -> AIMessage:
    """An answer as langchain-openai left it; the calls have other IDs by now."""
    blocks: list[str | dict[Any, Any]] = [
        {**reasoning(1), "index": 0},
        {"type": "text", "text": "ab", "index": 1, "id": "msg_1"},
        {"type": "function_call", "call_id": "old", "name": "b", "arguments": '{"half', "index": 2},
        {"type": "function_call", "call_id": "old2", "name": "a", "arguments": "{}", "index": 3},
    ]
    facts = {"model_provider": "openai", "model_name": model}
    calls, broken = [call("1", "a")], [invalid("2", "b")]
    return AIMessage(blocks, response_metadata=facts, tool_calls=calls, invalid_tool_calls=broken)


@pytest.mark.parametrize(
    ("model", "items"),
    [
        ("gpt-5", [reasoning(1), text("ab"), sent("2", "b"), sent("1", "a")]),
        ("gpt-5-2025-08-07", [reasoning(1), text("ab"), sent("2", "b"), sent("1", "a")]),
        ("gpt-5-mini", [text("ab"), sent("1", "a"), sent("2", "b")]),
    ],
)
def test_older_answers_send_each_call_once(model: str, items: list[dict[str, Any]]) -> None:
    assert convert_message(stored(model), GPT) == items


@pytest.mark.parametrize(
    ("asked", "options", "extra"),
    [
        (GPT, RequestOptions(), THINKS),
        (resolved(temperature=0.5, thinking=True), RequestOptions(), THINKS),
        (GPT, RequestOptions(thinking="on"),
         {**THINKS, "reasoning": {"effort": "medium", "summary": "auto"}}),
        (GPT, RequestOptions(thinking="on", effort="high"),
         {**THINKS, "reasoning": {"effort": "high", "summary": "auto"}}),
        (GPT, RequestOptions(thinking="off"), {**THINKS, "reasoning": {"effort": "minimal"}}),
        (resolved("gpt-5.2"), RequestOptions(thinking="off"),
         {**THINKS, "reasoning": {"effort": "none"}}),
        (resolved("own"), RequestOptions(thinking="off"),
         {**THINKS, "reasoning": {"effort": "low"}}),
        (resolved("own"), RequestOptions(thinking="on", effort="max"),
         {**THINKS, "reasoning": {"effort": "high", "summary": "auto"}}),
        (resolved("gpt-4o", temperature=0.5, max_tokens=7), RequestOptions(thinking="on"),
         {"temperature": 0.5, "max_output_tokens": 7}),
    ],
)  # fmt: skip
def test_options_follow_the_model(
    asked: ResolvedModel, options: RequestOptions, extra: dict[str, Any]
) -> None:
    usual = {"model": asked.model, "stream": True, "store": False}
    assert build_options(asked, options, tools=False) == usual | extra


def test_tools_say_whether_calls_may_be_parallel() -> None:
    item = build_options(resolved(parallel_tool_calls=False), RequestOptions(), tools=True)
    assert item["parallel_tool_calls"] is False
    forced = build_options(GPT, RequestOptions(), tools=True, tool_choice="any")
    assert (forced["parallel_tool_calls"], forced["tool_choice"]) == (True, "required")
