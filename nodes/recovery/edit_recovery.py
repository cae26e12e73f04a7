"""Recovery of an edit that a kill interrupted: its files show whether it was made."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langchain_core.tools import BaseTool

from ...config.errors import MaxAgentError
from ...memory.snapshots.limits import MAX_STORED_FILE_BYTES
from ...tools.result import CallResult
from ...tools.runtime.edit_preview import PreviewCall, replay_edit
from ..run.snapshot_recorder import FileRecord

CHECKS = "The run was cut short before the commands that run after an edit were known to have ended"

# The edit's answer, if its files have the content that it was to write
RecoveryOutcome = CallResult | Literal["not made", "unknown"]


@dataclass(frozen=True)
class InterruptedEdit:
    """An edit that was started and has no recorded answer."""

    record: FileRecord
    tool: BaseTool
    args: Mapping[str, Any]
    named: Sequence[str]
    """Its files, relative to the project."""
    seen: Mapping[str, str]

    async def find_outcome(self) -> RecoveryOutcome:
        """Find out whether the edit was made; one that was not made stays recorded as started."""
        if not self.named or await asyncio.to_thread(self._is_too_large):
            return "unknown"
        entry = await asyncio.to_thread(self.record.find_entry)
        if entry is None:  # it is recorded right before it is made
            await asyncio.to_thread(self.record.begin)
            return "not made"
        outcome: RecoveryOutcome = "unknown"
        with suppress(MaxAgentError, OSError):  # snapshots may be lost
            outcome = await self._compare_files(entry.before)
        # the kill came after the history had it; if its changes are gone, they were restored
        return "unknown" if outcome == "not made" and entry.state == "done" else outcome

    async def _compare_files(self, tree: str) -> RecoveryOutcome:
        snapshots = self.record.deps.snapshots
        changes = await snapshots.list_changes(tree, self.record.tree)
        touched = [change for change in changes if change.path in self.named]
        if not touched:
            return "not made"
        contents = await snapshots.read_blobs([c.old.blob for c in touched if c.old.has_content])
        before = {c.path: contents.get(c.old.blob) for c in touched}
        call = PreviewCall(self.tool, self.args, self.seen)
        result = await replay_edit(call, self.record.deps.workspace, before)
        if result is None:
            return "unknown"
        if self.record.kind == "shell":
            result = CallResult(
                f"{result.output}\n\n{CHECKS}.", metadata=result.metadata, seen=result.seen
            )
        return result

    def _is_too_large(self) -> bool:
        """Return whether a file is too large for snapshots."""
        folder = self.record.deps.workspace.root
        return any(_get_size(folder / name) > MAX_STORED_FILE_BYTES for name in self.named)


def _get_size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
