"""Ask the human at the terminal what a thread asks, and make an answer of what they type."""

from collections.abc import Mapping
from typing import Any, cast

from rich.console import Console

from ..sdk.answers import Answer
from ..sdk.events import Question
from .diff_view import show_diff
from .i18n import t
from .screen import open_console, styled


def ask(question: Question) -> Answer | None:
    """One decision for each request; None when the human leaves the question open (Ctrl-D)."""
    console = open_console()
    decisions: list[Mapping[str, Any]] = []
    try:
        for request, config in zip(question.action_requests, question.review_configs, strict=True):
            decisions.append(_decide(console, request, config["allowed_decisions"]))
    except (EOFError, KeyboardInterrupt):
        console.print()
        return None
    return Answer(decisions=decisions, question=question.id)


def _decide(console: Console, request: Mapping[str, Any], allowed: list[str]) -> Mapping[str, Any]:
    if request["name"] == "review":
        return _review(console, request)
    if allowed == ["respond"]:
        return {"type": "respond", "message": _reply(console, request)}
    _show_request(console, request)
    while True:
        key = _read(console, t("ask.approve")).lower()
        if key in ("y", "yes", "j"):
            return {"type": "approve"}
        if key in ("n", "no"):
            return {"type": "reject", "message": _read(console, t("ask.why"))}


def _review(console: Console, request: Mapping[str, Any]) -> Mapping[str, Any]:
    console.print(styled(t(f"outcome.{request['args']['outcome']}"), "bold"))
    while True:
        key = _read(console, t("ask.review")).lower()
        if key in ("k", "keep"):
            return {"type": "approve"}
        if key in ("u", "undo"):
            return {"type": "reject"}
        if key in ("r", "remark") and (remark := _read(console, t("ask.remark"))):
            return {"type": "respond", "message": remark}


def _show_request(console: Console, request: Mapping[str, Any]) -> None:
    """The whole of what would run, or what an edit would change: its diff says what is cut."""
    console.print(styled(f"\n{request['name']}: {request.get('description', '')}", "bold yellow"))
    if diff := request.get("diff"):
        show_diff(console, str(diff), indent="  ")
        return
    for name, value in request["args"].items():
        console.print(styled(f"  {name}: {value}", ""))


def _reply(console: Console, request: Mapping[str, Any]) -> str:
    options = [str(option) for option in cast("list[object]", request["args"].get("options") or [])]
    console.print(styled(f"\n{request['args'].get('question', '')}", "bold yellow"))
    for number, option in enumerate(options, 1):
        console.print(styled(f"  {number}. {option}", ""))
    words = _read(console, t("ask.reply"))
    return options[int(words) - 1] if words.isdigit() and 0 < int(words) <= len(options) else words


def _read(console: Console, prompt: str) -> str:
    console.print(styled(f"{prompt} ", "bold"), end="")
    return input().strip()
