"""Preview of edits: they run on copies of the files that they name, in order.

Calls that show files run among them: a file that the model has asked to see before an edit counts
as read.
"""

import asyncio
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.tools import BaseTool
from typing_extensions import override

from ...config.trust.inventory import read_instruction_digests
from ...config.trust.program_inventory import list_scripts, read_script_digests
from ..definition import extract_paths
from ..filesystem.file_access import MAX_FILE_BYTES, get_stat, read_bytes
from ..result import CallResult, ToolError
from ..tool_run import ToolRun
from ..workspace import Workspace
from .invoke import invoke

# in a result's metadata: instruction files and scripts that the call changes, with their digests as
# trust knows them, before and after it
CHANGED = "instructions"


@dataclass(frozen=True)
class PreviewCall:
    """A call of a tool that writes files, or shows them."""

    tool: BaseTool
    args: Mapping[str, Any]
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the thread has seen of its files, as in `ToolRun.seen`."""


async def preview_calls(calls: Sequence[PreviewCall], workspace: Workspace) -> list[CallResult]:
    """Run the calls in order on copies of their files; the project does not change.

    A search of a folder finds only files that one of the calls names. Raises OSError if copies
    cannot be made.
    """
    folder = await asyncio.to_thread(TemporaryDirectory, prefix="maxagent-")
    try:
        copy = _ProjectCopy(Path(folder.name, "project"), workspace.ignore, original=workspace)
        await asyncio.to_thread(_copy_named, calls, copy)
        return await _run_calls(calls, copy, Path(folder.name, "outputs"))
    finally:
        await asyncio.to_thread(folder.cleanup)


async def replay_edit(
    call: PreviewCall, workspace: Workspace, before: Mapping[str, bytes | None]
) -> CallResult | None:
    """Return the result of an edit that a kill interrupted, if it has written all its changes.

    `before` is the content of its files at the start, of those that hold something else now; None:
    there was no file. Returns None if the edit would not have made the files as they are.
    """
    folder = await asyncio.to_thread(TemporaryDirectory, prefix="maxagent-")
    try:
        copy = _ProjectCopy(Path(folder.name, "project"), workspace.ignore, original=workspace)
        await asyncio.to_thread(_copy_named, [call], copy)
        await asyncio.to_thread(_put_before, copy, before)
        (result,) = await _run_calls([call], copy, Path(folder.name, "outputs"))
        same = await asyncio.to_thread(_has_same_files, copy, before)
    finally:
        await asyncio.to_thread(folder.cleanup)
    written = {*result.metadata.get("paths", ())}
    return result if result.ok and same and written == {*before} else None


async def _run_calls(
    calls: Sequence[PreviewCall], copy: "_ProjectCopy", outputs: Path
) -> list[CallResult]:
    results: list[CallResult] = []
    seen_digests: dict[str, str] = {}
    scripts = [item.name for item in list_scripts(str(copy.original.root))]
    before = await asyncio.to_thread(_read_digests, copy.root, scripts)
    for call in calls:
        run = ToolRun(copy, "preview", outputs, seen={**call.seen, **seen_digests})
        result = await invoke(call.tool, call.args, run)
        seen_digests |= result.seen if result.ok else {}
        after = await asyncio.to_thread(_read_digests, copy.root, scripts)
        results.append(_with_instructions(result, before, after))
        before = after
    return results


def _read_digests(root: Path, scripts: Sequence[str]) -> dict[str, str]:
    """Return the digests, as trust knows them, of instruction files and scripts in the copy."""
    return {
        **read_instruction_digests(root),
        **read_script_digests(os.path.realpath(root), scripts),
    }


def _with_instructions(
    result: CallResult, before: Mapping[str, str], after: Mapping[str, str]
) -> CallResult:
    """Add the digests of the files that the call changes and trust pins, before and after."""
    changed = {
        path: [before.get(path, ""), after.get(path, "")]
        for path in {**before, **after}
        if before.get(path) != after.get(path)
    }
    return replace(result, metadata={**result.metadata, CHANGED: changed}) if changed else result


@dataclass(frozen=True)
class _ProjectCopy(Workspace):
    """A copy of a project; a file is copied when it is first named."""

    original: Workspace = field(kw_only=True)
    """The original project: its rules apply, and paths refer to it."""
    copied: set[Path] = field(default_factory=set[Path])

    @override
    def resolve(self, path: str) -> Path:
        real, root = self.original.resolve(path), self.original.root
        requested_path = Path(os.path.normpath(root / path))
        for way in (requested_path, real):
            if way.is_relative_to(root):
                self._copy_path(way.relative_to(root))
        return self.root / real.relative_to(root)

    @override
    def to_relative(self, path: Path) -> str:
        own = path.is_relative_to(self.root)
        return super().to_relative(path) if own else self.original.to_relative(path)

    def _copy_path(self, name: Path) -> None:
        """Copy a path and the folders above it, up to a link; its target is copied, too."""
        for at in (*reversed(name.parents), name):
            entry_stat = get_stat(self.original, self.original.root / at)
            if entry_stat and at not in self.copied:
                self.copied.add(at)
                _copy_entry(at, entry_stat, self)
            if entry_stat is None or stat.S_ISLNK(entry_stat.st_mode):
                return


def _copy_named(calls: Sequence[PreviewCall], copy: Workspace) -> None:
    # a search does not name the files that it reads, so they are copied first
    for call in calls:
        for name in extract_paths(call.tool, call.args):
            with suppress(ToolError):
                copy.resolve(name)


def _copy_entry(name: Path, entry_stat: os.stat_result, copy: _ProjectCopy) -> None:
    """Copy an entry of the project, as far as a tool can see the difference."""
    source, place = copy.original.root / name, copy.root / name
    if stat.S_ISDIR(entry_stat.st_mode):
        place.mkdir()
    elif stat.S_ISLNK(entry_stat.st_mode):
        target = Path(os.path.realpath(source))
        if target.is_relative_to(copy.original.root):  # a link must not lead out of the copy
            place.symlink_to(copy.root / copy.original.to_relative(target))
    elif stat.S_ISREG(entry_stat.st_mode):
        _copy_file(source, place, entry_stat, copy.original)
    else:
        os.mkfifo(place)  # a pipe replaces any special file


def _copy_file(source: Path, place: Path, file_stat: os.stat_result, original: Workspace) -> None:
    mode = stat.S_IMODE(file_stat.st_mode)
    place.touch()
    if file_stat.st_size > MAX_FILE_BYTES:  # no tool reads it
        os.truncate(place, file_stat.st_size)
    else:
        try:
            place.write_bytes(read_bytes(original, source))
        except ToolError:  # the tool must fail, too
            mode = 0
    place.chmod(mode)


def _put_before(copy: Workspace, before: Mapping[str, bytes | None]) -> None:
    for name, content in before.items():
        place = copy.root / name
        if content is None:
            place.unlink(missing_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def _has_same_files(copy: _ProjectCopy, names: Iterable[str]) -> bool:
    """Return whether the project's files have the same content as the copies."""
    pairs = ((copy.root / name, copy.original.root / name) for name in names)
    return all(_read_content(mine) == _read_content(its) for mine, its in pairs)


def _read_content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
