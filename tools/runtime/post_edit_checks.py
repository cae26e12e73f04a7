"""An edit and the commands that the project wants to be run after it: one call, one true diff."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ..builtin.shell.run_command import run_shell
from ..filesystem.file_access import content_hash, read_bytes
from ..filesystem.text_codec import decode, printable
from ..permissions import Policy, decide_check
from ..permissions.post_edit_commands import checks_for_all
from ..result import ToolRefusal, ToolResult, ToolRun
from ..textedits.unified_diff import count_changes, unified
from ..workspace import Workspace

LONGEST_SHOWN = 10_000
"""Characters of what the checks changed that the model is shown; of more it must read the file."""

CHANGED = "After the edit the checks changed {names}:\n\n{diff}"
CHANGED_MUCH = "After the edit the checks changed {names} a lot: read again before you go on"
UNASKED = "it must be asked, and was not when the edit was"
NOT_RUN = "After the edit `{command}` was not run: {reason}"

Contents = Mapping[str, bytes | None]
"""The bytes of files by path; None where there is no file that can be read."""


@dataclass(frozen=True)
class Check:
    """A command that was to run, and what came of it."""

    command: str
    exit_code: int | None
    """None when it was not run."""
    words: str
    """What the model reads; empty when there is nothing to say."""


async def checked(
    edit: Callable[[], Awaitable[ToolResult]], paths: Sequence[str], run: ToolRun, policy: Policy
) -> ToolResult:
    """Edit the files that a call names, then run the checks of those that were written.

    Checks of other files were not decided with this call and do not run.
    """
    if not policy.after_edit:
        return await edit()
    before = await asyncio.to_thread(_before, run.workspace, paths)
    result = await edit()
    written = [name for name in _written(result) if name in before] if result.ok else []
    edited = await asyncio.to_thread(_contents, run.workspace, written)
    there = [name for name in written if edited[name] is not None]
    commands = checks_for_all(policy.after_edit, there)
    checks = [await _check(one, at, run, policy) for at, one in enumerate(commands, 1)]
    after = await asyncio.to_thread(_contents, run.workspace, written)
    told = _told(result, checks)
    return told if after == edited else _as_left(told, before, edited, after)


def _before(workspace: Workspace, paths: Sequence[str]) -> Contents:
    return _contents(workspace, [workspace.relative(workspace.resolve(path)) for path in paths])


def _contents(workspace: Workspace, names: Sequence[str]) -> Contents:
    return {name: _content(workspace, name) for name in names}


def _content(workspace: Workspace, name: str) -> bytes | None:
    try:
        return read_bytes(workspace, workspace.resolve(name))
    except ToolRefusal:
        return None


def _written(result: ToolResult) -> list[str]:
    paths = result.metadata.get("paths") or [result.metadata.get("path")]
    return [path for path in cast("list[object]", paths) if isinstance(path, str)]


async def _check(command: str, number: int, run: ToolRun, policy: Policy) -> Check:
    """Run one; whatever goes wrong with it, the edit has been made and its result stands."""
    decision = await asyncio.to_thread(decide_check, command, run.workspace, policy)
    if decision.verdict == "deny":
        return Check(command, None, NOT_RUN.format(command=command, reason=decision.reason))
    if decision.verdict == "ask" and command not in run.checks:
        return Check(command, None, NOT_RUN.format(command=command, reason=UNASKED))
    run.emit(f"$ {command}\n")
    own = replace(run, call_id=f"{run.call_id}-check-{number}")
    try:
        done = await run_shell(command, run.workspace.root, run.command_timeout, own)
    except (ToolRefusal, OSError) as error:
        return Check(command, None, NOT_RUN.format(command=command, reason=error))
    return Check(command, cast(int, done.metadata["exit_code"]), _words(command, done))


def _words(command: str, done: ToolResult) -> str:
    said = done.output.strip() if done.metadata["bytes"] else ""
    if not (said or done.error):
        return ""
    head = f"After the edit `{command}` {f'failed, {done.error}' if done.error else 'said'}"
    return f"{head}:\n{said}" if said else head


def _told(result: ToolResult, checks: Sequence[Check]) -> ToolResult:
    words = [check.words for check in checks if check.words]
    ran = [{"command": check.command, "exit_code": check.exit_code} for check in checks]
    return replace(
        result,
        output="\n\n".join([result.output, *words]),
        metadata={**result.metadata, **({"checks": ran} if ran else {})},
    )


def _as_left(result: ToolResult, before: Contents, edited: Contents, after: Contents) -> ToolResult:
    """The result for the files as the checks left them."""
    changed = [name for name in after if after[name] != edited[name]]
    shown = "".join(_diff(name, edited[name], after[name]) for name in changed)
    much = len(shown) > LONGEST_SHOWN
    words = (CHANGED_MUCH if much else CHANGED).format(
        names=", ".join(f"`{name}`" for name in changed), diff=shown
    )
    return replace(
        result,
        output=f"{result.output}\n\n{words.rstrip()}",
        metadata={**result.metadata, **_facts(result, before, after)},
        seen=_seen(result.seen, after, unknown=changed if much else []),
    )


def _seen(seen: Mapping[str, str], after: Contents, unknown: Sequence[str]) -> dict[str, str]:
    """What the model knows now: of what it was not shown it knows only what it knew before."""
    known = {name: digest for name, digest in seen.items() if name not in unknown}
    now = {
        name: content_hash(data)
        for name, data in after.items()
        if data is not None and name in known
    }
    return known | now


def _facts(result: ToolResult, before: Contents, after: Contents) -> dict[str, Any]:
    diffs = [_diff(name, before[name], data) for name, data in after.items()]
    counts = [count_changes(diff) for diff in diffs]
    added, removed = sum(one[0] for one in counts), sum(one[1] for one in counts)
    sizes = {"added": added, "removed": removed} if "added" in result.metadata else {}
    return {"diff": "".join(diffs), **sizes}


def _diff(name: str, old: bytes | None, new: bytes | None) -> str:
    return printable(unified(_text(old), _text(new), name))


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return decode(data).text
    except ToolRefusal:  # a check made something else of it
        return data.decode(errors="backslashreplace")
