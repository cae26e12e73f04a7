"""Ask the human at the terminal what a thread asks, and make an answer of what they type."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rich.console import Console

from ..config import paths
from ..config.errors import UsageError
from ..config.writing import add_item
from ..sdk.answers import Answer
from ..sdk.events import Question
from .asked_change import changed, edit_of
from .asked_switch import SWITCHES, decide_switch
from .i18n import t
from .request_view import show_request
from .screen import open_console, styled
from .told import told
from .typed import read

Decided = Mapping[str, Any]
"""`{"type": "approve"}` and its like; `always` is a rule that has just been written."""
Request = Mapping[str, Any]


def ask(question: Question) -> Answer | None:
    """One decision for each request; None when the human leaves the question open (Ctrl-D)."""
    console = open_console()
    allowed = [list(config["allowed_decisions"]) for config in question.review_configs]
    try:
        decisions = _together(console, question.action_requests, allowed) or [
            decide(console, request, choices)
            for request, choices in zip(question.action_requests, allowed, strict=True)
        ]
    except (EOFError, KeyboardInterrupt):
        console.print()
        return None
    return Answer(decisions=decisions, question=question.id)


def _together(
    console: Console, requests: Sequence[Request], allowed: Sequence[list[str]]
) -> list[Decided]:
    """Several calls are shown first and may be answered at once; empty: one by one."""
    if len(requests) < 2 or not all("approve" in choices for choices in allowed):
        return []
    for request in requests:
        show_request(console, request)
    while True:
        key = read(console, t("ask.all", count=len(requests))).lower()
        if key in ("y", "yes"):
            return [{"type": "approve"} for _ in requests]
        if key in ("n", "no"):
            why = read(console, t("ask.why"))
            return [{"type": "reject", "message": why} for _ in requests]
        if key in ("o", "one", "1"):
            return []


def decide(console: Console, request: Request, allowed: Sequence[str]) -> Decided:
    """What the human decides on one request."""
    if request["name"] == "review":
        return _review(console, request)
    if request["name"] in SWITCHES:
        return decide_switch(console, request)
    if list(allowed) == ["respond"]:
        return {"type": "respond", "message": _reply(console, request)}
    return _decide_call(console, request, allowed)


def _decide_call(console: Console, asked: Request, allowed: Sequence[str]) -> Decided:
    request, is_shown, always = asked, False, ""
    while True:
        if not is_shown:
            always, is_shown = _shown(console, request), True
        keys = ["y", "n", *("e" for one in allowed if one == "edit"), *(["a"] if always else [])]
        key = read(console, t("ask.approve", keys="/".join([*keys, "?"]))).lower()
        if key in ("y", "yes", "j"):
            return {"type": "approve"} if request is asked else edit_of(request)
        if key in ("a", "always") and always and _remembered(console, always):
            return {"type": "approve", "always": always}
        if key in ("e", "edit") and "e" in keys:
            request, is_shown = _edited(console, request), False
        if key in ("n", "no"):
            why = read(console, t("ask.why")) if "reject" in allowed else ""
            return {"type": "reject", "message": why}
        if key == "?":
            _explain(console, request, always)


def _shown(console: Console, request: Request) -> str:
    """Show the whole request; the rule that would allow its like, where all of it was in sight."""
    fits = show_request(console, request)
    always = str(request.get("always") or "") if fits else ""
    if always:
        offer = t("ask.always", rule=always, file=paths.user_config(paths.home()))
        console.print(styled(offer, "dim"))
    return always


def _edited(console: Console, request: Request) -> Request:
    try:
        return changed(request)
    except UsageError as error:
        console.print(styled(told(error.message), "red"))
        return request


def _explain(console: Console, request: Request, always: str) -> None:
    """Say why it is asked, and what each key does."""
    console.print(styled(t("ask.explain", why=told(str(request.get("description", "")))), ""))
    if always:
        console.print(styled(f"  {t('ask.explain.always', rule=always)}", ""))


def _remembered(console: Console, rule: str) -> bool:
    """Write the rule into the user's own file, never the project's; whether that was possible."""
    file = paths.user_config(paths.home())
    try:
        add_item(file, "permissions.allow", rule)
    except UsageError as error:
        console.print(styled(told(error.message), "red"))
        return False
    console.print(styled(t("ask.remembered", rule=rule, file=file), "dim"))
    return True


def _review(console: Console, request: Request) -> Decided:
    console.print(styled(t(f"outcome.{request['args']['outcome']}"), "bold"))
    while True:
        key = read(console, t("ask.review")).lower()
        if key in ("k", "keep"):
            return {"type": "approve"}
        if key in ("u", "undo"):
            return {"type": "reject"}
        if key in ("r", "remark") and (remark := read(console, t("ask.remark"))):
            return {"type": "respond", "message": remark}


def _reply(console: Console, request: Request) -> str:
    """The answer to a question of the model, by a number or in words."""
    args: Mapping[str, Any] = request["args"]
    options = [str(option) for option in cast("list[object]", args.get("options") or [])]
    asked = args.get("question") or args.get("response") or ""
    console.print(styled(f"\n{asked}", "bold yellow"))
    for number, option in enumerate(options, 1):
        console.print(styled(f"  {number}. {option}", ""))
    words = read(console, t("ask.reply"))
    return options[int(words) - 1] if words.isdigit() and 0 < int(words) <= len(options) else words
