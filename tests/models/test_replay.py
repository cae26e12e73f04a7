"""What of a stored answer goes to which model: every pair of vendors, and strict servers."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from strict_provider import StrictProvider

from maxagent.models.chat_completions.dialect import encode_message
from maxagent.models.errors import InvalidRequestError
from maxagent.models.factory import close_model, open_model
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.invoke import invoke_model
from maxagent.models.providers import Api, load_providers
from maxagent.models.replay import (
    MADE_BY,
    OUTPUT_PARTS,
    REASONING_DETAILS,
    THINKING_BLOCKS,
    replay_reasoning,
)
from maxagent.models.resolver import ResolvedModel
from maxagent.models.responses.dialect import convert_message

DETAILS = [{"type": "reasoning.text", "text": "why", "signature": "s", "index": 0}]
BLOCKS = [{"type": "thinking", "thinking": "why", "signature": "s"}]
ITEM = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "e"}
SIGNED = {"extra_content": {"google": {"thought_signature": "s"}}}
PARTS: dict[str, list[dict[str, Any]]] = {
    "": [],
    "chat": [{"type": "tool_call", "index": 0, **SIGNED}],
    "responses": [ITEM, {"type": "text", "length": 2}, {"type": "tool_call", "index": 0}],
}
HTTP = [row for row in load_providers().values() if row.available and row.base_url]
MODELS = {"litellm": "deepseek/m"}
ALL, SOME = ("glm", "glm-coding", "kimi", "minimax"), ("deepseek", "litellm")
"""Who gets the thinking of every own answer, and who of those with calls."""


def resolve(name: str, api: Api = "chat", model: str = "") -> ResolvedModel:
    model = model or MODELS.get(name, "m")
    row = load_providers()[name].select_api(api, model)
    return ResolvedModel(row, model, "http://x", "k", api=api)


def build_answer(maker: str, *, calls: bool, thinking: bool, parts: str) -> AIMessage:
    """An answer of that maker with every mark that any vendor leaves."""
    marks: dict[str, Any] = {MADE_BY: f"{maker}/{MODELS.get(maker, 'm')}"}
    if thinking:
        marks |= {
            "reasoning_content": "why",
            REASONING_DETAILS: DETAILS,
            THINKING_BLOCKS: BLOCKS,
        }
    if parts:
        marks[OUTPUT_PARTS] = {"api": parts, "parts": PARTS[parts]}
    call = {"id": "c1", "name": "look", "args": {}, "type": "tool_call"}
    return AIMessage("so", additional_kwargs=marks, tool_calls=[call] if calls else [])


def is_own(maker: str, target: str) -> bool:
    """Whether one vendor's models answer under both names."""
    return maker == target or {maker, target} == {"glm", "glm-coding"}


def expect_text(maker: str, target: str, *, calls: bool, thinking: bool) -> str | None:
    """The thinking field, by the vendors' rules and not by our data."""
    text = "why" if is_own(maker, target) and thinking else ""
    if target == "kimi" or (target in SOME and calls):
        return text
    return text or None if target in ALL else None


NAMES = [row.name for row in HTTP]
ANSWERS = list(product((False, True), (False, True), PARTS))


@pytest.mark.parametrize("maker", NAMES)
def test_every_pair_of_vendors_keeps_rules(maker: str) -> None:
    for target, (calls, thinking, parts) in product(NAMES, ANSWERS):
        answer = build_answer(maker, calls=calls, thinking=thinking, parts=parts)
        reasoning = replay_reasoning(answer, resolve(target))
        case = (target, calls, thinking, parts)
        expected = expect_text(maker, target, calls=calls, thinking=thinking)
        assert reasoning.text == expected, case
        is_detailed = maker == target == "openrouter" and thinking
        assert reasoning.fields == ({REASONING_DETAILS: DETAILS} if is_detailed else {}), case
        is_signed = is_own(maker, target) and parts == "chat"
        assert list(reasoning.parts) == (PARTS["chat"] if is_signed else []), case
        written = json.loads(encode_message(answer, resolve(target)))
        assert written.get("reasoning_content") == (None if target == "minimax" else expected), case
        assert len(written.get("tool_calls", ())) == calls, case
        assert "output_parts" not in written and "model" not in written, case


@pytest.mark.parametrize("maker", NAMES)
def test_encrypted_thinking_goes_to_its_model_only(maker: str) -> None:
    answer = build_answer(maker, calls=True, thinking=True, parts="responses")
    for target in NAMES:
        items = convert_message(answer, resolve(target, "responses"))
        assert [item["type"] for item in items] == [
            *(["reasoning"] if is_own(maker, target) else []),
            "message",
            "function_call",
        ], target
        assert (items[0] == ITEM) == is_own(maker, target), target


