"""One whole, safe message from any chat model."""

from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from provider import Provider

from maxagent.models.errors import BrokenStreamError, EmptyAnswerError, OnlyThinkingError
from maxagent.models.factory import open_model
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.invoke import invoke_model, invoke_with_less_thinking, is_cut
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel


class Told(list[tuple[str, str]]):
    """What was told while the answer came."""

    def text(self, piece: str) -> None:
        self.append(("text", piece))

    def thinking(self, piece: str) -> None:
        self.append(("thinking", piece))

    def all(self, kind: str) -> str:
        return "".join(piece for each, piece in self if each == kind)


@pytest.fixture
async def model(provider: Provider):
    opened = open_model(ResolvedModel(load_providers()["glm"], "m", provider.url, ""))
    yield opened
    await opened.aclose()


async def answer(model: Any, message: Told | None = None) -> AIMessage:
    message = message if message is not None else Told()
    return await invoke_model(model, [HumanMessage("hi")], message.text, message.thinking)


async def test_text_and_thinking_are_emitted_and_kept(
    provider: Provider, model: HttpChatModel
) -> None:
    provider.script([{"text": "Hello there", "thinking": "hm hm", "portion": 2}])
    message_text = Told()
    message = await answer(model, message_text)
    assert (message_text.all("text"), message_text.all("thinking")) == ("Hello there", "hm hm")
    assert (message.content, message.additional_kwargs["reasoning_content"]) == (
        "Hello there",
        "hm hm",
    )
    assert type(message) is AIMessage and message.id
    assert message.response_metadata["finish_reason"] == "stop"


async def test_every_answer_has_an_id_of_its_own(provider: Provider, model: HttpChatModel) -> None:
    provider.script([{"text": "a"}, {"text": "b"}])
    assert (await answer(model)).id != (await answer(model)).id


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"path": "a", "content": "half', "not valid JSON: Unterminated string"),
        ("[1, 2]", "not a JSON object"),
        ('{"a": 1 "b": 2}', "not valid JSON"),
    ],
)
async def test_broken_arguments_make_invalid_call_with_reason(
    provider: Provider, model: HttpChatModel, arguments: str, reason: str
) -> None:
    good = {"name": "read", "args": {"a": 1}, "id": "c1"}
    broken = {"name": "write", "args": arguments, "id": "c2"}
    provider.script([{"tool_calls": [good, broken]}])
    message = await answer(model)
    assert [call["name"] for call in message.tool_calls] == ["read"]
    (invalid,) = message.invalid_tool_calls
    assert (invalid["name"], invalid["id"], invalid["args"]) == ("write", "c2", arguments)
    assert reason in (invalid["error"] or "")


async def test_call_cut_at_token_limit_reports_it(provider: Provider, model: HttpChatModel) -> None:
    calls = [{"name": "write", "args": '{"content": "half'}]
    provider.script([{"tool_calls": calls, "finish_reason": "length"}])
    (invalid,) = (await answer(model)).invalid_tool_calls
    assert "cut at its token limit" in (invalid["error"] or "")


async def test_a_checkpoint_can_hold_the_wildest_answer(
    provider: Provider, model: HttpChatModel
) -> None:
    wild = '{"n": 123456789012345678901234567890, "s": "a\\u0000b\\ud83d", "f": NaN}'
    provider.script([{"text": "x\0y\ud83d", "tool_calls": [{"name": "t", "args": wild}]}])
    message = await answer(model)
    assert message.content == "xy�"
    args = {"n": "123456789012345678901234567890", "s": "ab�", "f": "nan"}
    assert message.tool_calls[0]["args"] == args
    serializer = JsonPlusSerializer()
    assert serializer.loads_typed(serializer.dumps_typed(message)) == message


@pytest.mark.parametrize(
    ("turn", "retryable", "text"),
    [
        ({}, True, "sent an empty answer"),
        ({"text": " \n"}, True, "sent an empty answer"),
        ({"thinking": "only thoughts"}, True, "sent an empty answer"),
        ({"thinking": "very long", "finish_reason": "length"}, False, "used up"),
        ({"finish_reason": "content_filter"}, False, "content filter"),
        ({"finish_reason": "sensitive"}, False, "content filter"),
    ],
)
async def test_answer_without_text_or_call_is_empty(
    provider: Provider,
    model: HttpChatModel,
    turn: dict[str, Any],
    retryable: bool,
    text: str,
) -> None:
    provider.script([turn])
    with pytest.raises(EmptyAnswerError, match=text) as caught:
        await answer(model)
    assert caught.value.retryable is retryable


async def test_the_models_failure_comes_through(provider: Provider, model: HttpChatModel) -> None:
    provider.script([{"text": "abcdef", "cut_after": 2}])
    message = Told()
    with pytest.raises(BrokenStreamError):
        await answer(model, message)
    assert message.all("text") == "abcdef"


async def test_third_party_model_is_invoked_the_same_way() -> None:
    call = {"name": "t", "args": {"n": 2**70}, "id": "1", "type": "tool_call"}
    foreign = GenericFakeChatModel(messages=iter([AIMessage("Hello there", tool_calls=[call])]))
    message_text = Told()
    message = await answer(foreign, message_text)
    assert (message.content, message_text.all("text")) == ("Hello there", "Hello there")


@pytest.mark.parametrize(("reason", "cut"), [("length", True), ("stop", False)])
async def test_an_answer_that_was_cut_is_known(
    provider: Provider, model: HttpChatModel, reason: str, cut: bool
) -> None:
    provider.script([{"text": "Let me look at", "finish_reason": reason}])
    assert is_cut(await answer(model)) is cut


class ThinkingModel:
    """Answers once it is told not to think."""

    def __init__(self, *, ends: bool = True) -> None:
        self.asked: list[str] = []
        self._ends = ends

    async def invoke(self, options: RequestOptions) -> AIMessage:
        self.asked.append(options.thinking)
        if options.thinking == "off" and self._ends:
            return AIMessage("done")
        raise OnlyThinkingError("used up")


async def test_only_thinking_is_repeated_once_without() -> None:
    model, retries = ThinkingModel(), list[OnlyThinkingError]()
    options = RequestOptions(thinking="on", effort="high")
    answer = await invoke_with_less_thinking(model.invoke, options, retries.append)
    assert (answer.text, model.asked, len(retries)) == ("done", ["on", "off"], 1)


@pytest.mark.parametrize(("thinking", "asked"), [("on", ["on", "off"]), ("off", ["off"])])
async def test_second_failure_is_final(thinking: str, asked: list[str]) -> None:
    model = ThinkingModel(ends=False)
    options = RequestOptions(thinking="on" if thinking == "on" else "off")
    with pytest.raises(OnlyThinkingError):
        await invoke_with_less_thinking(model.invoke, options, lambda error: None)
    assert model.asked == asked
