"""OpenAI's Responses API, against a real server that sends its events."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from provider import Provider

from maxagent.models.errors import (
    BrokenStreamError,
    ContextOverflowError,
    ModelCallError,
    ProviderFaultError,
    RateLimitError,
)
from maxagent.models.invoke import invoke_model
from maxagent.models.langchain_responses import LangChainResponsesModel
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


@pytest.fixture
async def model(provider: Provider) -> AsyncIterator[LangChainResponsesModel]:
    opened = LangChainResponsesModel.from_resolved(
        ResolvedModel(load_providers()["openai"], "gpt-5", provider.url, "sk-secret")
    )
    yield opened
    await opened.aclose()


def response(status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage |= {"input_tokens_details": {"cached_tokens": 4}}
    usage |= {"output_tokens_details": {"reasoning_tokens": 2}}
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "gpt-5",
        "output": output, "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto",
        "tools": [], "error": None, "incomplete_details": None, "instructions": None,
        "metadata": {}, "temperature": 1.0, "top_p": 1.0,
    }  # fmt: skip


def sse(*events: dict[str, Any]) -> dict[str, Any]:
    numbered = [{**event, "sequence_number": n} for n, event in enumerate(events)]
    return {"sse": [line for event in numbered for line in (f"data: {json.dumps(event)}", "")]}


CREATED = {"type": "response.created", "response": response("in_progress", [])}
PART = {"type": "output_text", "text": "", "annotations": []}
MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
PLACE = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
TEXT = [
    CREATED,
    {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE},
    {"type": "response.content_part.added", **PLACE, "part": PART},
    {"type": "response.output_text.delta", **PLACE, "delta": "Hel", "logprobs": []},
    {"type": "response.output_text.delta", **PLACE, "delta": "lo", "logprobs": []},
]
CALL = {
    "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "",
}  # fmt: skip
ARGUMENTS = '{"path": "a", "n": 99999999999999999999999}'
CALLED = [
    CREATED,
    {"type": "response.output_item.added", "output_index": 0, "item": CALL},
    {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0,
     "delta": ARGUMENTS},
]  # fmt: skip
COMPLETED = {"type": "response.completed", "response": response("completed", [])}


async def answer(model: Any, names: list[str] | None = None) -> AIMessage:
    tell = (names if names is not None else []).append
    return await invoke_model(model, [HumanMessage("hi")], tell, tell)


async def test_text_streams_and_tokens_are_counted(
    provider: Provider, model: LangChainResponsesModel
) -> None:
    provider.script([sse(*TEXT, COMPLETED)])
    names: list[str] = []
    message = await answer(model, names)
    assert (message.text, "".join(names)) == ("Hello", "Hello")
    assert message.usage_metadata is not None
    assert message.usage_metadata.get("input_token_details") == {"cache_read": 4}
    request = provider.requests[0]
    assert request.path == "/v1/responses"
    assert (request.body["store"], request.body["max_output_tokens"]) == (False, 4096)


async def test_tool_calls_are_safe(provider: Provider, model: LangChainResponsesModel) -> None:
    provider.script([sse(*CALLED, COMPLETED)])
    message = await answer(model.bind_tools([look]))
    (call,) = message.tool_calls
    args = {"path": "a", "n": "99999999999999999999999"}
    assert (call["name"], call["args"], call["id"]) == ("look", args, "c1")


async def test_a_model_that_is_closed_closes_no_other(provider: Provider) -> None:
    provider.script([sse(*TEXT, COMPLETED)] * 2)
    where = ResolvedModel(load_providers()["openai"], "gpt-5", provider.url, "sk-secret")
    first, second = (
        LangChainResponsesModel.from_resolved(where),
        LangChainResponsesModel.from_resolved(where),
    )
    assert (await answer(first)).text == "Hello"
    await first.aclose()
    assert (await answer(second)).text == "Hello"
    await second.aclose()


def error(message: str, code: str = "") -> dict[str, Any]:
    return {"error": {"message": message, "type": "x", "code": code, "param": None}}


FAILED = {**response("failed", []), "error": {"code": "server_error", "message": "oops"}}


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ({"status": 429, "headers": {"Retry-After": "9"}, "body": error("slow")}, RateLimitError),
        (
            {"status": 400, "body": error("too long", "context_length_exceeded")},
            ContextOverflowError,
        ),
        ({"status": 500, "body": "oops"}, ProviderFaultError),
        (sse(*TEXT), BrokenStreamError),
        (sse(*TEXT, {"type": "response.failed", "response": FAILED}), ProviderFaultError),
        (sse(CREATED, {"type": "error", "code": "x", "message": "Your input exceeds the context "
                       "window of this model", "param": None}), ContextOverflowError),
        ({**sse(*TEXT), "cut_after": 4}, ProviderFaultError),
    ],
)  # fmt: skip
async def test_its_failures_are_ours(
    provider: Provider,
    model: LangChainResponsesModel,
    reply: dict[str, Any],
    kind: type[ModelCallError],
) -> None:
    provider.script([reply])
    with pytest.raises(kind) as caught:
        await answer(model)
    assert "`gpt-5` at 127.0.0.1:" in caught.value.message
    assert "sk-secret" not in caught.value.message
    assert len(provider.requests) == 1
    if kind is RateLimitError:
        assert caught.value.retry_after == 9.0


async def test_headers_of_row_and_user_are_sent(provider: Provider) -> None:
    row = replace(load_providers()["openai"], headers={"X-Row": "1"})
    resolved = ResolvedModel(row, "gpt-5", provider.url, "k", extra_headers={"X-User": "2"})
    model = LangChainResponsesModel.from_resolved(resolved)
    provider.script(
        [sse(*TEXT, {"type": "response.completed", "response": response("completed", [])})]
    )
    _ = [chunk async for chunk in model.astream("hello")]
    await model.aclose()
    [request] = provider.requests
    assert (request.headers["x-row"], request.headers["x-user"]) == ("1", "2")
