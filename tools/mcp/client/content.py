"""What a server answers, as the result of a tool call: text, images, and lines for the rest."""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import types as protocol

from ....config.security.control_characters import HIDDEN_CHARACTER
from ....config.security.redaction import redact
from ...filesystem.images import (
    MAX_IMAGE_BYTES,
    ImageReference,
    describe_image,
    detect_image,
    store_image,
)
from ...foreign_text import wrap_foreign_text
from ...process.output_capture import OutputRecorder
from ...process.truncation import make_excerpt
from ...result import IMAGES, CallResult, ToolError

# Bytes of text that reach the model at once; of more, both ends do
MAX_TEXT_BYTES = 50_000
# Characters of a JSON value that is kept for programs
MAX_STRUCTURED = 20_000

_DATA_URL = re.compile(r"\Adata:[\w.+-]*/?[\w.+-]*(?:;[\w=-]+)*;base64,")
_INVISIBLE = re.compile(HIDDEN_CHARACTER)

Block = (
    protocol.TextContent
    | protocol.ImageContent
    | protocol.AudioContent
    | protocol.ResourceLink
    | protocol.EmbeddedResource
)
ResourceContents = protocol.TextResourceContents | protocol.BlobResourceContents


@dataclass
class ContentWriter:
    """Collects what an answer says; `outputs` and `call_id` are where much text and images go."""

    source: str
    """Who says it: the server, and its tool or resource."""
    outputs: Path | None = None
    call_id: str = ""
    _parts: list[str] = field(default_factory=list[str])
    _images: list[ImageReference] = field(default_factory=list[ImageReference])

    def add(self, block: Block) -> None:
        """Add a block."""
        match block:
            case protocol.TextContent(text=text):
                self._parts.append(text)
            case protocol.ImageContent(data=data):
                self._add_image(data, block.mime_type)
            case protocol.AudioContent(data=data):
                self._add_line(f"audio {block.mime_type}, {_count_bytes(data)}: cannot be played")
            case protocol.ResourceLink():
                about = f": {block.description}" if block.description else ""
                self._add_line(f"resource {block.uri} ({block.name}){about}")
            case protocol.EmbeddedResource(resource=resource):
                self.add_resource(resource)

    def add_resource(self, resource: ResourceContents) -> None:
        """Add the contents of a resource, under its name."""
        mime_type = resource.mime_type or ""
        if isinstance(resource, protocol.TextResourceContents):
            self._parts.append(f"[resource {resource.uri}]\n{resource.text}")
        elif mime_type.startswith("image/"):
            self._add_image(resource.blob, mime_type)
        else:
            size = _count_bytes(resource.blob)
            self._add_line(f"resource {resource.uri}: {mime_type or 'binary'}, {size}")

    def add_structured(self, value: object) -> None:
        """Add a JSON value, if no block was text."""
        if not self._parts and value is not None:
            self._parts.append(json.dumps(value, ensure_ascii=False, indent=1))

    def build_result(self, error: str = "", structured: object = None) -> CallResult:
        """Build the result; raises OSError if images or text cannot be kept."""
        metadata: dict[str, Any] = {IMAGES: self._images} if self._images else {}
        if structured is not None and len(json.dumps(structured)) <= MAX_STRUCTURED:
            metadata["structured"] = structured
        text = redact(self.to_text())  # before it is cut
        data = text.encode(errors="replace")
        if len(data) > MAX_TEXT_BYTES:
            text, stored = self._shorten(data)
            metadata |= {"output_file": stored} if stored else {}
        return CallResult(wrap_foreign_text(text, f"`{self.source}`"), error, metadata)

    def to_text(self, role: str = "") -> str:
        """Return the text alone, without invisible characters."""
        text = _INVISIBLE.sub("", "\n".join(self._parts)).strip("\n")
        return f"[{role}]\n{text}" if role and text else text

    def _add_line(self, line: str) -> None:
        self._parts.append(f"[{line}]")

    def _add_image(self, encoded: str, mime_type: str) -> None:
        try:
            data = base64.b64decode(_DATA_URL.sub("", encoded), validate=False)
        except (binascii.Error, ValueError):
            return self._add_line(f"image {mime_type}: damaged")
        if not detect_image(data):
            return self._add_line(f"image {mime_type}, {len(data):,} bytes: cannot be shown")
        if len(data) > MAX_IMAGE_BYTES or self.outputs is None:
            return self._add_line(f"image {mime_type}, {len(data):,} bytes: not shown")
        name = f"{self.source} {len(self._images) + 1}"
        try:
            self._images.append(store_image(self.outputs, name, data))
        except ToolError as error:
            return self._add_line(str(error))
        self._parts.append(describe_image(name, data))

    def _shorten(self, data: bytes) -> tuple[str, str]:
        """Return both ends of the text, and the id of the file that has all of it."""
        if self.outputs is None:
            return make_excerpt(data), ""
        recorder = OutputRecorder(self.outputs, self.call_id)
        recorder.add(data)
        recorder.close()
        return recorder.to_text(), recorder.stored_id


def convert_result(
    source: str, result: protocol.CallToolResult, outputs: Path | None, call_id: str
) -> CallResult:
    """Convert the answer to a call."""
    writer = ContentWriter(source, outputs, call_id)
    for block in result.content:
        writer.add(block)
    writer.add_structured(result.structured_content)
    error = f"`{source}` reports an error" if result.is_error else ""
    return writer.build_result(error, result.structured_content)


def convert_resource(
    source: str, contents: Sequence[ResourceContents], outputs: Path | None, call_id: str
) -> CallResult:
    """Convert the contents of a resource."""
    writer = ContentWriter(source, outputs, call_id)
    for each in contents:
        writer.add_resource(each)
    return writer.build_result()


def convert_prompt(source: str, result: protocol.GetPromptResult) -> str:
    """Convert a prompt: the text of its messages, each with its role if there are several."""
    parts: list[str] = []
    for message in result.messages:
        writer = ContentWriter(source)
        writer.add(message.content)
        parts.append(writer.to_text(message.role if len(result.messages) > 1 else ""))
    return "\n\n".join(part for part in parts if part)


def _count_bytes(encoded: str) -> str:
    return f"{len(encoded) * 3 // 4:,} bytes"
