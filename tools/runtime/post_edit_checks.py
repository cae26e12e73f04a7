"""An edit and the commands that run after it: one call, one combined diff."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ..filesystem.file_access import hash_content, read_bytes
from ..filesystem.text_codec import decode_text, to_printable
from ..named_scripts import explain_unconfirmed_command
from ..permissions.evaluate import evaluate_check
from ..permissions.policy import Policy
from ..permissions.post_edit_commands import find_all_checks
from ..result import CallResult, ToolError
from ..textedits.unified_diff import build_diff, count_changes
from ..tool_run import ToolRun
from ..workspace import Workspace

# most characters of the checks' changes that the model is shown; else it must read the file
MAX_SHOWN_CHARACTERS = 10_000

CHANGED = "After the edit the checks changed {names}:\n\n{diff}"
CHANGED_MUCH = "After the edit the checks changed {names} a lot: read again before you go on"
UNASKED = "it must be asked, and was not when the edit was"
NOT_RUN = "After the edit `{command}` was not run: {reason}"

# the bytes of files by path; None where there is no file that can be read
Contents = Mapping[str, bytes | None]


@dataclass(frozen=True)
class CheckResult:
    """A command to run after an edit, and its result."""

    command: str
    exit_code: int | None
    """None if it did not run."""
    message: str
    """What the model reads; empty if there is no message."""


async def edit_and_check(
    edit: Callable[[], Awaitable[CallResult]], paths: Sequence[str], run: ToolRun, policy: Policy
) -> CallResult:
    """Edit the files that a call names, then run the checks of those that were written.

    Checks of other files were not decided with this call and do not run.
    """
    if not policy.after_edit:
        return await edit()
    before = await asyncio.to_thread(_read_before, run.workspace, paths)
    result = await edit()
    written = [name for name in _find_written(result) if name in before] if result.ok else []
    edited = await asyncio.to_thread(_read_contents, run.workspace, written)
    there = [name for name in written if edited[name] is not None]
    commands = find_all_checks(policy.after_edit, there)
    checks = [await _run_check(command, at, run, policy) for at, command in enumerate(commands, 1)]
    after = await asyncio.to_thread(_read_contents, run.workspace, written)
    checked_result = _append_results(result, checks)
    return (
        checked_result
        if after == edited
        else _append_changes(checked_result, before, edited, after)
    )


def _read_before(workspace: Workspace, paths: Sequence[str]) -> Contents:
    return _read_contents(
        workspace, [workspace.to_relative(workspace.resolve(path)) for path in paths]
    )


def _read_contents(workspace: Workspace, names: Sequence[str]) -> Contents:
    return {name: _read_content(workspace, name) for name in names}


def _read_content(workspace: Workspace, name: str) -> bytes | None:
    try:
        return read_bytes(workspace, workspace.resolve(name))
    except ToolError:
        return None


def _find_written(result: CallResult) -> list[str]:
    paths = result.metadata.get("paths") or [result.metadata.get("path")]
    return [path for path in cast("list[object]", paths) if isinstance(path, str)]


async def _run_check(command: str, number: int, run: ToolRun, policy: Policy) -> CheckResult:
    """Run one command; if it fails, the edit and its result remain."""
    decision = await asyncio.to_thread(evaluate_check, command, run.workspace, policy)
    if decision.verdict == "deny":
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=decision.reason))
    if decision.verdict == "ask" and command not in run.checks:
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=UNASKED))
    if reason := await asyncio.to_thread(explain_unconfirmed_command, command, run.workspace):
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=reason))
    from ..builtin.shell.shell_run import run_shell

    run.emit(f"$ {command}\n")
    own = replace(run, call_id=f"{run.call_id}-check-{number}")
    try:
        done = await run_shell(command, run.workspace.root, run.command_timeout, own)
    except (ToolError, OSError) as error:
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=error))
    return CheckResult(
        command, cast(int, done.metadata["exit_code"]), _describe_result(command, done)
    )


def _describe_result(command: str, done: CallResult) -> str:
    output = done.output.strip() if done.metadata["bytes"] else ""
    if not (output or done.error):
        return ""
    head = f"After the edit `{command}` {f'failed, {done.error}' if done.error else 'said'}"
    return f"{head}:\n{output}" if output else head


def _append_results(result: CallResult, checks: Sequence[CheckResult]) -> CallResult:
    words = [check.message for check in checks if check.message]
    ran = [{"command": check.command, "exit_code": check.exit_code} for check in checks]
    return replace(
        result,
        output="\n\n".join([result.output, *words]),
        metadata={**result.metadata, **({"checks": ran} if ran else {})},
    )


def _append_changes(
    result: CallResult, before: Contents, edited: Contents, after: Contents
) -> CallResult:
    """Return the result for the files as the commands left them."""
    changed = [name for name in after if after[name] != edited[name]]
    diff = "".join(_build_diff(name, edited[name], after[name]) for name in changed)
    much = len(diff) > MAX_SHOWN_CHARACTERS
    words = (CHANGED_MUCH if much else CHANGED).format(
        names=", ".join(f"`{name}`" for name in changed), diff=diff
    )
    return replace(
        result,
        output=f"{result.output}\n\n{words.rstrip()}",
        metadata={**result.metadata, **_build_metadata(result, before, after)},
        seen=_update_seen(result.seen, after, unknown=changed if much else []),
    )


def _update_seen(
    seen: Mapping[str, str], after: Contents, unknown: Sequence[str]
) -> dict[str, str]:
    """Return what the model knows now: of a file that it was not shown, what it knew before."""
    known_digests = {name: digest for name, digest in seen.items() if name not in unknown}
    now = {
        name: hash_content(data)
        for name, data in after.items()
        if data is not None and name in known_digests
    }
    return known_digests | now


def _build_metadata(result: CallResult, before: Contents, after: Contents) -> dict[str, Any]:
    diffs = [_build_diff(name, before[name], data) for name, data in after.items()]
    counts = [count_changes(diff) for diff in diffs]
    added, removed = sum(count[0] for count in counts), sum(count[1] for count in counts)
    sizes = {"added": added, "removed": removed} if "added" in result.metadata else {}
    return {"diff": "".join(diffs), **sizes}


def _build_diff(name: str, old: bytes | None, new: bytes | None) -> str:
    return to_printable(build_diff(_decode_text(old), _decode_text(new), name))


def _decode_text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return decode_text(data).text
    except ToolError:  # a check has replaced it
        return data.decode(errors="backslashreplace")
