"""What a hook answers: by its exit code, or as JSON in Claude Code's form.

An answer can deny a call or have it asked, never allow it: what would loosen is ignored.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from ...config.security.redaction import redact
from ...config.settings.hook_entries import HookEvent
from ...config.text import text
from ..process.launcher import CapturedOutput
from ..process.truncation import make_excerpt

REFUSED = 2
# Bytes of a reason or a note that the model reads
MAX_TEXT_LENGTH = 10_000
NO_REASON = "it gives no reason"
# Events whose plain output is for the model
_SHOWN = ("after_tool", "on_session_start")


@dataclass(frozen=True)
class HookAnswer:
    """The answer of one hook, or of all hooks of an event; it has no secrets."""

    verdict: Literal["pass", "deny", "ask", "failed"] = "pass"
    reason: str = ""
    """Why it denies, asks or has failed."""
    note: str = ""
    """Text for the model."""
    ignored: str = ""
    """Name of a field that would change the call, which no hook may."""


def parse_answer(event: HookEvent, captured: CapturedOutput, timeout: float) -> HookAnswer:
    """Return the answer of a hook that has ended."""
    stdout, stderr = _to_text(captured.stdout), _to_text(captured.stderr)
    if captured.timed_out:
        reason = text("it was stopped after {seconds} seconds", seconds=f"{timeout:g}")
        return HookAnswer("failed", reason)
    if captured.exit_code == REFUSED:
        return HookAnswer("deny", stderr or stdout or NO_REASON)
    if captured.exit_code:
        first = (stderr or stdout).partition("\n")[0] or "-"
        reason = text("exit code {code}: {first}", code=captured.exit_code, first=first)
        return HookAnswer("failed", reason)
    fields = _parse_json(captured.stdout)
    if fields is None:
        return HookAnswer(note=stdout if event in _SHOWN else "")
    return _read_fields(fields)


def _read_fields(fields: Mapping[str, Any]) -> HookAnswer:
    nested = fields.get("hookSpecificOutput")
    specific = cast("Mapping[str, Any]", nested if isinstance(nested, dict) else {})
    note = _get_text(specific, "additionalContext") or _get_text(fields, "additionalContext")
    ignored = "updatedInput" if "updatedInput" in specific else ""
    if fields.get("continue") is False:
        return HookAnswer("deny", _get_text(fields, "stopReason") or NO_REASON, note, ignored)
    decision = specific.get("permissionDecision", fields.get("decision"))
    reason = (
        _get_text(specific, "permissionDecisionReason") or _get_text(fields, "reason") or NO_REASON
    )
    if decision in ("deny", "block"):
        return HookAnswer("deny", reason, note, ignored)
    if decision == "ask":
        return HookAnswer("ask", reason, note, ignored)
    return HookAnswer(note=note, ignored=ignored)


def _parse_json(data: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def _get_text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return _to_text(value.encode(errors="replace")) if isinstance(value, str) else ""


def _to_text(data: bytes) -> str:
    return redact(make_excerpt(data.strip(), keep=MAX_TEXT_LENGTH // 2).strip())
