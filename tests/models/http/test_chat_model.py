"""Our chat model, against a real server."""

import json
from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from provider import Provider

from maxagent.models.factory import open_model
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


@pytest.fixture
async def model(provider: Provider):
    resolved = ResolvedModel(load_providers()["deepseek"], "m", provider.url, "sk-secret")
    opened = open_model(resolved)
    yield opened
    await opened.aclose()


CALL = {"tool_calls": [{"name": "look", "args": {"path": "a"}, "id": "c1"}], "thinking": "hm"}


async def test_a_tool_loop_sends_everything_back(provider: Provider, model: HttpChatModel) -> None:
    provider.script([CALL, {"text": "done"}])
    bound = model.bind_tools([look])
    messages: list[BaseMessage] = [HumanMessage("go")]
    messages.append(await bound.ainvoke(messages))
    messages.append(ToolMessage("A", tool_call_id="c1"))
    assert (await bound.ainvoke(messages)).content == "done"
    first, second = provider.requests
    assert second.raw.startswith(first.raw.removesuffix(b"]}"))
    function = {"name": "look", "arguments": '{"path":"a"}'}
    assert second.body["messages"][1:] == [
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "A"},
    ]


async def test_the_whole_message_is_an_ordinary_one(
    provider: Provider, model: HttpChatModel
) -> None:
    provider.script([CALL])
    message = await model.ainvoke([HumanMessage("go")])
    assert type(message) is AIMessage
    assert message.tool_calls[0]["args"] == {"path": "a"}
    assert message.usage_metadata is not None


async def test_bound_tools_copy_shares_connection(provider: Provider, model: HttpChatModel) -> None:
    provider.script([{"text": "x"}] * 3)
    bound = model.bind_tools([look], tool_choice="auto")
    for each in (model, bound, model.bind_tools([])):
        await each.ainvoke("hi")
    bodies = [request.body for request in provider.requests]
    assert [body.get("tool_choice") for body in bodies] == [None, "auto", None]
    assert [len(body.get("tools", ())) for body in bodies] == [0, 1, 0]
    assert provider.connections == 1


@pytest.mark.parametrize(
    ("row", "tools", "choice"),
    [("openrouter", 1, "none"), ("glm", 0, None), ("deepseek", 1, "none"), ("minimax", 0, None)],
)
async def test_answer_without_calls_keeps_tools_where_possible(
    provider: Provider, model: HttpChatModel, row: str, tools: int, choice: str | None
) -> None:
    provider.script([{"text": "x"}])
    resolved = replace(model.resolved, provider=load_providers()[row].select_api("chat", "m"))
    bound = HttpChatModel(resolved=resolved, dialect=model.dialect).bind_tools([look])
    await bound.ainvoke("hi", options=RequestOptions(tool_choice="none", max_tokens=50))
    await bound.aclose()
    [request] = provider.requests
    assert len(request.body.get("tools", ())) == tools
    assert request.body.get("tool_choice") == choice
    assert request.body["max_tokens"] == 50


async def test_the_key_is_in_no_repr_or_trace(model: HttpChatModel) -> None:
    assert "sk-secret" not in repr(model) + str(model) + json.dumps(model._serialized)
    assert "sk-secret" not in str(model._get_invocation_params())


def test_there_is_no_synchronous_way() -> None:
    resolved = ResolvedModel(load_providers()["deepseek"], "m", "http://localhost", "")
    with pytest.raises(NotImplementedError, match="async only"):
        open_model(resolved).invoke("hi")
