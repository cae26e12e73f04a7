"""Images of messages become parts of the request."""

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from pictures import ENCODED, PNG

from maxagent.nodes.messages.images import OF_RESULTS, ImageCache, has_images, mark_images
from maxagent.tools.filesystem.images import store_image

PART = {"type": "image", "base64": ENCODED, "mime_type": "image/png"}


def with_image(message: BaseMessage, folder: Path) -> BaseMessage:
    mark_images(message, [store_image(folder, "a.png", PNG)])
    return message


def test_message_without_images_is_unmarked() -> None:
    message = HumanMessage("hi")
    mark_images(message, [])
    assert not has_images(message)


def test_human_message_gets_its_image(tmp_path: Path) -> None:
    message = with_image(HumanMessage("see [image a.png]"), tmp_path)
    (sent,) = ImageCache().attach_images([message], tmp_path)
    assert sent.content == [{"type": "text", "text": "see [image a.png]"}, PART]
    assert message.content == "see [image a.png]"


def test_images_of_results_follow_the_last_result(tmp_path: Path) -> None:
    results = [with_image(ToolMessage("r", tool_call_id=name), tmp_path) for name in "ab"]
    messages = [AIMessage("x"), *results, AIMessage("y")]
    sent = ImageCache().attach_images(messages, tmp_path)
    assert [message.type for message in sent] == ["ai", "tool", "tool", "human", "ai"]
    assert sent[3].content == [{"type": "text", "text": OF_RESULTS}, PART, PART]


def test_images_of_last_results_are_sent(tmp_path: Path) -> None:
    result = with_image(ToolMessage("r", tool_call_id="a"), tmp_path)
    assert [m.type for m in ImageCache().attach_images([result], tmp_path)] == ["tool", "human"]


def test_same_message_gives_same_object(tmp_path: Path) -> None:
    cache, message = ImageCache(), with_image(HumanMessage("a"), tmp_path)
    first, second = (cache.attach_images([message], tmp_path)[0] for _ in range(2))
    assert first is second


def test_missing_image_is_reported_in_words(tmp_path: Path) -> None:
    message = with_image(HumanMessage("a"), tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    (sent,) = ImageCache().attach_images([message], tmp_path)
    assert sent.content[1] == {"type": "text", "text": "[image a.png: no longer stored]"}


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (HumanMessage("see [image a.png]"), True),
        (ToolMessage("[image a.png]", tool_call_id="a"), True),
        (HumanMessage("两张图片"), True),
        (HumanMessage(""), True),
        (AIMessage("no image"), False),
    ],
)
def test_blind_model_is_told_what_it_misses(
    message: BaseMessage, says: bool, tmp_path: Path
) -> None:
    cache, before = ImageCache(), message.text
    message = with_image(message.model_copy(), tmp_path) if says else message
    first, second = (cache.describe_images([message], "m")[0] for _ in range(2))
    assert first is second and (first is message) == (not says)
    assert first.text.startswith(before) and message.text == before
    assert ("`model.models.m.vision: true`" in first.text) == says
