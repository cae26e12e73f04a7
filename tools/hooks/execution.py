"""Execution of one hook: a project's in the sandbox, the user's own as the user."""

import asyncio
import inspect
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from ...config.security.redaction import redact
from ...config.settings.hook_entries import HookEvent
from ...config.settings.hooks import ConfiguredHook, HookFunction
from ...config.text import text
from ..named_scripts import explain_unconfirmed_command
from ..process.launcher import SHELL
from ..result import ToolError
from ..sandbox.execution import capture_inside
from ..sandbox.sandbox import Sandbox
from .answer import MAX_TEXT_LENGTH, HookAnswer, build_question, parse_answer

# Its input is gone from the disk before the command starts
_START = 'exec < "$1" && rm -f -- "$1" && exec "$2" -c "$3"'


async def run_hook(
    hook: ConfiguredHook, payload: Mapping[str, object], sandbox: Sandbox
) -> HookAnswer:
    """Run the command and return its answer; `on_error` says what a failure is."""
    if hook.function:
        return await call_hook(hook.event, hook.function, payload)
    answer = await _try_hook(hook, payload, sandbox)
    if answer.verdict != "failed" or hook.event != "before_tool":
        return answer
    if hook.on_error == "allow":
        return build_question(answer.objection) if answer.objection else answer
    return HookAnswer(hook.on_error, answer.reason)


async def _try_hook(
    hook: ConfiguredHook, payload: Mapping[str, object], sandbox: Sandbox
) -> HookAnswer:
    folder = sandbox.home / "data" / "hooks" / uuid4().hex
    changed = await asyncio.to_thread(explain_unconfirmed_command, hook.command, sandbox.workspace)
    if changed:  # a guard that cannot run lets nothing pass unasked
        return HookAnswer("ask" if hook.event == "before_tool" else "failed", changed)
    try:
        file = await asyncio.to_thread(_write_input, folder, payload)
        return await _capture_answer(hook, file, sandbox)
    except (OSError, ToolError) as error:
        return HookAnswer("failed", text("it could not be run: {reason}", reason=str(error)))
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _capture_answer(hook: ConfiguredHook, file: Path, sandbox: Sandbox) -> HookAnswer:
    root = sandbox.workspace.root
    captured = await capture_inside(
        sandbox if hook.from_project else None,
        [SHELL, "-c", _START, "hook", str(file), SHELL, hook.command],
        cwd=root,
        timeout=hook.timeout,
        env={"MAXAGENT_PROJECT_DIR": str(root), "CLAUDE_PROJECT_DIR": str(root)},
        extra_writable=[file.parent],
    )
    return parse_answer(hook.event, captured, hook.timeout)


def _write_input(folder: Path, payload: Mapping[str, object]) -> Path:
    folder.mkdir(mode=0o700, parents=True)
    file = folder / "input.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps(payload, default=str), encoding="utf-8")
    return file


async def call_hook(
    event: HookEvent, function: HookFunction, payload: Mapping[str, object]
) -> HookAnswer:
    """Return what the function answers: None passes, a text denies a call or is for the model."""
    try:
        if inspect.iscoroutinefunction(function):
            answer = await function(payload)
        else:
            answer = await asyncio.to_thread(function, payload)
    except Exception as error:
        return _fail(event, f"{type(error).__name__}: {error}")
    if answer is None:
        return HookAnswer()
    if not isinstance(answer, str):
        return _fail(event, text("it returned {value}, not a text", value=repr(answer)))
    answer = redact(answer)[:MAX_TEXT_LENGTH]
    if event in ("before_tool", "on_stop"):
        return HookAnswer("deny", answer)
    return HookAnswer(note=answer)


def _fail(event: HookEvent, reason: str) -> HookAnswer:
    """A guard that cannot answer lets nothing pass unasked."""
    return HookAnswer("ask" if event == "before_tool" else "failed", redact(reason))
