"""Ask the human at the terminal what a thread asks, and make an answer of what they type."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rich.console import Console

from ..config import paths
from ..config.errors import UsageError
from ..config.writing import add_item
from ..sdk.answers import Answer
from ..sdk.events import Question
from .i18n import t
from .request_view import show_request
from .screen import open_console, styled

Decided = Mapping[str, Any]
"""`{"type": "approve"}` and its like; `always` is a rule that has just been written."""


def ask(question: Question) -> Answer | None:
    """One decision for each request; None when the human leaves the question open (Ctrl-D)."""
    console = open_console()
    decisions: list[Decided] = []
    try:
        for request, config in zip(question.action_requests, question.review_configs, strict=True):
            decisions.append(decide(console, request, config["allowed_decisions"]))
    except (EOFError, KeyboardInterrupt):
        console.print()
        return None
    return Answer(decisions=decisions, question=question.id)


def decide(console: Console, request: Mapping[str, Any], allowed: Sequence[str]) -> Decided:
    """What the human decides on one request."""
    if request["name"] == "review":
        return _review(console, request)
    if list(allowed) == ["respond"]:
        return {"type": "respond", "message": _reply(console, request)}
    fits = show_request(console, request)
    always = str(request.get("always") or "") if fits else ""
    if always:
        told = t("ask.always", rule=always, file=paths.user_config(paths.home()))
        console.print(styled(told, "dim"))
    while True:
        key = _read(console, t("ask.approve_always" if always else "ask.approve")).lower()
        if key in ("y", "yes", "j"):
            return {"type": "approve"}
        if always and key in ("a", "always") and _remembered(console, always):
            return {"type": "approve", "always": always}
        if key in ("n", "no"):
            why = _read(console, t("ask.why")) if "reject" in allowed else ""
            return {"type": "reject", "message": why}


def _remembered(console: Console, rule: str) -> bool:
    """Write the rule into the user's own file, never the project's; whether that was possible."""
    file = paths.user_config(paths.home())
    try:
        add_item(file, "permissions.allow", rule)
    except UsageError as error:
        console.print(styled(error.message, "red"))
        return False
    console.print(styled(t("ask.remembered", rule=rule, file=file), "dim"))
    return True


def _review(console: Console, request: Mapping[str, Any]) -> Decided:
    console.print(styled(t(f"outcome.{request['args']['outcome']}"), "bold"))
    while True:
        key = _read(console, t("ask.review")).lower()
        if key in ("k", "keep"):
            return {"type": "approve"}
        if key in ("u", "undo"):
            return {"type": "reject"}
        if key in ("r", "remark") and (remark := _read(console, t("ask.remark"))):
            return {"type": "respond", "message": remark}


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
