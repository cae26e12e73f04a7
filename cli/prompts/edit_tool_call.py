"""Editing of a call before approval: its text, or all its arguments as JSON."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from ...config.errors import UsageError
from ...config.text import text
from .external_editor import edit_text

# The argument that makes up the whole call, and what kind of text it is
TEXTS = {"run_command": ("command", ".sh"), "plan_exit": ("text", ".md")}
# The argument that is written to a file, and the one that names the file
FILE_CONTENT = {"write_file": ("content", "path"), "edit": ("new_string", "file_path")}
ApprovalRequest = Mapping[str, Any]
ContentKind = Literal["text", "written", "json"]
AGAIN = "nothing was changed; press `e` to open it again"
_SUFFIX = re.compile(r"\.\w{1,12}")
_HUNK = re.compile(r"^@@ .*\n", re.MULTILINE)


def edit_call(request: ApprovalRequest) -> ApprovalRequest:
    """Return the request as the user edited it, without its old diff; raise UsageError."""
    args: Mapping[str, Any] = request["args"]
    opens = classify_content(request)
    if opens == "text":
        name, suffix = TEXTS[request["name"]]
        new = {**args, name: edit_text(f"{args[name].rstrip()}\n", suffix).strip()}
    elif opens == "written":
        name, path = FILE_CONTENT[request["name"]]
        new = {**args, name: _edit_file_text(args[name], _find_suffix(str(args.get(path))))}
    else:
        new = _parse_object(
            edit_text(json.dumps(dict(args), ensure_ascii=False, indent=2), ".json")
        )
    other_fields = {key: value for key, value in request.items() if key != "always"}
    return request if new == args else with_own_diff({**other_fields, "args": new, "changed": True})


def classify_content(request: ApprovalRequest) -> ContentKind:
    """Return what the editor opens: the call's main text, the text it writes, or all arguments."""
    name, args = request["name"], request["args"]
    if name in TEXTS and isinstance(args.get(TEXTS[name][0]), str):
        return "text"
    is_one = name in FILE_CONTENT and isinstance(args.get(FILE_CONTENT[name][0]), str)
    return "written" if is_one and not args.get("edits") else "json"


def find_main_argument(request: ApprovalRequest) -> str:
    """Return the argument that is edited as a text; empty: all are, as JSON."""
    opens, name = classify_content(request), request["name"]
    return {"text": TEXTS, "written": FILE_CONTENT}[opens][name][0] if opens != "json" else ""


def _edit_file_text(text: str, suffix: str) -> str:
    """Return the edited text without the newline that editors add at the end of a file."""
    if text.endswith("\n"):
        return edit_text(text, suffix)
    return edit_text(f"{text}\n", suffix).removesuffix("\n")


def _find_suffix(path: str) -> str:
    match = _SUFFIX.fullmatch(Path(path).suffix)
    return match[0] if match else ".txt"


def with_own_diff(request: ApprovalRequest) -> ApprovalRequest:
    """Return the request without its diff; for an edit, with the diff of its own arguments."""
    other_fields = {key: value for key, value in request.items() if key != "diff"}
    diff = _build_diff(request["args"]) if request["name"] == "edit" else ""
    return {**other_fields, "diff": diff} if diff else other_fields


def build_edit_decision(request: ApprovalRequest) -> dict[str, Any]:
    """Return the decision to run the edited request."""
    action = {"name": request["name"], "args": dict(request["args"])}
    return {"type": "edit", "edited_action": action}


def _build_diff(args: Mapping[str, Any]) -> str:
    """Build a diff of an edit's texts, without line numbers; empty if it has no texts."""
    from ...tools.builtin.files.edit_arguments import parse_replacements
    from ...tools.result import ToolError
    from ...tools.textedits.unified_diff import NO_NEWLINE, build_diff

    pair, path = (args.get("old_string"), args.get("new_string")), str(args.get("file_path"))
    everywhere = bool(args.get("replace_all"))
    try:
        requests = parse_replacements(*pair, everywhere, args.get("edits"))
    except ToolError:
        return ""
    head = f"--- a/{path}\n+++ b/{path}\n"
    hunks: list[str] = []
    for request in requests:
        diff = build_diff(request.old, request.new, path).replace(NO_NEWLINE, "\n")
        hunk = "@@ replace_all @@\n" if request.everywhere else "@@\n"
        hunks += [_HUNK.sub(hunk, part) for part in diff.split("\n", 2)[2:]]
    return head + "".join(hunks) if hunks else ""


def _parse_object(content: str) -> dict[str, Any]:
    try:
        value: object = json.loads(content)
    except ValueError as error:
        raise UsageError(
            text("the arguments are not valid JSON: {error}", error=error), hint=AGAIN
        ) from error
    if not isinstance(value, dict):
        raise UsageError("give the arguments as one JSON object", hint=AGAIN)
    return cast("dict[str, Any]", value)
