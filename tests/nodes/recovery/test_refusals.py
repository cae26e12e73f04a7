from collections.abc import Sequence
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata

from maxagent.config.settings.schema import Endpoint, Settings
from maxagent.models.errors import (
    ContextOverflowError,
    InputRefusedError,
    InvalidRequestError,
    ModelCallError,
    RateLimitError,
)
from maxagent.models.resolver import ResolvedModel, resolve
from maxagent.nodes.messages.images import mark_images
from maxagent.nodes.recovery.refusals import (
    NO_PICTURE,
    NO_RESULT,
    add_rewind_hint,
    find_cut_prompt,
    find_refusals,
    mark_refusals,
    replace_refusals,
)
from maxagent.tools.filesystem.images import ImageReference

IMAGE = ImageReference(id="a.png", mime_type="image/png", name="a.png")
OLLAMA = "http://localhost:11434/v1"


def say(id: str, *, image: bool = False) -> BaseMessage:
    message = HumanMessage(f"words of {id}", id=id)
    mark_images(message, [IMAGE] if image else [])
    return message


def give(id: str, *, image: bool = False) -> BaseMessage:
    message = ToolMessage(f"result of {id}", id=id, tool_call_id=id, name="read_file")
    mark_images(message, [IMAGE] if image else [])
    return message


ANSWER = AIMessage("", id="answer")
OLD = [say("u1", image=True), ANSWER, give("t1"), ANSWER]
INSPECTED = InputRefusedError("data_inspection_failed")
UNREADABLE = InvalidRequestError("answered 400: cannot decode the image")
INVALID = InvalidRequestError("answered 400: messages.3 is invalid")


@pytest.mark.parametrize(
    ("error", "messages", "refusals"),
    [
        (INSPECTED, [*OLD, give("t2"), give("t3")], {"t2": "result", "t3": "result"}),
        (INSPECTED, [*OLD, say("u2")], {}),
        (INSPECTED, [*OLD, give("t2"), say("u2")], {"t2": "result"}),
        (UNREADABLE, [*OLD, give("t2")], {"u1": "image"}),
        (UNREADABLE, [*OLD, give("t2", image=True)], {"t2": "image"}),
        (UNREADABLE, [say("u1"), ANSWER, give("t1")], {}),
        (INVALID, [*OLD, say("u2", image=True)], {"u2": "image"}),
        (INVALID, [*OLD, say("u2")], {}),
        (INVALID, [], {}),
        (ContextOverflowError("prompt is too long"), [*OLD, say("u2", image=True)], {}),
        (ContextOverflowError("image exceeds 5 MB"), [*OLD, give("t2")], {"u1": "image"}),
    ],
)
def test_new_pieces_are_to_blame(
    error: ModelCallError, messages: Sequence[BaseMessage], refusals: dict[str, str]
) -> None:
    assert find_refusals(error, messages) == refusals


def test_refusals_are_replaced_by_words() -> None:
    note = mark_refusals(HumanMessage("note"), {"t1": "result", "u1": "image", "gone": "result"})
    sent = replace_refusals([*OLD, note])
    assert [message.content for message in sent] == [
        f"words of u1{NO_PICTURE}",
        "",
        NO_RESULT,
        "",
        "note",
    ]
    assert OLD[0].content == "words of u1" and replace_refusals(OLD) == OLD
    assert replace_refusals([*OLD, note]) == sent


@pytest.mark.parametrize(
    ("error", "last", "steps", "step"),
    [
        (INVALID, say("u2"), 3, "--to 3"),
        (INSPECTED, give("t2"), 3, "--to 2"),
        (INVALID, say("u2"), 0, ""),
        (RateLimitError("wait"), say("u2"), 3, ""),
    ],
)
def test_hint_names_the_step_before(
    error: ModelCallError, last: BaseMessage, steps: int, step: str
) -> None:
    error.hint = "Check it"
    add_rewind_hint(error, "3f2a1b9c-0000", [last], steps)
    assert ("`mcode rewind 3f2a1b9c" in error.hint) == bool(step)
    assert step in error.hint and error.hint.startswith("Check it")


def build_model(url: str) -> ResolvedModel:
    return resolve(Settings(litellm=Endpoint(provider="openai", base_url=url, api_key="k")), {})


def read(tokens: int) -> AIMessage:
    usage = UsageMetadata(input_tokens=tokens, output_tokens=1, total_tokens=tokens + 1)
    return AIMessage("x", usage_metadata=usage)


@pytest.mark.parametrize(
    ("url", "fixed", "counts", "message"),
    [
        (OLLAMA, 15_000, [4_096], [True]),
        (OLLAMA, 15_000, [4_096, 4_096], [True, False]),
        (OLLAMA, 15_000, [2_048], [True]),
        (OLLAMA, 6_000, [4_096, 4_096], [False, True]),
        (OLLAMA, 6_000, [4_096, 4_100], [False, False]),
        (OLLAMA, 6_000, [5_000, 5_000], [False, False]),
        (OLLAMA, 15_000, [14_000], [False]),
        (OLLAMA, 15_000, [7_000], [False]),
        (OLLAMA, 15_000, [10], [False]),
        ("http://192.168.1.7:8080/v1", 15_000, [4_096], [True]),
        ("http://gpu.local:8080/v1", 15_000, [4_096], [True]),
        ("https://api.openai.com/v1", 15_000, [4_096], [False]),
        ("https://gateway.example/v1", 15_000, [4_096], [False]),
    ],
)
def test_count_far_below_the_estimate_is_reported_once(
    url: str, fixed: int, counts: list[int], message: list[bool]
) -> None:
    thread, model, request = uuid4().hex, build_model(url), [HumanMessage("go on")]
    notices = [find_cut_prompt(thread, model, fixed, request, read(count)) for count in counts]
    assert [bool(notice) for notice in notices] == message
    assert all("num_ctx" in notice for notice in notices if notice)


@pytest.mark.parametrize(
    ("system", "tools", "count", "is_cut"),
    [
        (1_000, 4_200, 1_043, False),
        (2_000, 4_200, 1_500, False),
        (1_000, 14_000, 5_000, False),
        (9_000, 4_200, 3_000, True),
        (3_000, 12_000, 4_096, True),
        (3_000, 12_000, 2_048, True),
        (9_000, 0, 3_000, True),
    ],
)
def test_a_server_may_not_count_tools(system: int, tools: int, count: int, is_cut: bool) -> None:
    model, request = build_model(OLLAMA), [HumanMessage("go on")]
    notice = find_cut_prompt(
        uuid4().hex, model, system + tools, request, read(count), tool_tokens=tools
    )
    assert bool(notice) == is_cut
