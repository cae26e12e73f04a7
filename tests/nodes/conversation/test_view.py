from itertools import takewhile
from typing import Any

import pytest
from conversations import Builder, build_cut, conversations, judge, prune, shared_conversations
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from maxagent.models.replay import MADE_BY
from maxagent.nodes.conversation.boundaries import find_boundaries
from maxagent.nodes.conversation.budget import compute_room
from maxagent.nodes.conversation.cut import Cut
from maxagent.nodes.conversation.pruning import choose_pruned
from maxagent.nodes.conversation.user_requests import find_newest_request, is_request
from maxagent.nodes.conversation.view import (
    LABEL,
    LEFT_OUT,
    build_view,
    estimate_view,
    find_reset_reason,
)
from maxagent.nodes.run.message_history import find_last_seen

windows = st.sampled_from([2_000, 8_000, 20_000, 200_000, 1_000_000])
Talk = tuple[str, list[AnyMessage]]
Talks = dict[str, list[AnyMessage]]
"""The same conversation in the shape of each vendor."""


def dump(messages: Any) -> list[Any]:
    return [message.model_dump() for message in messages]


@settings(max_examples=60)
@given(shared_conversations(), windows)
def test_view_after_any_cut_is_legal(talks: Talks, window: int) -> None:
    for vendor, messages in talks.items():
        assert judge(vendor, messages) == ""
        view = build_view(messages, build_cut(messages, window))
        assert judge(vendor, view) == "", vendor


@settings(max_examples=60)
@given(shared_conversations())
def test_every_boundary_begins_a_legal_history(talks: Talks) -> None:
    for vendor, messages in talks.items():
        for at in find_boundaries(messages):
            assert judge(vendor, [messages[0], *messages[at:]]) == "", (vendor, at)


@settings(max_examples=60)
@given(conversations("anthropic"), windows)
def test_thinking_loop_still_begins_with_thinking(talk: Talk, window: int) -> None:
    _, messages = talk
    view = build_view(messages, build_cut(messages, window))
    assert starts_loop_with_thinking(view) or not starts_loop_with_thinking(messages)


def starts_loop_with_thinking(messages: list[AnyMessage]) -> bool:
    """Whether the answers since the last one without calls begin with thinking, if any."""
    answers = [message for message in messages if isinstance(message, AIMessage)]
    loop = [*takewhile(lambda answer: answer.tool_calls, reversed(answers))]
    return not loop or "reasoning_content" in loop[-1].additional_kwargs


@settings(max_examples=150)
@given(conversations(), windows)
def test_newest_request_is_last_of_the_users(talk: Talk, window: int) -> None:
    _, messages = talk
    cut = build_cut(messages, window)
    newest = find_newest_request(messages)
    requests = [message for message in build_view(messages, cut) if is_request(message)]
    assert newest and requests[-1].id == newest.id
    if cut is None or newest.id not in cut["references"]:
        assert requests[-1].content == newest.content


@settings(max_examples=100)
@given(conversations(), windows, st.integers(1, 60))
def test_later_messages_change_nothing_before(talk: Talk, window: int, at: int) -> None:
    _, messages = talk
    before = messages[: max(boundary for boundary in find_boundaries(messages) if boundary <= at)]
    cut = build_cut(before, window)
    view = build_view(before, cut)
    assert build_view(messages, cut)[: len(view)] == view


@settings(max_examples=100)
@given(conversations(), windows)
def test_cut_and_uncut_is_the_identity(talk: Talk, window: int) -> None:
    _, messages = talk
    before = dump(messages)
    build_view(messages, build_cut(messages, window))
    assert build_view(messages, None) == messages
    assert dump(messages) == before


@settings(max_examples=100)
@given(conversations(), windows)
def test_known_files_stay_known(talk: Talk, window: int) -> None:
    _, messages = talk
    before: Any = {"messages": messages}
    seen = find_last_seen(before, "abc")
    build_view(messages, build_cut(messages, window))
    assert find_last_seen(before, "abc") == seen


@settings(max_examples=100)
@given(conversations(), st.sampled_from([2_000, 20_000]))
def test_prefix_before_the_first_stub_is_unchanged(talk: Talk, window: int) -> None:
    _, messages = talk
    planned = choose_pruned(messages, None, compute_room(window), 10**9, 10**9)
    pruned = planned.pruned if planned else ()
    view = build_view(messages, prune(pruned))
    for message, sent in zip(messages, view, strict=True):
        if message.id in pruned:
            break
        assert sent is message
    assert [message.id for message in view] == [message.id for message in messages]


@settings(max_examples=40)
@given(shared_conversations(), st.data())
def test_view_with_stubs_is_legal(talks: Talks, data: st.DataObject) -> None:
    some = next(iter(talks.values()))
    results = [str(m.id) for m in some if isinstance(m, ToolMessage | AIMessage)]
    pruned = [name for name in results if data.draw(st.booleans())]
    for vendor, messages in talks.items():
        assert judge(vendor, build_view(messages, prune(pruned))) == "", vendor


@settings(max_examples=100)
@given(conversations(), windows, st.integers(1, 60))
def test_second_cut_never_changes_a_stub(talk: Talk, window: int, at: int) -> None:
    _, messages = talk
    first_messages = messages[: max(b for b in find_boundaries(messages) if b <= at)]
    results = [str(m.id) for m in first_messages if isinstance(m, ToolMessage)][::2]
    first = prune(results, build_cut(first_messages, window))
    second = build_cut(messages, window, first) or first
    by_id = {message.id: message.content for message in build_view(messages, first)}
    after = {message.id: message.content for message in build_view(messages, second)}
    assert {name: after[name] for name in results if name in after} == {
        name: by_id[name] for name in results if name in after
    }


