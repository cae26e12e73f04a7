"""Images of messages: references in the thread, parts of the request for a model that sees.

A message has its text, which names its images, and their references in `additional_kwargs`. A model
that cannot see gets the text alone, and is told so.
"""

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from ...models.resolver import ResolvedModel
from ...tools.result import IMAGES

if TYPE_CHECKING:
    from ...tools.filesystem.images import ImageReference

# The mark of a note: by message, what the provider refuses of it
REFUSED = "refused"
OF_RESULTS = "The images of the results above:"
GONE = "[image {name}: no longer stored]"
UNSEEN = (
    "[This model does not see images: it was sent their names and sizes alone. If it does, "
    "the user sets `model.models.{model}.vision: true`.]"
)
# Requests whose messages are kept as objects, since a dialect encodes each object once
MAX_CACHED = 1000


def mark_images(message: BaseMessage, images: "Sequence[ImageReference]") -> None:
    """Record the images of a new message."""
    if images:
        message.additional_kwargs[IMAGES] = list(images)


class ImageCache:
    """Builds messages with images as parts; the same message gives the same object each time."""

    def __init__(self) -> None:
        self._built: dict[tuple[int, ...], tuple[Sequence[BaseMessage], BaseMessage]] = {}
        self._unseen: dict[tuple[int, ...], tuple[BaseMessage, BaseMessage]] = {}

    def attach_images(self, messages: Sequence[BaseMessage], folder: Path) -> list[BaseMessage]:
        """Return the messages of a request with their images; blocks on reading files.

        Images of tool results follow in a message of the user, after the last result: few protocols
        take them in a result.
        """
        request, results = list[BaseMessage](), list[BaseMessage]()
        for message in messages:
            if results and not isinstance(message, ToolMessage):
                request.append(self._build_message(results, folder, OF_RESULTS))
                results = []
            if not has_images(message):
                request.append(message)
            elif isinstance(message, ToolMessage):
                request.append(message)
                results.append(message)
            else:
                request.append(self._build_message([message], folder, str(message.text)))
        if results:
            request.append(self._build_message(results, folder, OF_RESULTS))
        return request

    def describe_images(self, messages: Sequence[BaseMessage], model: str) -> list[BaseMessage]:
        """Return the messages for a model that does not see; those with images say so."""
        return [self._describe(each, model) if has_images(each) else each for each in messages]

    def _describe(self, message: BaseMessage, model: str) -> BaseMessage:
        key = (id(message),)
        if key not in self._unseen:
            if len(self._unseen) >= MAX_CACHED:
                self._unseen.clear()
            content = f"{message.text}\n\n{UNSEEN.format(model=model)}"
            self._unseen[key] = (message, message.model_copy(update={"content": content}))
        return self._unseen[key][1]

    def _build_message(
        self, sources: Sequence[BaseMessage], folder: Path, text: str
    ) -> BaseMessage:
        key = tuple(id(source) for source in sources)
        if key not in self._built:
            if len(self._built) >= MAX_CACHED:
                self._built.clear()
            parts: list[str | dict[Any, Any]] = [{"type": "text", "text": text}]
            parts += [_build_part(image, folder) for each in sources for image in _get_images(each)]
            self._built[key] = (list(sources), HumanMessage(parts))
        return self._built[key][1]


def list_unsupported_images(messages: Sequence[BaseMessage], model: ResolvedModel) -> str:
    """Return the names of the messages' images, quoted, if the model cannot see them."""
    images = [
        image for message in messages if has_images(message) for image in _get_images(message)
    ]
    return "" if model.vision else ", ".join(f"`{image['name']}`" for image in images)


def has_images(message: BaseMessage) -> bool:
    """Return whether the message has images."""
    return IMAGES in message.additional_kwargs


def _get_images(message: BaseMessage) -> "Iterator[ImageReference]":
    yield from cast("Sequence[ImageReference]", message.additional_kwargs[IMAGES])


def _build_part(image: "ImageReference", folder: Path) -> dict[str, Any]:
    from ...tools.filesystem.images import load_image

    data = load_image(folder, image)
    if data is None:
        return {"type": "text", "text": GONE.format(name=image["name"])}
    encoded = base64.b64encode(data).decode()
    return {"type": "image", "base64": encoded, "mime_type": image["mime_type"]}
