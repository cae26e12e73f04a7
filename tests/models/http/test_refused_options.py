"""Options that an endpoint refuses: learnt from its words, and left out."""

import pytest
from langchain_core.messages import HumanMessage
from provider import Provider, Request

from maxagent.models.errors import InvalidRequestError
from maxagent.models.factory import open_model
from maxagent.models.http.refused_options import find_refused_option, remove_refused
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel


@pytest.mark.parametrize(
    ("message", "refusal"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
         "'max_completion_tokens' instead.", ("max_tokens", 0)),
        ("Unsupported value: 'temperature' does not support 0.2 with this model. Only the default "
         "(1) value is supported.", ("temperature", 0)),
        ("temperature may only be 1: it is deprecated", ("temperature", 0)),
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]", ("stream_options", 0)),
        ("Unrecognized request argument supplied: parallel_tool_calls", ("parallel_tool_calls", 0)),
        ("property 'reasoning_effort' is unsupported", ("reasoning_effort", 0)),
        ("Unsupported parameter: 'reasoning.effort' is not supported", ("reasoning", 0)),
        ('Additional properties are not allowed ("store" was unexpected)', ("store", 0)),
        ("max_tokens is too large: 32000. This model supports at most 16384 completion tokens",
         ("max_tokens", 16384)),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
         ("max_tokens", 8192)),
        ("max_tokens: 32000 > 8,192, which is the maximum allowed number of output tokens",
         ("max_tokens", 8192)),
        ("messages.1.content.0: invalid signature in thinking block", None),
        ("Invalid value for 'tool_choice'", None),
        ("messages[3].tool_calls must be an array", None),
        ("Invalid 'messages[0].content': include more words", None),
        ("the key is wrong", None),
        ("messages.1.content.0: Invalid `signature` in `thinking` block", None),
        ("Invalid `signature` in `thinking` block", None),
        ("`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
         "modified", None),
        ("Expected `thinking` or `redacted_thinking`, but found `tool_use`: it must be "
         "first", None),
        ("Invalid schema for function 'weather': 'temperature' is not permitted", None),
        ("tools.0.input_schema: 'include' is not allowed", None),
        ("tools[2].function.parameters: 'store' is an unknown key", None),
        ("Invalid 'input[3].content': 'reasoning' was unexpected", None),
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 3, 'reasoning')}]", None),
        ("Request failed the schema: 'store' is not allowed", ("store", 0)),
        ("Function tools with 'reasoning_effort' are not supported", ("reasoning_effort", 0)),
        ("body.thinking: 'thinking' is not supported by this model", ("thinking", 0)),
        ("thinking.type: 'thinking' is not supported with `tools`", ("thinking", 0)),
    ],
)  # fmt: skip
def test_refused_option_is_found_in_words(message: str, refusal: tuple[str, int] | None) -> None:
    assert find_refused_option(message, 32_000) == refusal


@pytest.mark.parametrize(
    ("refused", "fields"),
    [
        ({}, {"max_tokens": 9, "temperature": 0}),
        ({"temperature": 0}, {"max_tokens": 9}),
        ({"max_tokens": 0}, {"temperature": 0, "max_completion_tokens": 9}),
        ({"max_tokens": 0, "max_completion_tokens": 0}, {"temperature": 0}),
        ({"max_tokens": 5}, {"temperature": 0, "max_tokens": 5}),
        ({"stop": 0}, {"max_tokens": 9, "temperature": 0}),
    ],
)
def test_refused_options_are_left_out(refused: dict[str, int], fields: dict[str, int]) -> None:
    assert remove_refused({"max_tokens": 9, "temperature": 0}, refused) == fields


def build_refusal(message: str) -> dict[str, object]:
    return {"status": 400, "body": {"error": {"message": message, "param": None}}}


def answer_as_azure(request: Request) -> dict[str, object]:
    """Answer as Azure's reasoning models do to a client that knows them not."""
    if "max_tokens" in request.body:
        return build_refusal("Unsupported parameter: 'max_tokens' is not supported")
    if "temperature" in request.body:
        return build_refusal("Unsupported value: 'temperature' does not support 0.2")
    if request.body.get("max_completion_tokens", 0) > 2048:
        return build_refusal("max_completion_tokens is too large: supports at most 2048 tokens")
    return {"text": "Hi."}


async def test_endpoint_teaches_a_model_once(provider: Provider) -> None:
    provider.script(answer_as_azure)
    row = load_providers()["litellm"]
    model = open_model(ResolvedModel(row, "gpt-5", provider.url, "key", temperature=0.2))
    try:
        assert (await model.ainvoke([HumanMessage("go")])).text == "Hi."
        assert (await model.ainvoke([HumanMessage("on")])).text == "Hi."
    finally:
        await model.aclose()
    assert len(provider.requests) == 5
    assert provider.requests[-1].body["max_completion_tokens"] == 2048


async def test_same_refusal_twice_is_an_error(provider: Provider) -> None:
    provider.script(lambda request: build_refusal("property 'temperature' is unsupported"))
    row = load_providers()["litellm"]
    model = open_model(ResolvedModel(row, "gpt-5", provider.url, "key", temperature=0.2))
    try:
        with pytest.raises(InvalidRequestError, match="temperature"):
            await model.ainvoke([HumanMessage("go")])
    finally:
        await model.aclose()
    assert len(provider.requests) == 2
