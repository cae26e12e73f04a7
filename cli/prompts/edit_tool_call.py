"""Change what is asked before saying yes: a call's text, or all its arguments as JSON."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from ...config.errors import UsageError
from ...config.text import text
from .external_editor import edit_text

# The argument that is all of a call, and what kind of text it is
TEXTS = {"run_command": ("command", ".sh"), "plan_exit": ("text", ".md")}
# The argument that goes into a file, and the one that names the file
FILE_CONTENT = {"write_file": ("content", "path"), "edit": ("new_string", "file_path")}
ApprovalRequest = Mapping[str, Any]
ContentKind = Literal["text", "written", "json"]
AGAIN = "nothing was changed; press `e` to open it again"
_SUFFIX = re.compile(r"\.\w{1,12}")
_HUNK = re.compile(r"^@@ .*\n", re.MULTILINE)


def edit_call(request: ApprovalRequest) -> ApprovalRequest:
    """The request as the human left it; raises UsageError. A diff of the old one goes."""
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
    kept = {key: value for key, value in request.items() if key != "always"}
    return request if new == args else with_own_diff({**kept, "args": new, "changed": True})


def classify_content(request: ApprovalRequest) -> ContentKind:
    """What the editor is given: a call's main text, the text it writes, or all its arguments."""
    name, args = request["name"], request["args"]
    if name in TEXTS and isinstance(args.get(TEXTS[name][0]), str):
        return "text"
    is_one = name in FILE_CONTENT and isinstance(args.get(FILE_CONTENT[name][0]), str)
    return "written" if is_one and not args.get("edits") else "json"


def _edit_file_text(text: str, suffix: str) -> str:
    """The text as the human left it; the newline that editors end a file with is not its own."""
    if text.endswith("\n"):
        return edit_text(text, suffix)
    return edit_text(f"{text}\n", suffix).removesuffix("\n")


def _find_suffix(path: str) -> str:
    found = _SUFFIX.fullmatch(Path(path).suffix)
    return found[0] if found else ".txt"


def with_own_diff(request: ApprovalRequest) -> ApprovalRequest:
    """The request without what it would do to the files: of an edit, the change it names itself."""
    kept = {key: value for key, value in request.items() if key != "diff"}
    diff = _build_diff(request["args"]) if request["name"] == "edit" else ""
    return {**kept, "diff": diff} if diff else kept


def build_edit_decision(request: ApprovalRequest) -> dict[str, Any]:
    """The decision to run the request as it was changed."""
    action = {"name": request["name"], "args": dict(request["args"])}
    return {"type": "edit", "edited_action": action}


def _build_diff(args: Mapping[str, Any]) -> str:
    """The texts of an edit as a diff, in which lines have no numbers; empty if it has none."""
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