@settings(max_examples=60)
@given(conversations(), windows, st.integers(1, 60))
def test_second_cut_is_legal_and_hides_more(talk: Talk, window: int, at: int) -> None:
    vendor, messages = talk
    first = build_cut(messages[: max(b for b in find_boundaries(messages) if b <= at)], window)
    second = build_cut(messages, window, first)
    view = build_view(messages, second)
    assert judge(vendor, view) == ""
    if first and second:
        names = [message.id for message in messages]
        assert not first["upto"] or names.index(second["upto"]) >= names.index(first["upto"])


@settings(max_examples=60)
@given(conversations(), st.sampled_from([20_000, 200_000]))
def test_a_view_has_the_size_of_its_room(talk: Talk, window: int) -> None:
    _, messages = talk
    cut, room = build_cut(messages, window), compute_room(window)
    if cut:
        bound = room.requests + room.summary + max(room.tail, room.results) + 2_000
        assert estimate_view(messages, cut) <= bound


def talk_long(turns: int) -> list[AnyMessage]:
    builder = Builder("plain")
    builder.ask("Build the shop. Never use pickle.")
    for turn in range(turns):
        builder.answer("", [("read_file", f"{turn}.py", "line\n" * 200)], thinks=False)
    return builder.messages


def test_hidden_request_follows_the_summary() -> None:
    messages = talk_long(30)
    cut = build_cut(messages, 20_000)
    assert cut and cut["request"] == "h0"
    view = build_view(messages, cut)
    label = LABEL.replace("{summary}", cut["summary"])
    assert [message.content for message in view[:2]] == [label, messages[0].content]
    assert view[1] is messages[0]
    assert view[2:] == messages[-len(view[2:]) :]


def test_earlier_requests_are_marked_as_done() -> None:
    builder = Builder("plain")
    for text in ("First.", "Second.", "Third."):
        builder.ask(text)
        if text != "Second.":
            builder.answer("Done.", [("grep", "a", "w " * 14_000)], thinks=False)
            builder.answer("Done.", [], thinks=False)
    view = build_view(builder.messages, build_cut(builder.messages, 20_000))
    texts = [message.content for message in view]
    assert texts == [
        "Earlier request, done:\n\nFirst.",
        "Earlier request:\n\nSecond.",
        LABEL.replace("{summary}", "What happened so far."),
        "Third.",
    ] or texts[-2:] == ["Third.", "Done."]


def test_answer_after_the_cut_closes_its_request_too() -> None:
    builder = Builder("plain")
    builder.ask("First.")
    for _ in range(20):
        builder.answer("", [("grep", "a", "w " * 4_000)], thinks=False)
    builder.answer("Done.", [], thinks=False)
    builder.ask("Second.")
    view = build_view(builder.messages, build_cut(builder.messages, 20_000))
    assert view[0].content == "Earlier request, done:\n\nFirst."
    assert [message.content for message in view[-2:]] == ["Done.", "Second."]


def test_view_keeps_objects_from_step_to_step() -> None:
    messages = talk_long(40)
    cut = build_cut(messages, 20_000)
    assert cut
    cut = prune([str(messages[-1].id)], cut)
    first, second = build_view(messages, cut), build_view([*messages], cut)
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_cut_of_other_messages_hides_nothing() -> None:
    messages = talk_long(2)
    cut: Cut = {**prune([]), "upto": "gone", "summary": "Lost."}
    assert build_view(messages, cut) == messages


def test_empty_summary_is_reported_as_missing() -> None:
    messages = talk_long(30)
    cut = build_cut(messages, 20_000)
    assert cut
    assert build_view(messages, {**cut, "summary": " \n"})[0].content == LEFT_OUT


def test_request_too_long_is_sent_with_its_ends() -> None:
    builder = Builder("plain")
    builder.ask("BEGIN " + "word " * 60_000 + " END")
    cut = build_cut(builder.messages, 20_000)
    assert cut and cut["upto"] == "" and cut["references"] == {"h0": "request-h0"}
    text = str(build_view(builder.messages, cut)[0].content)
    assert text.startswith("BEGIN") and text.endswith("END") and len(text) < 2_000
    assert 'command_output(id="request-h0")' in text


def test_unanswered_results_stay_as_far_as_they_fit() -> None:
    messages = talk_long(30)
    builder = Builder("plain", messages, steps=99, calls=99)
    sizes = ["small", "w " * 18_500, "w " * 17_000]
    builder.answer("", [("read_file", f"{n}", text) for n, text in enumerate(sizes)], thinks=False)
    cut = build_cut(messages, 20_000)
    assert cut
    results = build_view(messages, cut)[-3:]
    assert [message.content == size for message, size in zip(results, sizes, strict=True)] == [
        True,
        False,
        True,
    ]
    assert "Left out to save room" in str(results[1].content)


def answer(model: str, role: str) -> AIMessage:
    return AIMessage("ok", additional_kwargs={MADE_BY: model, "role": role})


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([], ""),
        ([answer("a/one", "build")], ""),
        ([answer("a/two", "build")], "model"),
        ([answer("a/one", "plan")], "tools"),
        ([answer("a/two", "plan"), answer("a/one", "build")], ""),
        ([AIMessage("of an older version")], ""),
    ],
)
def test_reason_is_of_the_last_answer(answers: list[AnyMessage], expected: str) -> None:
    view = [HumanMessage("hello"), *answers, HumanMessage("go on")]
    assert find_reset_reason(view, "a/one", "build") == expected
