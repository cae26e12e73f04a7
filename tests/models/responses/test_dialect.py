"""Responses against a strict server: every request of a conversation is accepted."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from responses_provider import ResponsesProvider

from maxagent.models.errors import BrokenStreamError, InvalidRequestError
from maxagent.models.factory import close_model, open_model
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.invoke import invoke_model, is_cut
from maxagent.models.providers import Api, load_providers
from maxagent.models.replay import MADE_BY
from maxagent.models.resolver import ResolvedModel
from maxagent.models.responses.dialect import ResponsesDialect

USUAL = RequestOptions()


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
