"""Ask whether one call may run; it can be changed before a yes, and be allowed from then on."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.writer import add_item
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..i18n.stored_messages import translate_stored
from ..rendering.approval_request import show_request
from ..rendering.console import show_line
from ..rendering.tool_summary import format_call
from .edit_tool_call import build_edit_decision, classify_content, edit_call
from .key_input import Keys, read_key
from .text_input import read_line

ApprovalRequest = Mapping[str, Any]


def decide_call(console: Console, asked: ApprovalRequest, allowed: Sequence[str]) -> dict[str, Any]:
    """Yes, once or always, perhaps to a changed call; or no, and why."""
    request, fits = asked, _show_with_rule(console, asked)
    while True:
        keys = _build_keys(request, allowed, fits=fits)
        match read_key(
            console, _format_question(request, fits=fits), keys, _explain_reason(request, fits=fits)
        ):
            case "yes":
                return {"type": "approve"} if request is asked else build_edit_decision(request)
            case "always":
                rule = str(request["always"])
                if _save_rule(console, rule):
                    return {"type": "approve", "always": rule}
            case "thread":
                return {"type": "approve", "for_thread": True}
            case "edit":
                request = edit_or_keep(console, request)
                fits = _show_with_rule(console, request)
            case _:
                why = read_line(console, t("ask.why")) if "reject" in allowed else ""
                return {"type": "reject", "message": why}


def edit_or_keep(console: Console, request: ApprovalRequest) -> ApprovalRequest:
    """The request as the human leaves it in the editor; as it was where that cannot be."""
    try:
        return edit_call(request)
    except UsageError as error:
        show_line(console, translate(error.message), "red")
        if error.hint:
            show_line(console, translate(error.hint), "yellow")
        return request


def _show_with_rule(console: Console, request: ApprovalRequest) -> bool:
    """Show the whole request; whether all of it is in sight at once."""
    fits = show_request(console, request)
    if rule := request.get("always"):
        file = paths.locate_user_config(paths.locate_home())
        one_project = rule.startswith("edit(//")
        words = t("ask.always.files" if one_project else "ask.always", rule=rule, file=file)
        offer = words if fits else t("ask.no_always.long")
        show_line(console, offer, "dim")
    return fits


def _format_question(request: ApprovalRequest, *, fits: bool) -> str:
    """What is asked; where its beginning is out of sight, with what it is about."""
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
    """Why it is asked, and why not for always where that is not offered."""
    asked = t("ask.because", why=translate_stored(str(request.get("description", ""))))
    if not request.get("always"):
        changed = request.get("changed")
        return f"{asked}\n{t('ask.no_always.changed' if changed else 'ask.no_always')}"
    return asked if fits else f"{asked}\n{t('ask.no_always.long')}"


def _save_rule(console: Console, rule: str) -> bool:
    """Write the rule into the user's own file, never the project's; whether that was possible."""
    file = paths.locate_user_config(paths.locate_home())
    try:
        add_item(file, "permissions.allow", rule)
    except UsageError as error:
        show_line(console, translate(error.message), "red")
        return False
    show_line(console, t("ask.remembered", rule=rule, file=file), "dim")
    return True
