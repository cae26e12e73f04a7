import random
from typing import Any

import pytest
from conversations import Builder, build_cut, conversations, prune
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from maxagent.nodes.conversation.budget import compute_room
from maxagent.nodes.conversation.cut import Cut
from maxagent.nodes.conversation.pruning import NEVER_PRUNED, choose_pruned
from maxagent.nodes.conversation.token_estimate import estimate_message, estimate_tokens
from maxagent.nodes.conversation.view import build_view

LONG = "line of code\n" * 900
WINDOW = 60_000
LAST = ("grep", "z", "a match")
Call = tuple[str, str, str]


def talk(*calls: Call, vendor: str = "plain") -> list[AnyMessage]:
    """One call an answer, and at the end one that is still unanswered."""
    builder = Builder(vendor)
    builder.ask("Mend the cart.")
    for call in (*calls, LAST):
        builder.answer("", [call], thinks=True)
    return builder.messages


def choose(messages: list[AnyMessage], window: int = WINDOW, limit: int = 10**6) -> list[str]:
    """The calls whose results are pruned, if cost is no question."""
    planned = choose_pruned(messages, None, compute_room(window), 10**5, limit)
    return [name.removeprefix("result-") for name in planned.pruned] if planned else []


@pytest.fixture(autouse=True)
def any_price(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prune whatever is worth it, but in the tests of what it costs."""
    if "cost" not in request.node.name:
        monkeypatch.setattr("maxagent.nodes.conversation.pruning.MARGIN", 1e9)


@pytest.mark.parametrize(
    ("calls", "stale"),
    [
        ([("read_file", "a", LONG), ("read_file", "a", LONG)], ["call_1"]),
        ([("read_file", "a", LONG), ("write_file", "a", "written")], ["call_1"]),
        ([("grep", "a", LONG), ("grep", "a", LONG)], ["call_1"]),
        ([("run_command", "make", LONG), ("run_command", "make", LONG)], ["call_1"]),
        ([("grep", "a", LONG), ("grep", "b", LONG)], []),
        ([("grep", "a", LONG), ("grep", "a", "Error: no such folder")], []),
        ([("ask_user", "a", LONG), ("ask_user", "a", LONG)], []),
    ],
)
def test_stale_results_are_pruned_first(calls: list[Call], stale: list[str]) -> None:
    assert choose(talk(*calls), window=20_000) == stale


def test_reference_does_not_replace_the_earlier_answer() -> None:
    messages = talk(("read_file", "a", LONG), ("read_file", "a", "Unchanged since step 1."))
    messages[4].additional_kwargs["unchanged_since"] = "call_1"
    messages[4].additional_kwargs["seen"] = messages[2].additional_kwargs["seen"]
    assert choose(messages, window=20_000) == []


def test_results_beyond_their_room_are_old() -> None:
    calls = [("grep", f"{number}", LONG) for number in range(30)]
    pruned = choose(talk(*calls))
    count = 30 - len(pruned)
    assert pruned == [f"call_{number + 1}" for number in range(30 - count)]
    assert (count - 1) * estimate_message(ToolMessage(LONG, tool_call_id="x")) <= 24_000
    assert count >= 5


def test_old_arguments_of_writes_are_shortened() -> None:
    calls = [("write_file", "a", "written"), *[("grep", f"{n}", LONG) for n in range(30)]]
    messages = talk(*calls)
    planned = choose_pruned(messages, None, compute_room(WINDOW), 10**5, 10**6)
    assert planned and planned.pruned[0] == "a1"
    answer = build_view(messages, prune(planned.pruned))[1]
    assert isinstance(answer, AIMessage)
    assert answer.tool_calls[0]["args"]["path"] == "a"
    assert len(answer.tool_calls[0]["args"]["content"]) < 200


def test_signed_answers_of_the_open_loop_stay_whole() -> None:
    calls = [("write_file", "a", "written"), *[("grep", f"{n}", LONG) for n in range(30)]]
    assert "a1" not in choose(talk(*calls, vendor="anthropic"))


def test_too_little_or_not_enough_is_not_pruned() -> None:
    messages = talk(("grep", "a", LONG), ("grep", "a", LONG))
    assert choose(messages, window=200_000) == []
    assert choose(messages, window=20_000, limit=50_000) == []


@settings(max_examples=80, deadline=None)
@given(conversations(), st.sampled_from([2_000, 20_000]))
def test_protected_messages_are_never_pruned(
    conversation: tuple[str, list[AnyMessage]], window: int
) -> None:
    _, messages = conversation
    planned = choose_pruned(messages, None, compute_room(window), 10**5, 10**6)
    pruned = {*planned.pruned} if planned else set[str]()
    last = max((at for at, m in enumerate(messages) if isinstance(m, AIMessage)), default=0)
    for at, message in enumerate(messages):
        is_protected = (
            at >= last
            or isinstance(message, HumanMessage)
            or (isinstance(message, ToolMessage) and message.name in NEVER_PRUNED)
        )
        assert not (is_protected and message.id in pruned)
    if planned:
        view = build_view(messages, prune(planned.pruned))
        assert estimate_tokens(messages) - estimate_tokens(view) >= compute_room(window).freed


FIXED = 4_000
"""System prompt and tools."""


def run(window: int, seed: int, *, prunes: bool, compacts: bool = True) -> float:
    """What 60 turns cost: uncached input 1, cached 0.1."""
    dice, builder, cost = random.Random(seed), Builder("plain"), 0.0
    cut: Cut | None = None
    sent: list[Any] = []
    builder.ask("Build the shop.")
    for _ in range(60):
        messages = builder.messages
        used, limit = FIXED + estimate_tokens(build_view(messages, cut)), window * 85 // 100
        if compacts and used > limit:
            plan = choose_pruned(messages, cut, compute_room(window), used, limit)
            if prunes and plan:
                cut = prune(plan.pruned, cut)
            else:
                cost += 0.1 * used
                cut = build_cut(messages, window, cut) or cut
                assert cut
                cut["summary"] = "What happened. " * (compute_room(window).summary // 4)
        view = build_view(messages, cut)
        same = 0
        while same < min(len(view), len(sent)) and view[same] == sent[same]:
            same += 1
        cost += 0.1 * (FIXED + estimate_tokens(view[:same])) + estimate_tokens(view[same:])
        sent = view
        tool = dice.choice(["read_file", "read_file", "run_command", "write_file", "grep"])
        lines = 1 if tool == "write_file" else dice.choice([20, 60, 200, 400])
        argument = "pytest" if tool == "run_command" else f"{dice.randrange(8)}.py"
        builder.answer("I look.", [(tool, argument, "line of code\n" * lines)], thinks=False)
    return cost


@pytest.mark.parametrize("window", [20_000, 32_000])
@pytest.mark.parametrize("seed", range(3))
def test_pruning_costs_no_more_than_summaries(window: int, seed: int) -> None:
    assert run(window, seed, prunes=True) <= 1.02 * run(window, seed, prunes=False)
