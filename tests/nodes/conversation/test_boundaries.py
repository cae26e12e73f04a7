from typing import Any

import pytest
from conversations import Builder, build_cut
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from maxagent.nodes.conversation.boundaries import choose_cut, find_boundaries, has_thinking
from maxagent.nodes.conversation.budget import compute_room
from maxagent.nodes.conversation.token_estimate import estimate_tokens

LOOK = ("grep", "a", "a match")
PATCH = ("apply_patch", "a", "patched")


def talk(vendor: str, *thinking: bool) -> list[AnyMessage]:
    """A request, and a batch of two calls for each answer."""
    builder = Builder(vendor)
    builder.ask("Mend it.")
    for thinks in thinking:
        builder.answer("", [LOOK, LOOK], thinks=thinks)
    return builder.messages


@pytest.mark.parametrize(
    ("vendor", "thinking", "boundaries"),
    [
        ("plain", (False, False), [0, 1, 4, 7]),
        ("anthropic", (True, True), [0, 1, 4, 7]),
        ("anthropic", (True, False), [0, 1, 7]),
        ("anthropic", (False, True), [0, 1, 4, 7]),
        ("anthropic", (True, False, True), [0, 1, 7, 10]),
    ],
)
def test_boundaries_keep_batches_and_thinking_loops(
    vendor: str, thinking: tuple[bool, ...], boundaries: list[int]
) -> None:
    assert find_boundaries(talk(vendor, *thinking)) == boundaries


def test_open_calls_have_no_boundary_behind_them() -> None:
    messages = talk("plain", False, False)[:-1]
    assert find_boundaries(messages) == [0, 1, 4]


def test_new_turn_begins_a_new_loop() -> None:
    builder = Builder("anthropic")
    for _ in range(2):
        builder.ask("Mend it.")
        builder.answer("", [LOOK], thinks=True)
        builder.answer("", [LOOK], thinks=False)
        builder.answer("Done.", [], thinks=False)
    assert find_boundaries(builder.messages) == [0, 1, 6, 7, 12]


def test_note_before_an_answer_counts_as_the_answer() -> None:
    builder = Builder("anthropic")
    builder.ask("Mend it.")
    builder.answer("", [LOOK], thinks=True)
    builder.note()
    builder.answer("", [LOOK], thinks=False)
    assert find_boundaries(builder.messages) == [0, 1, 6]


@pytest.mark.parametrize(
    "marks",
    [
        {"reasoning_content": "Hm."},
        {"output_parts": {"api": "responses", "parts": [{"type": "reasoning"}]}},
        {"output_parts": {"api": "anthropic", "parts": [{"type": "redacted_thinking"}]}},
        {"reasoning_details": [{"type": "reasoning.text"}]},
    ],
)
def test_thinking_is_found_in_every_form(marks: dict[str, Any]) -> None:
    assert has_thinking(AIMessage("", additional_kwargs=marks))
    assert not has_thinking(AIMessage("", additional_kwargs={"output_parts": {"parts": []}}))


def test_small_conversation_is_not_cut() -> None:
    assert choose_cut(talk("plain", False), None, compute_room(200_000)) is None


def test_second_cut_hides_only_what_is_new() -> None:
    builder = Builder("plain")
    builder.ask("Build it.")
    for _ in range(30):
        builder.answer("", [("grep", "a", "word " * 2_000)], thinks=False)
    first = build_cut(builder.messages, 20_000)
    assert first
    for _ in range(10):
        builder.answer("", [("grep", "a", "word " * 2_000)], thinks=False)
    plan = choose_cut(builder.messages, first, compute_room(20_000))
    names = [message.id for message in builder.messages]
    assert plan and plan.hidden[0].id == names[names.index(first["upto"]) + 1]
    assert plan.request == "h0" and plan.kept == ()


def test_the_tail_is_as_long_as_its_room() -> None:
    builder = Builder("plain")
    builder.ask("Build it.")
    for _ in range(300):
        builder.answer("", [("grep", "a", "word " * 400)], thinks=False)
    room = compute_room(200_000)
    plan = choose_cut(builder.messages, None, room)
    assert plan
    tail = estimate_tokens(builder.messages[len(plan.hidden) :])
    assert room.tail - 1_000 < tail <= room.tail


def test_one_huge_result_becomes_a_stub() -> None:
    messages = [*talk("plain", False), *Builder("plain", steps=9, calls=9).messages]
    builder = Builder("plain", messages, steps=9, calls=9)
    builder.answer("", [("read_file", "big", "word " * 40_000)], thinks=False)
    plan = choose_cut(messages, None, compute_room(20_000))
    assert plan and plan.pruned == ("result-call_10",)


def test_steering_message_stays_with_its_results() -> None:
    builder = Builder("plain")
    builder.ask("Build it.")
    for _ in range(30):
        builder.answer("", [("grep", "a", "word " * 2_000)], thinks=False)
    builder.ask("Use tabs.")
    plan = choose_cut(builder.messages, None, compute_room(20_000))
    assert plan and plan.request == "" and plan.kept == ("h0",)
    tail = builder.messages[len(plan.hidden) :]
    assert [type(message) for message in tail][-3:] == [AIMessage, ToolMessage, HumanMessage]
