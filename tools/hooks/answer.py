"""What a hook answers: by its exit code, or as JSON in Claude Code's form.

An answer can deny a call or have it asked, never allow it: what would loosen is ignored.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
# Words of a decision, in any letters
_DENIED = frozenset(
    ["deny", "denied", "block", "blocked", "reject", "rejected", "refuse", "refused"]
)
_PASSED = frozenset(
    ["", "allow", "allowed", "approve", "approved", "pass", "ok", "none", "null", "defer"]
)
# More of them, which deny nothing but are asked about
_REFUSALS = _DENIED | {"forbid", "forbidden", "disallow", "disallowed", "prohibited", "no", "stop"}
_APPROVALS = frozenset(["allow", "allowed", "approve", "approved", "permitted", "ok", "continue"])
_FALSE = frozenset(["", "false", "no", "0", "none", "null", "[]", "{}"])
_FIELDS = frozenset(["permissiondecision", "decision", "behavior", "verdict"])
_DECISION_WORD = re.compile(
    r"\b(?:permission_?decision|hook_?specific_?output|decision|den(?:y|ied)|block(?:ed)?|reject(?:ed)?"
    r"|refused?|forbid(?:den)?|disallow(?:ed)?|prohibited|not allowed)\b"
    # JSON that was cut, or a line of another form
    r"|\b(?:allow(?:ed)?|approved?|permitted|ok|continue)[\"']?\s*[:=]\s*[\"']?(?:false|no|0)\b",
    re.IGNORECASE,
)
NOT_UNDERSTOOD = "its answer is not understood: {answer}"
# What programs themselves say of a file or a server, and no guard of a call
_OF_THE_SYSTEM = re.compile(
    r"(?:permission|access)(?: is| was)? denied"
    r"|connect(?:ion)?(?: was| is| has been| actively)* refused"
    r"|(?:actively )?refused (?:the |our |your |a )?connections?|refused (?:to connect|it\b)",
    re.IGNORECASE,
)
# Characters of an answer that a question shows
MAX_SHOWN_LENGTH = 200
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
    objection: str = ""
    """What a hook before a call that has failed says against the call; empty if nothing."""


def parse_answer(event: HookEvent, captured: CapturedOutput, timeout: float) -> HookAnswer:
    """Return the answer of a hook that has ended."""
    stdout, stderr = _to_text(captured.stdout), _to_text(captured.stderr)
    if captured.timed_out:
        reason = text("it was stopped after {seconds} seconds", seconds=f"{timeout:g}")
        return HookAnswer("failed", reason, objection=_find_objection(captured))
    if captured.exit_code == REFUSED:
        return HookAnswer("deny", stderr or stdout or NO_REASON)
    if captured.exit_code:
        first = (stderr or stdout).partition("\n")[0] or "-"
        reason = text("exit code {code}: {first}", code=captured.exit_code, first=first)
        return HookAnswer("failed", reason, objection=_find_objection(captured))
    fields = _parse_json(captured.stdout)
    answer = _read_fields(fields) if fields is not None else HookAnswer()
    if event == "before_tool" and answer.verdict == "pass":
        in_words = fields is None and _DECISION_WORD.search(stdout)
        if in_words or _objects(captured.stdout):
            return build_question(stdout)
    note = stdout if fields is None and event in _SHOWN else answer.note
    return replace(answer, note=note)


def _read_fields(fields: Mapping[str, Any]) -> HookAnswer:
    nested = fields.get("hookSpecificOutput")
    specific = cast("Mapping[str, Any]", nested if isinstance(nested, dict) else {})
    note = _get_text(specific, "additionalContext") or _get_text(fields, "additionalContext")
    ignored = "updatedInput" if "updatedInput" in specific else ""
    if fields.get("continue") is False:
        return HookAnswer("deny", _get_text(fields, "stopReason") or NO_REASON, note, ignored)
    decision = _to_word(specific.get("permissionDecision", fields.get("decision")))
    reason = (
        _get_text(specific, "permissionDecisionReason") or _get_text(fields, "reason") or NO_REASON
    )
    if decision in _DENIED:
        return HookAnswer("deny", reason, note, ignored)
    if decision == "ask":
        return HookAnswer("ask", reason, note, ignored)
    return HookAnswer(note=note, ignored=ignored)


def _find_objection(captured: CapturedOutput) -> str:
    """Return the output of a hook that has failed, if it holds a decision against the call.

    Many guards end with `exit 1` where 2 denies, or print their decision before they fail.
    """
    outputs = (captured.stdout, captured.stderr)
    return next((_to_text(output) for output in outputs if _objects(output)), "")


def build_question(answer: str) -> HookAnswer:
    """Return that a call is asked, since a guard has said something that nobody understands."""
    excerpt = " ".join(answer.split())[:MAX_SHOWN_LENGTH]
    return HookAnswer("ask", text(NOT_UNDERSTOOD, answer=excerpt))


def _has_other_decision(value: object) -> bool:
    """Return whether JSON has a decision that is not read: at another level, by another word."""
    if isinstance(value, list):
        return any(map(_has_other_decision, cast("list[object]", value)))
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return _has_other_decision(_parse_json(value.encode(errors="replace")))
    if not isinstance(value, dict):
        return False
    fields = cast("dict[str, object]", value)
    return any(
        _has_other_decision(field) or _decides(name, field) for name, field in fields.items()
    )


def _decides(name: str, field: object) -> bool:
    """Return whether a field may be a decision against the call, by its name or its word."""
    word, letters = _to_word(field), re.sub(r"[^a-z]", "", name.lower())
    return (
        (letters in _FIELDS and word not in _PASSED)
        or word in _REFUSALS - _FALSE
        or (letters in _REFUSALS and word not in _FALSE)
        or (letters in _APPROVALS and word in _FALSE - {"", "none", "null"})
    )


def _to_word(value: object) -> str:
    return str(value).strip().lower() if value is not None else ""


def _objects(output: bytes) -> bool:
    """Return whether an output has a decision against the call: as JSON, in a line, or in words."""
    whole, *lines = (_parse_value(part) for part in (output, *output.splitlines()))
    if any(map(_has_other_decision, (whole, *lines))):
        return True
    if isinstance(whole, dict):
        return False
    words = output.decode(errors="replace")
    return bool(_DECISION_WORD.search(_OF_THE_SYSTEM.sub("", words)))


def _parse_json(data: bytes) -> Mapping[str, Any] | None:
    value = _parse_value(data)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def _parse_value(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _get_text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return _to_text(value.encode(errors="replace")) if isinstance(value, str) else ""


def _to_text(data: bytes) -> str:
    return redact(make_excerpt(data.strip(), keep=MAX_TEXT_LENGTH // 2).strip())
