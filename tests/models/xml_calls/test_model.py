"""Tool calls as XML over HTTP, and the change from native calls."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import Runnable
from provider import Answer, Provider, Request
from xml_tools import KNOWN

from maxagent.config.settings.schema import ModelLimits, ModelSection, Settings
from maxagent.models.errors import InvalidRequestError, ToolsNotSupportedError
from maxagent.models.factory import ModelPool
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.invoke import invoke_model
from maxagent.models.resolver import ResolvedModel, ToolCalls, resolve
from maxagent.models.xml_calls.call_parser import ParsedText, parse_calls
from maxagent.models.xml_calls.known_tools import KnownTools
from maxagent.models.xml_calls.model import (
    AutoCallsModel,
    CallStreamParser,
    XmlCallsModel,
    bind_tools,
    describe_tools,
)
from maxagent.tools import aliases
from maxagent.tools.runtime.registry import load_all_tools, load_tool

TOOLS = list(KNOWN.tools.values())


def feed(*portions: str) -> tuple[list[str], ParsedText]:
    parser = CallStreamParser(KNOWN)
    return [parser.feed(portion) for portion in portions], parser.close()


PIECES = [
    "<read_file>", "</read_file>", "<path>", "</path>", "a.py", "\n", " ", "```", "`", "<", ">",
    "<write_to_file>", "</write_to_file>", "<content>", "</content>", "<list>", "<git_status/>",
    "text", "\r\n", "中", "~~~", "</",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.data())
def test_any_split_gives_the_same(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    portions = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    output, last = feed(*portions)
    calls = parse_calls(text, KNOWN)
    assert (["".join(output) + last.text], last.calls) == ([calls.text], calls.calls)
    assert feed(*text)[1].calls == calls.calls


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("Let me look.\n<read_file>\n<path>a</path>\n</read_file>\n", "Let me look.\n"),
        ("1 < 2 and <b>bold</b>\n<nothing>", "1 < 2 and <b>bold</b>\n<nothing>"),
        ("<git_status/>\nafter", ""),
        ("```\n<git_status/>\n```\n", "```\n<git_status/>\n```\n"),
    ],
)
def test_text_is_shown_without_half_a_tag(text: str, output: str) -> None:
    portions, _ = feed(*text)
    assert "".join(portions) == output
    assert not any(re.search("<(read|git)", each) for each in portions if output.endswith(".\n"))


def test_text_is_shown_as_it_arrives() -> None:
    portions, _ = feed("One ", "line <", "b> and", "\n<", "p> two", "\n<git_", "st")
    assert portions == ["One ", "line <", "b> and", "\n", "<p> two", "\n", ""]


def test_half_a_tag_at_the_end_is_text() -> None:
    assert feed("a\n<read_fi") == (["a\n"], ParsedText("<read_fi"))


OFFERED = [load_tool("read_file"), load_tool("git_status")]
START = [SystemMessage("You are."), HumanMessage("Go.")]
CALL = "I look.\n<read_file>\n<path>a.py</path>\n</read_file>"
REFUSAL = {"status": 400, "body": {"error": {"message": "served does not support tools"}}}
Model = Runnable[LanguageModelInput, AIMessage]


def refuse_tools(answer: Answer) -> Any:
    """Answer as a server whose model has no native calls."""

    def choose_answer(request: Request) -> Answer:
        native = "tools" in request.body or any(
            "tool_calls" in message or message["role"] == "tool"
            for message in request.body["messages"]
        )
        return REFUSAL if native else answer

    return choose_answer


@pytest.fixture
async def pool() -> AsyncIterator[ModelPool]:
    models = ModelPool()
    yield models
    await models.close()


def choose_model(provider: Provider, tool_calls: ToolCalls) -> ResolvedModel:
    environ = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "k"}
    return replace(resolve(Settings(), environ, "openai/served"), tool_calls=tool_calls)


def open_bound(pool: ModelPool, resolved: ResolvedModel) -> Model:
    return bind_tools(pool.get(resolved, ""), OFFERED, KNOWN, resolved, pool.tool_refusals)


async def ask(model: Model, messages: list[BaseMessage]) -> tuple[AIMessage, list[str], list[str]]:
    texts, thoughts = list[str](), list[str]()
    answer = await invoke_model(model, messages, texts.append, thoughts.append)
    return answer, texts, thoughts


@pytest.mark.parametrize("portion", [1, 3, 12, 1000])
async def test_calls_are_read_from_the_text(
    provider: Provider, pool: ModelPool, portion: int
) -> None:
    provider.script(refuse_tools({"text": CALL, "thinking": "Why?", "portion": portion}))
    answer, texts, thoughts = await ask(open_bound(pool, choose_model(provider, "xml")), START)
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [
        ("read_file", {"path": "a.py"})
    ]
    assert ("".join(texts), "".join(thoughts), answer.content) == ("I look.\n", "Why?", "I look.\n")
    assert answer.additional_kwargs == {"reasoning_content": "Why?"}
    assert answer.usage_metadata is not None
    body = provider.requests[0].body
    assert "tools" not in body and "parallel_tool_calls" not in body
    system = body["messages"][0]["content"]
    assert system.startswith("You are.\n\n# Tools") and "## read_file" in system
    assert "## write_file" not in system


async def test_a_broken_call_is_invalid_with_the_reason(
    provider: Provider, pool: ModelPool
) -> None:
    provider.script([{"text": "<read_file>\n<path>a", "finish_reason": "length"}])
    answer, _, _ = await ask(open_bound(pool, choose_model(provider, "xml")), START)
    (call,) = answer.invalid_tool_calls
    assert (answer.tool_calls, call["args"]) == ([], "<read_file>\n<path>a")
    assert "is not closed" in str(call["error"]) and "token limit" in str(call["error"])
    assert answer.additional_kwargs == {}


async def test_auto_changes_to_xml_after_a_refusal(provider: Provider, pool: ModelPool) -> None:
    provider.script(refuse_tools({"text": CALL}))
    resolved = choose_model(provider, "auto")
    model = open_bound(pool, resolved)
    with pytest.raises(ToolsNotSupportedError):
        await ask(model, START)
    answer, _, _ = await ask(model, START)
    other, _, _ = await ask(open_bound(pool, resolved), START)
    assert len(answer.tool_calls) == len(other.tool_calls) == 1
    assert ["tools" in request.body for request in provider.requests] == [True, False, False]


async def test_native_never_changes(provider: Provider, pool: ModelPool) -> None:
    provider.script(refuse_tools({"text": CALL}))
    model = open_bound(pool, choose_model(provider, "native"))
    for _ in range(2):
        with pytest.raises(InvalidRequestError):
            await ask(model, START)


async def test_a_refusal_without_tools_is_not_repeated(provider: Provider, pool: ModelPool) -> None:
    provider.script(lambda request: REFUSAL)
    model = open_bound(pool, choose_model(provider, "auto"))
    with pytest.raises(ToolsNotSupportedError):
        await ask(model, START)
    with pytest.raises(InvalidRequestError):
        await ask(model, START)


async def test_a_thread_changes_from_xml_to_native_and_back(
    provider: Provider, pool: ModelPool
) -> None:
    xml = open_bound(pool, choose_model(provider, "xml"))
    native = open_bound(pool, choose_model(provider, "native"))
    calls = [{"name": "git_status", "args": {}, "id": "c2"}]
    provider.script([{"text": CALL}, {"tool_calls": calls}, {"text": "Done."}])
    messages: list[BaseMessage] = list(START)
    for model in (xml, native):
        answer, _, _ = await ask(model, messages)
        results = [
            ToolMessage("found", tool_call_id=str(call["id"]), name=call["name"])
            for call in answer.tool_calls
        ]
        messages += [answer, *results]
    await ask(xml, messages)
    first, second, third = (request.body for request in provider.requests)
    assert ["tools" in body for body in (first, second, third)] == [False, True, False]
    assert second["messages"][0]["content"] == "You are."
    call, result = second["messages"][2]["tool_calls"][0], second["messages"][3]
    assert (call["function"]["name"], call["id"]) == ("read_file", result["tool_call_id"])
    assert third["messages"][: len(first["messages"])] == first["messages"]
    assert [message["role"] for message in third["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert third["messages"][2]["content"] == CALL.replace("look.\n", "look.\n\n")
    assert third["messages"][-1]["content"] == (
        '<tool_result tool="git_status" ok="true">\nfound\n</tool_result>'
    )


def test_each_tool_has_its_arguments_and_types() -> None:
    text = describe_tools(TOOLS)
    for name in KNOWN.tools:
        assert f"\n## {name}\n" in text
    for line in (
        "- `<path>` (text, required)",
        "- `<start_line>` (integer, default 1)",
        "- `<end_line>` (integer)",
        "- `<replace_all>` (boolean, default false)",
        '- `<edits>` (list of object {"old_string": text, "new_string": text, '
        '"replace_all"?: boolean})',
        "- `<options>` (list of text)",
        "No arguments.",
    ):
        assert f"\n{line}" in text


def test_the_same_tools_give_the_same_bytes() -> None:
    again = KnownTools(load_all_tools(), aliases.TOOLS, aliases.ARGUMENTS)
    assert describe_tools(TOOLS) == describe_tools(list(again.tools.values()))


def test_only_the_offered_tools_are_described() -> None:
    text = describe_tools([KNOWN.tools["git_status"]])
    assert "## git_status" in text and "## read_file" not in text


@pytest.mark.parametrize(
    ("tool_calls", "expected"),
    [("native", HttpChatModel), ("xml", XmlCallsModel), ("auto", AutoCallsModel)],
)
async def test_the_setting_chooses_the_form(tool_calls: ToolCalls, expected: type) -> None:
    section = ModelSection(models={"openai/gpt-4o": ModelLimits(tool_calls=tool_calls)})
    resolved = resolve(Settings(model=section), {"OPENAI_API_KEY": "k"}, "openai/gpt-4o")
    pool = ModelPool()
    model = bind_tools(
        pool.get(resolved, ""), load_all_tools(), KNOWN, resolved, pool.tool_refusals
    )
    assert type(model) is expected
    await pool.close()


def test_models_differ_by_their_form() -> None:
    usual = resolve(Settings(), {"OPENAI_API_KEY": "k"})
    assert usual.tool_calls == "auto"
    assert replace(usual, tool_calls="xml") != usual
