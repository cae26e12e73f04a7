"""Files mentioned as `@path` or `@path:12-20`: shown as `read_file` shows them, so they count as
read; a folder, as `list_files` shows it.

A path that is secret, outside the project, not a file, or that the rules would ask about stays
plain text in the message. An image's path that was pasted, as by dropping the file on the terminal,
may be outside of the project.
"""

import asyncio
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.messages import HumanMessage

from ...tools.filesystem.images import (
    MAX_IMAGE_BYTES,
    describe_image,
    detect_image,
    has_image_suffix,
    store_image,
)
from ...tools.result import IMAGES, CallResult, ToolError
from ..cards.note_origin import FOREIGN
from ..messages.images import mark_images
from ..roles import RoleName
from ..run.dependencies import Dependencies
from ..run.message_history import build_role_message

if TYPE_CHECKING:
    from ...tools.mcp.mcp_access import McpAccess


# Most files shown for one message; the model can read others itself
MAX_FILES = 10
# Most names after an `@` that are checked: pasted code may have many
MAX_NAMES = 50
MAX_BYTES = 100_000
SHOWN = "`{path}`, mentioned by the user, as {tool} shows it:\n{text}"
_LINES = r"[:#]L?(?P<start>\d{1,7})(?:[-:]L?(?P<end>\d{1,7}))?"
_MENTION = re.compile(
    r"(?<!\S)@(?:\"([^\"\n]+)\"|'([^'\n]+)'|((?:\\.|[^\s\"'\\])(?:\\.|[^\s\"\\])*))"
    rf"((?<=[\"']){_LINES})?"
)
_WITH_LINES = re.compile(rf"(?P<path>.+?){_LINES}")
_PASTED = re.compile(r"(?<!\S)(?:'([^'\n]+)'|\"([^\"\n]+)\"|((?:\\.|[^\s\\])+))")
_PUNCTUATION = ",.;:!?)]}'\u3002\uff0c\uff1b\uff1a\uff01\uff1f\uff09"
RESOURCE_SHOWN = "`{path}`, a resource that the user mentioned:\n{text}"


@dataclass(frozen=True)
class MentionedFiles:
    """Result of the mentions in a message."""

    notes: list[HumanMessage] = field(default_factory=list[HumanMessage])
    """The messages for the model."""
    shown: list[str] = field(default_factory=list[str])
    """Paths of the shown files."""
    left_out: list[str] = field(default_factory=list[str])
    """Names that match no agent and no file that can be shown."""


async def read_mentioned_files(
    words: str, role: RoleName, deps: Dependencies, thread: str
) -> MentionedFiles:
    """Return a note for each file that the message mentions, up to a total size."""
    mentioned = MentionedFiles()
    left = MAX_BYTES
    for path in await asyncio.to_thread(_find_names, words, deps):
        is_foreign = is_resource(path, deps.mcp)
        result = await _read_mention(path, deps, thread)
        size = len(result.output.encode())
        if result.ok and size <= left and len(mentioned.shown) < MAX_FILES:
            left -= size
            tool = "list_files" if _is_folder(path, deps) else "read_file"
            words = RESOURCE_SHOWN if is_foreign else SHOWN
            content = words.format(path=path, text=result.output, tool=tool)
            note = build_role_message(role, content)
            if is_foreign:
                note.additional_kwargs[FOREIGN] = True
            note.additional_kwargs |= {"synthetic": True, "seen": dict(result.seen)}
            mark_images(note, result.metadata.get(IMAGES, ()))
            mentioned.notes.append(note)
            mentioned.shown.append(path)
        elif path not in deps.agents.profiles:
            mentioned.left_out.append(path)
    return mentioned


def _find_names(words: str, deps: Dependencies) -> list[str]:
    """Find names after an `@`, without punctuation that ends a sentence unless a file has it."""
    mentioned_paths = map(_read_name, _MENTION.finditer(words))
    named = (
        path if _is_file(path, deps) else path.rstrip(_PUNCTUATION) for path in mentioned_paths
    )
    return list(dict.fromkeys(filter(None, [*named, *_find_pasted_images(words)])))[:MAX_NAMES]


