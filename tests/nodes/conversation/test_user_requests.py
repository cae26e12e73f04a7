from conversations import Builder, conversations
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AnyMessage, HumanMessage

from maxagent.nodes.conversation.budget import compute_room
from maxagent.nodes.conversation.token_estimate import estimate_message
from maxagent.nodes.conversation.user_requests import (
    find_done_requests,
    find_newest_request,
    is_request,
    render_request,
    select_kept_requests,
)


def ask(*texts: str) -> list[AnyMessage]:
    builder = Builder("plain")
    for text in texts:
        builder.ask(text)
    return builder.messages


@settings(max_examples=100)
@given(conversations(), st.sampled_from([2_000, 20_000, 200_000]))
def test_kept_requests_fit_their_room_with_the_newest(
    talk: tuple[str, list[AnyMessage]], window: int
) -> None:
    _, messages = talk
    room, by_id = compute_room(window), {str(message.id): message for message in messages}
    selected = select_kept_requests(messages, room)
    newest = find_newest_request(messages)
    assert newest and selected.kept[-1] == newest.id
    assert {*selected.too_long} <= {*selected.kept}
    assert [*selected.kept] == [name for name in by_id if name in selected.kept]
    full_text = [name for name in selected.kept if name not in selected.too_long]
    assert sum(estimate_message(by_id[name]) for name in full_text) <= room.requests
    assert all(is_request(by_id[name]) for name in selected.kept)


def test_first_and_newest_come_before_the_others() -> None:
    messages = ask("Build it.", *("word " * 3_000 for _ in range(9)), "Now test it.")
    selected = select_kept_requests(messages, compute_room(20_000))
    assert (selected.kept[0], selected.kept[-1]) == ("h0", "h10")
    assert 2 < len(selected.kept) < 11


def test_request_larger_than_the_room_keeps_its_ends() -> None:
    messages = ask("Build it.", "word " * 60_000)
    selected = select_kept_requests(messages, compute_room(20_000))
    assert (selected.kept, selected.too_long) == (("h0", "h1"), ("h1",))


def test_requests_answered_before_the_next_are_done() -> None:
    builder = Builder("plain")
    for text, answer in (("One.", "Done."), ("Two.", ""), ("Three.", "Done.")):
        builder.ask(text)
        if answer:
            builder.answer(answer, [], thinks=False)
    assert find_done_requests(builder.messages) == {"h0", "h3"}


def test_interrupted_answer_finishes_nothing_and_completion_does() -> None:
    builder = Builder("plain")
    builder.ask("One.")
    builder.answer("I beg", [], thinks=False)
    builder.messages[-1].additional_kwargs |= {"interrupted": True, "told": True}
    builder.ask("Two.")
    builder.answer("", [("attempt_completion", "all", "Finished.")], thinks=False)
    builder.ask("Three.")
    assert find_done_requests(builder.messages) == {"h2"}


def test_rendered_request_keeps_its_id_and_marks() -> None:
    image = {"role": "build", "images": [{"name": "a.png"}]}
    message = HumanMessage("See", id="h", additional_kwargs=image)
    assert render_request(message, {}) is message
    marked = render_request(message, {}, "Earlier:\n\n{text}")
    assert (marked.content, marked.id, marked.additional_kwargs) == ("Earlier:\n\nSee", "h", image)
    braces = HumanMessage("{text} {x}", id="h")
    assert render_request(braces, {}, "Earlier: {text}").content == "Earlier: {text} {x}"
