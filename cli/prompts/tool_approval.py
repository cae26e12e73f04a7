"""Ask whether one call may run; it can be changed before a yes, and be allowed from then on."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.writer import add_item
from ..i18n.catalogs import t
from ..i18n.message_translation import told
from ..rendering.approval_request import show_request
from ..rendering.console import show_line
from ..rendering.tool_summary import call_line
from .edit_tool_call import changed, edit_of, what_opens
from .key_input import Keys, pressed
from .text_input import read

Request = Mapping[str, Any]


def decide_call(console: Console, asked: Request, allowed: Sequence[str]) -> dict[str, Any]:
    """Yes, once or always, perhaps to a changed call; or no, and why."""
    request, fits = asked, _shown(console, asked)
    while True:
        keys = _keys(request, allowed, fits=fits)
        match pressed(console, _question(request, fits=fits), keys, _why(request, fits=fits)):
            case "yes":
                return {"type": "approve"} if request is asked else edit_of(request)
            case "always":
                rule = str(request["always"])
                if _remembered(console, rule):
                    return {"type": "approve", "always": rule}
            case "thread":
                return {"type": "approve", "for_thread": True}
            case "edit":
                request = edited(console, request)
                fits = _shown(console, request)
            case _:
                why = read(console, t("ask.why")) if "reject" in allowed else ""
                return {"type": "reject", "message": why}


def edited(console: Console, request: Request) -> Request:
    """The request as the human leaves it in the editor; as it was where that cannot be."""
    try:
        return changed(request)
    except UsageError as error:
        show_line(console, told(error.message), "red")
        if error.hint:
            show_line(console, told(error.hint), "yellow")
        return request


def _shown(console: Console, request: Request) -> bool:
    """Show the whole request; whether all of it is in sight at once."""
    fits = show_request(console, request)
    if rule := request.get("always"):
        file = paths.user_config(paths.home())
        one_project = rule.startswith("edit(//")
        words = t("ask.always.files" if one_project else "ask.always", rule=rule, file=file)
        offer = words if fits else t("ask.no_always.long")
        show_line(console, offer, "dim")
    return fits


def _question(request: Request, *, fits: bool) -> str:
    """What is asked; where its beginning is out of sight, with what it is about."""
    if fits:
        return t("ask.approve")
    return t("ask.approve.long", call=call_line(request["name"], request["args"]))


def _keys(request: Request, allowed: Sequence[str], *, fits: bool) -> Keys:
    keys = {"yes": t("key.call.yes"), "no": t("key.call.no")}
    if "edit" in allowed:
        keys["edit"] = t(f"key.call.edit.{what_opens(request)}")
    if fits and (rule := request.get("always")):
        keys["thread"] = t("key.call.thread", rule=rule)
        keys["always"] = t("key.call.always", rule=rule)
    return keys


def _why(request: Request, *, fits: bool) -> str:
    """Why it is asked, and why not for always where that is not offered."""
    asked = t("ask.because", why=told(str(request.get("description", ""))))
    if not request.get("always"):
        changed = request.get("changed")
        return f"{asked}\n{t('ask.no_always.changed' if changed else 'ask.no_always')}"
    return asked if fits else f"{asked}\n{t('ask.no_always.long')}"


def _remembered(console: Console, rule: str) -> bool:
    """Write the rule into the user's own file, never the project's; whether that was possible."""
    file = paths.user_config(paths.home())
    try:
        add_item(file, "permissions.allow", rule)
    except UsageError as error:
        show_line(console, told(error.message), "red")
        return False
    show_line(console, t("ask.remembered", rule=rule, file=file), "dim")
    return True