def _read_name(match: re.Match[str]) -> str:
    quoted = match[1] or match[2] or re.sub(r"\\(.)", r"\1", match[3])
    return quoted + (match[4] or "")


def _split_lines(name: str, deps: Dependencies) -> dict[str, str | int]:
    """Return the arguments of `read_file` for `a.py`, `a.py:12`, `a.py:12-20` or `a.py#L12-L20`."""
    match = None if _is_file(name, deps) else _WITH_LINES.fullmatch(name)
    if not match:
        return {"path": name}
    start = max(1, int(match["start"]))
    return {
        "path": match["path"],
        "start_line": start,
        "end_line": max(start, int(match["end"] or start)),
    }


def _find_pasted_images(words: str) -> list[str]:
    """Find absolute paths of images that exist, quoted or with escaped blanks."""
    paths = list[str]()
    for match in _PASTED.finditer(words):
        path = match[1] or match[2] or re.sub(r"\\(.)", r"\1", match[3])
        path = os.path.expanduser(path.removeprefix("file://"))
        if os.path.isabs(path) and has_image_suffix(path) and os.path.isfile(path):
            paths.append(path)
    return paths


def _is_file(path: str, deps: Dependencies) -> bool:
    return os.path.isfile(deps.workspace.root / path)


def _is_folder(path: str, deps: Dependencies) -> bool:
    return os.path.isdir(deps.workspace.root / path)


async def _read_mention(path: str, deps: Dependencies, thread: str) -> CallResult:
    outputs = deps.locate_outputs(thread)
    if deps.mcp and is_resource(path, deps.mcp):
        return await read_resource(path, deps.mcp, outputs)
    args = _split_lines(path, deps)
    file, is_folder = str(args["path"]), _is_folder(path, deps)
    if not is_folder and not _is_file(file, deps):
        return CallResult(error="no file")
    if os.path.isabs(file) and not Path(file).is_relative_to(deps.workspace.root):
        return await asyncio.to_thread(_read_outside_image, file, deps, outputs)
    from ...tools.builtin.files.list_files import list_files
    from ...tools.builtin.files.read_file import read_file
    from ...tools.permissions.evaluate_tool import evaluate_tool_call
    from ...tools.runtime.invoke import invoke
    from ...tools.tool_run import ToolRun

    tool = list_files if is_folder else read_file
    decision = await asyncio.to_thread(evaluate_tool_call, tool, args, deps.workspace, deps.policy)
    if decision.verdict != "allow":
        return CallResult(error=decision.reason)
    return await invoke(tool, args, ToolRun(deps.workspace, "mention", outputs))


def _read_outside_image(path: str, deps: Dependencies, outputs: Path) -> CallResult:
    """Show an image that is not in the project; anything else stays a name."""
    if any(map(deps.workspace.is_ignored, (path, os.path.realpath(path)))):
        return CallResult(error="the file is secret")
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_IMAGE_BYTES + 1)
        if not detect_image(data) or len(data) > MAX_IMAGE_BYTES:
            return CallResult(error="no image, or too large")
        image = store_image(outputs, path, data)
    except ToolError as error:
        return CallResult(error=str(error))
    except OSError as error:
        return CallResult(error=f"it could not be read or kept: {error.strerror}")
    return CallResult(describe_image(path, data), metadata={IMAGES: [image]})


def is_resource(path: str, access: "McpAccess | None") -> bool:
    """Return whether a mention names a resource of a usable server."""
    server, colon, uri = path.partition(":")
    return access is not None and bool(colon and uri) and server in access.servers


async def read_resource(path: str, access: "McpAccess", outputs: Path) -> CallResult:
    """Return the resource, its text marked as a stranger's; a failure is the result's error."""
    from ...tools.mcp.errors import McpError

    server, _, uri = path.partition(":")
    connection = access.get_connection(access.servers[server])
    try:
        return await connection.read_resource(uri, outputs=outputs, call_id="mention")
    except McpError as error:
        return CallResult(error=str(error))
    except OSError as error:
        return CallResult(error=f"it could not be kept: {error.strerror}")
