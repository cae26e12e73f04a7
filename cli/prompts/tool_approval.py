"""Approval of one call; it can be edited before a yes, and a rule can allow it from then on."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..i18n.stored_messages import translate_stored
from ..rendering.approval_request import CHANGE_MODEL, show_request
from ..rendering.console import show_line
from ..rendering.tool_summary import format_call
from .edit_tool_call import build_edit_decision, classify_content, edit_call
from .key_input import Keys, read_key
from .text_input import read_line

ApprovalRequest = Mapping[str, Any]


def decide_call(console: Console, asked: ApprovalRequest, allowed: Sequence[str]) -> dict[str, Any]:
    """Return a yes, once or always, perhaps to an edited call; or a no with its reason."""
    request, fits = asked, _show_with_rule(console, asked)
    while True:
        keys = _build_keys(request, allowed, fits=fits)
        match read_key(
            console, _format_question(request, fits=fits), keys, _explain_reason(request, fits=fits)
        ):
            case "yes":
                return {"type": "approve"} if request is asked else build_edit_decision(request)
            case "always":
                # the node that asked keeps the rule, bound to what the call starts
                rule = str(request["always"])
                show_line(console, t("ask.remembered", rule=rule), "dim")
                return {"type": "approve", "always": rule}
            case "thread":
                return {"type": "approve", "for_thread": True}
            case "edit":
                request = edit_or_keep(console, request)
                fits = _show_with_rule(console, request)
            case _:
                is_read = "reject" in allowed and asked["name"] != CHANGE_MODEL
                why = read_line(console, t("ask.why")) if is_read else ""
                return {"type": "reject", "message": why}


def edit_or_keep(console: Console, request: ApprovalRequest) -> ApprovalRequest:
    """Return the request as edited; unchanged if editing fails."""
    try:
        return edit_call(request)
    except UsageError as error:
        show_line(console, translate(error.message), "red")
        if error.hint:
            show_line(console, translate(error.hint), "yellow")
        return request


def _show_with_rule(console: Console, request: ApprovalRequest) -> bool:
    """Show the whole request; return whether all of it is visible at once."""
    fits = show_request(console, request)
    if rule := request.get("always"):
        offer = t("ask.always", rule=rule) if fits else t("ask.no_always.long")
        show_line(console, offer, "dim")
    return fits


def _format_question(request: ApprovalRequest, *, fits: bool) -> str:
    """Return the question; if its beginning is out of sight, with what the call is about."""
    if fits:
        return t("ask.approve")
    return t("ask.approve.long", call=format_call(request["name"], request["args"]))


def _build_keys(request: ApprovalRequest, allowed: Sequence[str], *, fits: bool) -> Keys:
    keys = {"yes": t("key.call.yes"), "no": t("key.call.no")}
    if "edit" in allowed:
        keys["edit"] = t(f"key.call.edit.{classify_content(request)}")
    if fits and (rule := request.get("always")):
        keys["thread"] = t("key.call.thread", rule=rule)
        keys["always"] = t("key.call.always", rule=rule)
    return keys


def _explain_reason(request: ApprovalRequest, *, fits: bool) -> str:
    """Explain why it is asked, and why "always" is not offered if so."""
    asked = t("ask.because", why=translate_stored(str(request.get("description", ""))))
    if not request.get("always"):
        changed = request.get("changed")
        return f"{asked}\n{t('ask.no_always.changed' if changed else 'ask.no_always')}"
    return asked if fits else f"{asked}\n{t('ask.no_always.long')}"
