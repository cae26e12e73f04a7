"""Ask whether the mode changes; a plan is shown whole, and can be changed before a yes."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from ..config.errors import UsageError
from .asked_change import changed, edit_of
from .choices import Mode
from .i18n import t
from .request_view import show_text
from .screen import styled
from .told import told
from .typed import read

SWITCHES = ("plan_enter", "plan_exit")
Request = Mapping[str, Any]


def decide_switch(console: Console, asked: Request) -> dict[str, Any]:
    """Yes, perhaps with another plan, model or approval mode; or no, and why."""
    request, chosen, is_shown = asked, dict[str, Any](), False
    has_plan = "text" in asked["args"]
    while True:
        if not is_shown:
            _show(console, request)
            is_shown = True
        key = read(console, t("ask.plan" if has_plan else "ask.plan_mode")).lower()
        if key in ("y", "yes"):
            decision = {"type": "approve"} if request is asked else edit_of(request)
            return {**decision, **chosen}
        if key in ("n", "no"):
            return {"type": "reject", "message": read(console, t("ask.why"))}
        if key == "e" and has_plan:
            request, is_shown = _edited(console, request), False
        if key == "m" and has_plan:
            chosen = _choices(console)


def _show(console: Console, request: Request) -> None:
    args: Mapping[str, Any] = request["args"]
    key = "ask.plan.head" if "text" in args else "ask.plan_mode.head"
    words = t(key, plan=args.get("plan", ""), reason=args.get("reason", ""))
    console.print(styled(f"\n{words}", "bold yellow"))
    show_text(console, str(args.get("text", "")))


def _edited(console: Console, request: Request) -> Request:
    try:
        return changed(request)
    except UsageError as error:
        console.print(styled(told(error.message), "red"))
        return request


def _choices(console: Console) -> dict[str, Any]:
    """The model and approval mode that carry the plan out; what is left empty stays."""
    modes = [mode.value for mode in Mode]
    model = read(console, t("ask.plan.model"))
    mode = read(console, t("ask.plan.approval", modes=", ".join(modes)))
    while mode and mode not in modes:
        mode = read(console, t("ask.plan.approval", modes=", ".join(modes)))
    return {name: value for name, value in (("model", model), ("mode", mode)) if value}
