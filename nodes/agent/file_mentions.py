"""Files mentioned as `@path`: shown as `read_file` shows them, so they count as read.

A path that is secret, outside the project, not a file, or that the rules would ask about stays
plain text in the message.
"""

import asyncio
import os
import re
from dataclasses import dataclass, field

from langchain_core.messages import HumanMessage

from ...tools.builtin.files.read_file import read_file
from ...tools.permissions.evaluate_tool import evaluate_tool_call
from ...tools.result import ToolResult
from ...tools.runtime.invoke import invoke
from ...tools.tool_run import ToolRun
from ..roles import RoleName
from .dependencies import Dependencies
from .message_history import build_role_message

# Most files shown for one message; the model can read others itself
MAX_FILES = 10
# Most names after an `@` that are checked: pasted code may have many
MAX_NAMES = 50
MAX_BYTES = 100_000
SHOWN = "`{path}`, mentioned by the user, as read_file shows it:\n{text}"
_MENTION = re.compile(r"(?<!\S)@(?:\"([^\"\n]+)\"|([^\s\"]+))")
_PUNCTUATION = ",.;:!?)]}'\u3002\uff0c\uff1b\uff1a\uff01\uff1f\uff09"


@dataclass(frozen=True)
class MentionedFiles:
    """Result of the mentions in a message."""

    notes: list[HumanMessage] = field(default_factory=list[HumanMessage])
    """The messages for the model."""
    shown: list[str] = field(default_factory=list[str])
    """Paths of the shown files."""
    left_out: list[str] = field(default_factory=list[str])
    """Names that match no agent and no file that can be shown."""


async def read_mentioned_files(words: str, role: RoleName, deps: Dependencies) -> MentionedFiles:
    """Return a note for each file that the message mentions, up to a total size."""
    mentioned = MentionedFiles()
    left = MAX_BYTES
    for path in await asyncio.to_thread(_find_names, words, deps):
        result = await _read_mention(path, deps)
        size = len(result.output.encode())
        if result.ok and size <= left and len(mentioned.shown) < MAX_FILES:
            left -= size
            note = build_role_message(role, SHOWN.format(path=path, text=result.output))
            note.additional_kwargs |= {"synthetic": True, "seen": dict(result.seen)}
            mentioned.notes.append(note)
            mentioned.shown.append(path)
        elif path not in deps.agents.profiles:
            mentioned.left_out.append(path)
    return mentioned


def _find_names(words: str, deps: Dependencies) -> list[str]:
    """Find names after an `@`, without punctuation that ends a sentence unless a file has it."""
    found = [match[1] or match[2] for match in _MENTION.finditer(words)]
    named = (path if _is_file(path, deps) else path.rstrip(_PUNCTUATION) for path in found)
    return list(dict.fromkeys(filter(None, named)))[:MAX_NAMES]


def _is_file(path: str, deps: Dependencies) -> bool:
    return os.path.isfile(deps.workspace.root / path)


async def _read_mention(path: str, deps: Dependencies) -> ToolResult:
    if not _is_file(path, deps):
        return ToolResult(error="no file")
    args = {"path": path}
    decision = await asyncio.to_thread(
        evaluate_tool_call, read_file, args, deps.workspace, deps.policy
    )
    if decision.verdict != "allow":
        return ToolResult(error=decision.reason)
    return await invoke(read_file, args, ToolRun(deps.workspace, "mention", deps.home))
