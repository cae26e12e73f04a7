"""Approval of one call; it can be edited before a yes, and a rule can allow it from then on."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..rendering.approval_request import CHANGE_MODEL, show_request
from ..rendering.console import MARGIN, show_line
from ..rendering.diffs.history import KEPT_DIFFS
from ..rendering.tool_summary import format_call
from .choice import choose, hold_request
from .choice_keys import Choice, QuestionHead
from .edit_tool_call import build_edit_decision, classify_content, edit_call

ApprovalRequest = Mapping[str, Any]
# Answers that the call's own block says, or a row below
UNSHOWN = ("yes", "always", "edit", "no")


def decide_call(
    console: Console, original: ApprovalRequest, allowed: Sequence[str]
) -> dict[str, Any]:
    """Return a yes, once or always, perhaps to an edited call; or a no with its reason."""
    request, (head, fits) = original, _hold_with_rule(console, original)
    while True:
        choices = _build_choices(request, allowed, fits=fits)
        question = _format_question(request, fits=fits)
        reply = choose(console, question, choices, request=head, unshown=UNSHOWN)
        if head.is_kept:
            KEPT_DIFFS.add(str(request.get("diff") or ""))
        match reply.word:
            case "yes":
                return {"type": "approve"} if request is original else build_edit_decision(request)
            case "always":
                # the node that asked keeps the rule, bound to what the call starts
                rule = str(request["always"])
                show_line(console, f"{MARGIN}{t('ask.remembered', rule=rule)}", "dim")
                return {"type": "approve", "always": rule}
            case "thread":
                return {"type": "approve", "for_thread": True}
            case "edits":
                return {"type": "approve", "mode": "edits"}
            case "edit":
                request = edit_or_keep(console, request)
                head, fits = _hold_with_rule(console, request)
            case _:
                is_read = "reject" in allowed and original["name"] != CHANGE_MODEL
                return {"type": "reject", "message": reply.text if is_read else ""}


def edit_or_keep(console: Console, request: ApprovalRequest) -> ApprovalRequest:
    """Return the request as edited; unchanged if editing fails."""
    try:
        return edit_call(request)
    except UsageError as error:
        show_line(console, translate(error.message), "red")
        if error.hint:
            show_line(console, translate(error.hint), "yellow")
        return request


def _hold_with_rule(console: Console, request: ApprovalRequest) -> tuple[QuestionHead, bool]:
    """Return the whole request, and whether all of it is visible at once."""
    head, fits = hold_request(console, lambda: show_request(console, request))
    if request.get("always") and not fits:
        show_line(console, f"{MARGIN}{t('ask.no_always.long')}", "dim")
    return head, fits


def _format_question(request: ApprovalRequest, *, fits: bool) -> str:
    """Return the question; if its beginning is out of sight, with what the call is about."""
    if fits:
        return t("ask.approve")
    return t("ask.approve.long", call=format_call(request["name"], request["args"]))


def describe_rule(rule: str) -> tuple[str, str]:
    """Return the calls that a suggested rule allows, and what of that is a command or a name."""
    tool, _, pattern = rule.removesuffix(")").partition("(")
    match tool:
        case "run_command":
            command = f"{pattern.removesuffix(':*')} …" if pattern.endswith(":*") else pattern
            return command, command
        case "edit":
            path = _shorten_path(pattern)
            return t("ask.rule.edit", path=path), path
        case "webfetch":
            host = pattern.removeprefix("domain:")
            return t("ask.rule.fetch", host=host), host
        case _:
            return rule, rule


def _shorten_path(pattern: str) -> str:
    """Return a rule's path as it is below the current folder; elsewhere as it is."""
    if not pattern.startswith("//"):
        return pattern
    path = os.path.relpath(pattern[1:])
    return pattern[1:] if path.startswith("..") else path


def _build_choices(request: ApprovalRequest, allowed: Sequence[str], *, fits: bool) -> list[Choice]:
    """Build the rows; what is permanent or outside of the sandbox needs Enter."""
    is_outside = bool(request["args"].get("outside_sandbox"))
    yes = t("key.call.yes.outside" if is_outside else "key.call.yes")
    choices = [Choice("yes", yes, needs_enter=is_outside)]
    if fits and (rule := str(request.get("always") or "")):
        if rule.startswith("edit("):
            label = t("key.call.edits")
            edits = Choice("edits", label, needs_enter=True, shortcut="s-tab", letter="")
            choices.append(edits)
        calls, code = describe_rule(rule)
        thread, always = (t(f"key.call.{word}", calls=calls) for word in ("thread", "always"))
        note = t("ask.always") if rule.startswith("run_command(") else ""
        has_edits = len(choices) > 1
        choices.append(Choice("thread", thread, code=code, is_rare=has_edits))
        choices.append(
            Choice("always", always, needs_enter=True, code=code, note=note, is_rare=True)
        )
    if "edit" in allowed:
        edit = t(f"key.call.edit.{classify_content(request)}")
        choices.append(Choice("edit", edit, is_rare=True))
    return [*choices, Choice("no", t("key.call.no"), invites_text=True)]