def test_another_model_of_the_same_vendor_gets_no_signatures() -> None:
    for name in NAMES:
        answer = build_answer(name, calls=True, thinking=True, parts="chat")
        reasoning = replay_reasoning(answer, resolve(name, model="deepseek/other"))
        assert (dict(reasoning.fields), reasoning.parts) == ({}, ())


def test_litellm_returns_blocks_to_their_model() -> None:
    answer = build_answer("litellm", calls=True, thinking=True, parts="")
    answer.additional_kwargs[MADE_BY] = "litellm/claude"
    reasoning = replay_reasoning(answer, resolve("litellm", model="claude"))
    assert reasoning.fields == {REASONING_DETAILS: DETAILS, THINKING_BLOCKS: BLOCKS}


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


VENDORS = {
    "deepseek": "deepseek-v4-pro",
    "mistral": "devstral",
    "kimi": "kimi-k3",
    "glm": "glm-4.7",
    "openrouter": "z-ai/glm-5",
    "litellm": "claude-opus",
    "gemini": "gemini-3-pro",
    "minimax": "MiniMax-M2",
    "openai": "gpt-4o",
}
CALL = {"name": "look", "args": {"path": "a"}}
TURNS: list[dict[str, Any]] = [
    {"thinking": "This way or that way?", "tool_calls": [CALL]},
    {"tool_calls": [CALL, {"name": "look", "args": '{"half'}]},
    {"thinking": "Is it enough by now?", "text": "I think so."},
]


@pytest.fixture
def servers() -> Iterator[dict[str, StrictProvider]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(StrictProvider(name)) for name in VENDORS}


async def take_turn(
    server: StrictProvider, vendor: str, messages: list[BaseMessage], model: str = ""
) -> AIMessage:
    """Ask as a node does: the answer remembers its model, its calls get IDs of ours."""
    model = model or VENDORS[vendor]
    row = load_providers()[vendor].select_api("chat", model)
    resolved = ResolvedModel(row, model, server.url, "k")
    opened = open_model(resolved)
    try:
        bound = opened.bind_tools([look])
        answer = await invoke_model(bound, messages, print, print, RequestOptions())
    finally:
        await close_model(opened)
    answer.additional_kwargs[MADE_BY] = resolved.name
    for call in (*answer.tool_calls, *answer.invalid_tool_calls):
        call["id"] = f"call_{uuid4().hex}"
    return answer


async def test_strict_servers_accept_thread_of_all_vendors(
    servers: dict[str, StrictProvider],
) -> None:
    """Every vendor takes three turns, and then all of them once more."""
    messages: list[BaseMessage] = [HumanMessage("go")]
    for vendor in (*VENDORS, *reversed(VENDORS)):
        servers[vendor].script(TURNS)
        for _ in TURNS:
            answer = await take_turn(servers[vendor], vendor, messages)
            calls = (*answer.tool_calls, *answer.invalid_tool_calls)
            messages += [answer, *(ToolMessage("A", tool_call_id=call["id"]) for call in calls)]
        messages.append(HumanMessage("go on"))
    assert {name: server.refused for name, server in servers.items()} == dict.fromkeys(VENDORS, [])
    last = {name: server.requests[-1].raw.decode() for name, server in servers.items()}
    assert '"reasoning_content":"This way or that way?"' in last["deepseek"]
    assert '"reasoning_content":""' in last["deepseek"] and '"reasoning_content":""' in last["kimi"]
    assert "signature-" in last["openrouter"] and "signature-" in last["litellm"]
    assert "thought_signature" in last["gemini"] and "<think>" in last["minimax"]
    assert not any("This way" in last[name] for name in ("mistral", "openai", "gemini"))


@pytest.mark.parametrize(
    ("vendor", "marks"),
    [
        ("deepseek", None),
        ("mistral", {"reasoning_content": "why"}),
    ],
)
async def test_strict_server_refuses_the_wrong_field(
    servers: dict[str, StrictProvider], vendor: str, marks: dict[str, Any] | None
) -> None:
    """The rule is on the wire and not only in our head: a body made by hand is refused."""
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    answer = {"role": "assistant", "content": "", "tool_calls": [call], **(marks or {})}
    output = {"role": "tool", "tool_call_id": "1", "content": "A"}
    reason = servers[vendor]._find_fault({"model": "m", "messages": [answer, output]})
    assert "reasoning_content" in reason


async def test_image_for_a_blind_model_is_refused(servers: dict[str, StrictProvider]) -> None:
    image = {"type": "image", "base64": "AA==", "mime_type": "image/png"}
    with pytest.raises(InvalidRequestError, match="no images"):
        await take_turn(servers["openai"], "openai", [HumanMessage([image])], "text-only")
