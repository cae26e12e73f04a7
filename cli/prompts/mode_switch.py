"""Approval of a mode switch; its plan is shown in full, and can be edited before a yes or no."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rich.console import Console

from ..i18n.catalogs import t
from ..options import Mode
from ..rendering.approval_request import show_markdown, show_text
from ..rendering.console import MARGIN, open_console, show_heading, show_line
from .choice import choose
from .choice_keys import Choice, QuestionHead
from .edit_tool_call import build_edit_decision
from .text_input import read_line
from .tool_approval import edit_or_keep

ApprovalRequest = Mapping[str, Any]


def decide_switch(console: Console, request: ApprovalRequest) -> dict[str, Any]:
    """Return a yes, perhaps with another model or approval mode, a no with a reason, or a new plan.

    An edited plan is an answer, too, so it is stored before anything else can happen, and the
    question is asked again.
    """
    args: Mapping[str, Any] = request["args"]
    chosen: dict[str, str] = dict(request.get("chosen") or {})
    has_plan = "text" in args
    question = t("ask.plan") if has_plan else t("ask.plan_mode")
    _show_plan(console, request)
    _show_chosen(console, chosen)
    while True:
        choices = _build_choices(has_plan=has_plan)
        reply = choose(console, question, choices, request=QuestionHead(""))
        match reply.word:
            case "yes":
                return {"type": "approve", **chosen}
            case "edit":
                changed = edit_or_keep(console, request)
                if changed is not request:
                    return {**build_edit_decision(changed), **chosen, "draft": True}
            case "model":
                chosen |= _read_choices(console)
                _show_chosen(console, chosen)
            case _:
                return {"type": "reject", "message": reply.text}


def show_drafts(decisions: Sequence[Mapping[str, Any]]) -> None:
    """Show the plans in an answer that was not accepted: the user's text is stored nowhere else."""
    console = open_console()
    for decision in decisions:
        show_line(console, f"\n{t('ask.plan.not_taken')}", "bold yellow")
        show_text(console, decision["edited_action"]["args"]["text"])


def _build_choices(*, has_plan: bool) -> list[Choice]:
    if has_plan:
        return [Choice(word, t(f"key.plan.{word}")) for word in ("yes", "edit", "model", "no")]
    return [Choice(word, t(f"key.plan_mode.{word}")) for word in ("yes", "no")]


def _show_plan(console: Console, request: ApprovalRequest) -> None:
    args: Mapping[str, Any] = request["args"]
    key = "ask.plan.head" if "text" in args else "ask.plan_mode.head"
    show_heading(console, t(key, reason=args.get("reason", "")))
    show_markdown(console, str(args.get("text", "")))
    if plan_file := args.get("plan"):  # a resumed question has nothing above that names it
        show_line(console, f"\n{MARGIN}{t('ask.plan.file', file=plan_file)}", "dim")
    if ends := cast("Sequence[str]", args.get("ends", ())):
        ends_words = t("ask.plan_mode.ends", names=", ".join(ends))
        show_line(console, f"{MARGIN}{ends_words}", "yellow")


def _show_chosen(console: Console, chosen: Mapping[str, str]) -> None:
    for name, value in chosen.items():
        show_line(console, f"{MARGIN}{t(f'ask.plan.chosen.{name}', value=value)}", "cyan")


def _read_choices(console: Console) -> dict[str, str]:
    """Return the model and approval mode for the plan; an empty one does not change."""
    modes = [mode.value for mode in Mode]
    model = read_line(console, t("ask.plan.model"))
    mode = read_line(console, t("ask.plan.approval", modes=", ".join(modes)))
    while mode and mode not in modes:
        mode = read_line(console, t("ask.plan.approval", modes=", ".join(modes)))
    return {name: value for name, value in (("model", model), ("mode", mode)) if value}
