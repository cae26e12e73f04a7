"""Ask whether the mode changes; a plan is shown whole, and can be changed before a yes."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from .asked_call import edited
from .asked_change import edit_of
from .choices import Mode
from .i18n import t
from .pressed import pressed
from .request_view import show_text
from .screen import show_line
from .typed import read

Request = Mapping[str, Any]


def decide_switch(console: Console, asked: Request) -> dict[str, Any]:
    """Yes, perhaps with another plan, model or approval mode; or no, and why."""
    request, chosen = asked, dict[str, Any]()
    args: Mapping[str, Any] = asked["args"]
    if "text" in args:
        question = t("ask.plan", plan=args.get("plan", ""))
        keys = {word: t(f"key.plan.{word}") for word in ("yes", "no", "edit", "model")}
    else:
        question = t("ask.plan_mode")
        keys = {word: t(f"key.plan_mode.{word}") for word in ("yes", "no")}
    _show(console, request)
    while True:
        match pressed(console, question, keys):
            case "yes":
                decision = {"type": "approve"} if request is asked else edit_of(request)
                return {**decision, **chosen}
            case "edit":
                request = edited(console, request)
                _show(console, request)
            case "model":
                chosen = _choices(console)
            case _:
                kept = {} if request is asked else edit_of(request)  # what was written is kept
                return {**kept, "type": "reject", "message": read(console, t("ask.why"))}


def _show(console: Console, request: Request) -> None:
    args: Mapping[str, Any] = request["args"]
    key = "ask.plan.head" if "text" in args else "ask.plan_mode.head"
    words = t(key, plan=args.get("plan", ""), reason=args.get("reason", ""))
    show_line(console, f"\n{words}", "bold yellow")
    show_text(console, str(args.get("text", "")))


def _choices(console: Console) -> dict[str, Any]:
    """The model and approval mode that carry the plan out; what is left empty stays."""
    modes = [mode.value for mode in Mode]
    model = read(console, t("ask.plan.model"))
    mode = read(console, t("ask.plan.approval", modes=", ".join(modes)))
    while mode and mode not in modes:
        mode = read(console, t("ask.plan.approval", modes=", ".join(modes)))
    return {name: value for name, value in (("model", model), ("mode", mode)) if value}
