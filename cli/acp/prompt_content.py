"""What a client sends as a prompt, as a message and its options."""

import base64
import hashlib
import os
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from ...config.errors import UsageError
from ...config.security.private_files import replace_file
from ...config.text import text
from ..execution.stdin import HEAD, TAIL
from ..stdin_block import wrap_stdin
from .params import as_object

ATTACHED = "The user's editor has attached {uri}:\n{content}"
FOLDERS = (
    "The user's editor has these folders open, too. Tools that read may name files in them by "
    "absolute paths; nothing in them can be changed:\n{folders}"
)
CUT = "\n[… the attached text has {size} characters; its middle is left out here …]\n"
_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}


class PromptContent(NamedTuple):
    """A message of the user."""

    words: str
    mentioning: str
    """The part of it that may mention files."""
    aside: list[str]
    """What the editor has attached: data, not words of the user."""


def read_prompt(
    blocks: Sequence[object], folder: str, open_images: Callable[[], Path]
) -> PromptContent:
    """Return the message of a prompt, its images as files in the folder that is opened for them.

    Raises UsageError for content that cannot be used.
    """
    words, aside = list[str](), list[str]()
    for block in blocks:
        content = as_object(block)
        match content.get("type"):
            case "text":
                words.append(str(content.get("text", "")))
            case "resource_link":
                words.append(_mention(str(content.get("uri", "")), folder))
            case "resource":
                aside.append(_quote(content.get("resource")))
            case "image":
                file = _write_image(content, open_images())
                words.append(f'@"{file}"')
            case kind:
                raise UsageError(
                    text("content of the type `{kind}` cannot be sent", kind=kind),
                    hint="send text, images, links to files, or embedded text",
                )
    message = "\n".join(filter(None, words))
    if not message.strip() and not aside:
        raise UsageError("the prompt is empty", hint="send a text")
    return PromptContent(message or "Read what is attached.", message, aside)


def _mention(uri: str, folder: str) -> str:
    """Return a link as a mention if it is a file of the project; otherwise as it is."""
    parts = urlsplit(uri)
    if parts.scheme not in ("", "file"):
        return uri
    path = unquote(parts.path)
    inner = os.path.relpath(path, folder) if os.path.isabs(path) else path
    if inner == ".." or inner.startswith("../") or '"' in inner or "\n" in inner:
        return uri
    return f'@"{inner}"'


def _quote(resource: object) -> str:
    fields = as_object(resource)
    content = fields.get("text")
    if not isinstance(content, str):
        raise UsageError(
            text("`{uri}` has no text", uri=fields.get("uri", "")), hint="attach files of text"
        )
    if len(content) > HEAD + TAIL:
        content = f"{content[:HEAD]}{CUT.format(size=f'{len(content):,}')}{content[-TAIL:]}"
    return wrap_stdin(ATTACHED.format(uri=fields.get("uri", ""), content=content))


def _write_image(content: Mapping[str, Any], folder: Path) -> Path:
    """Write an image to a file, from which the turn takes it into the thread."""
    suffix = _SUFFIXES.get(str(content.get("mimeType")))
    if not suffix:
        raise UsageError(
            text("an image of the type `{kind}` cannot be shown", kind=content.get("mimeType")),
            hint="send PNG, JPEG, GIF or WebP",
        )
    try:
        data = base64.b64decode(str(content.get("data", "")), validate=True)
    except (Base64Error, ValueError):
        raise UsageError("the image is not base64", hint="send it again") from None
    file = folder / f"attached-{hashlib.sha256(data).hexdigest()[:16]}.{suffix}"
    replace_file(file, data)
    return file
