"""A thread's questions at the terminal, and the answers made from the user's input."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rich.console import Console

from ...memory.threads.pull_requests import PULL_REQUEST
from ...sdk.events import Question
from ...sdk.interrupt_response import Answer
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from ..rendering.approval_request import describe_asker, show_request
from ..rendering.console import MARGIN, can_redraw, open_console, show_line, show_rule
from ..rendering.diffs.history import KEPT_DIFFS
from ..rendering.event_text import describe_review
from ..rendering.tool_summary import format_call
from .choice import choose, hold_request
from .choice_keys import Choice, QuestionHead
from .edit_tool_call import with_own_diff
from .mode_switch import decide_switch
from .server_question import decide_server_question, is_server_question
from .tool_approval import decide_call

# `{"type": "approve"}` or a similar mapping; `always` is a rule that has just been saved
UserDecision = Mapping[str, Any]
ApprovalRequest = Mapping[str, Any]
# The question which of several attempts at a task is kept
CHOOSE_ATTEMPT = "choose_attempt"
# Characters of a call where several are named
SHORT = 40


def ask_questions(questions: Sequence[Question]) -> list[Answer]:
    """Ask one after the other; return the answers until the user leaves one open (Ctrl-D)."""
    answers: list[Answer] = []
    for question in questions:
        answer = ask_question(question)
        if answer is None:
            break
        answers.append(answer)
    return answers


def ask_question(question: Question) -> Answer | None:
    """Return a decision for each request; None if the user leaves the question open (Ctrl-D)."""
    console, requests = open_console(), question.action_requests
    if words := describe_asker(question):
        show_line(console, f"\n{words}", "bold")
    allowed = [list(config["allowed_decisions"]) for config in question.review_configs]
    try:
        decisions = _ask_together(console, requests, allowed) or _ask_each(
            console, requests, allowed
        )
    except (EOFError, KeyboardInterrupt):
        console.print()
        return None
    return Answer(decisions=decisions, question=question.id)


def _ask_together(
    console: Console, requests: Sequence[ApprovalRequest], allowed: Sequence[list[str]]
) -> list[UserDecision]:
    """Show several calls and offer one answer for all; return an empty list to ask one by one."""
    if len(requests) < 2 or not all("approve" in choices for choices in allowed):
        return []
    if any(map(is_server_question, requests)):
        return []
    head, _ = hold_request(console, lambda: _show_all(console, requests))
    calls = ", ".join(format_call(request["name"], request["args"], SHORT) for request in requests)
    is_outside = any(request["args"].get("outside_sandbox") for request in requests)
    choices = [
        Choice("yes", t("key.all.yes", count=len(requests)), needs_enter=is_outside),
        Choice("one", t("key.all.one")),
        Choice("no", t("key.all.no")),
    ]
    question = t("ask.all", count=len(requests), calls=calls)
    reply = choose(console, question, choices, request=head, unshown=("yes", "one", "no"))
    if head.is_kept:
        KEPT_DIFFS.update(str(request.get("diff") or "") for request in requests)
    match reply.word:
        case "yes":
            return [{"type": "approve"} for _ in requests]
        case "no":
            return [{"type": "reject", "message": reply.text} for _ in requests]
        case _:
            return []


def _show_all(console: Console, requests: Sequence[ApprovalRequest]) -> bool:
    """Show several calls; return whether each fits: the list keeps what is too large together."""
    return all([show_request(console, request) for request in requests])


def _ask_each(
    console: Console, requests: Sequence[ApprovalRequest], allowed: Sequence[list[str]]
) -> list[UserDecision]:
    """Ask one by one; do not show a diff that builds on a denied edit."""
    decisions: list[UserDecision] = []
    is_refused = False
    for request, choices in zip(requests, allowed, strict=True):
        is_edit = "diff" in request
        if is_edit and is_refused:
            show_line(console, f"\n{t('ask.after_refusal')}", "yellow")
            request = with_own_diff(request)
        decisions.append(decide_request(console, request, choices))
        is_refused |= is_edit and decisions[-1]["type"] == "reject"
    return decisions


def decide_request(
    console: Console, request: ApprovalRequest, allowed: Sequence[str]
) -> UserDecision:
    """Return the user's decision on one request."""
    from ...tools.builtin.session.plan_mode import LEADS_TO

    if is_server_question(request):
        return decide_server_question(console, request)
    if request["name"] == "review":
        return _decide_review(console, request)
    if request["name"] == PULL_REQUEST:
        return _decide_pull_request(console, request)
    if request["name"] in LEADS_TO:
        return decide_switch(console, request)
    if list(allowed) == ["respond"]:
        return {"type": "respond", "message": _read_reply(console, request)}
    return decide_call(console, request, allowed)


def _decide_review(console: Console, request: ApprovalRequest) -> UserDecision:
    if not can_redraw(console):  # there the run has shown it as a block
        show_line(console, describe_review(request["args"]), "bold")
    choices = [
        Choice("keep", t("key.review.keep")),
        Choice("undo", t("key.review.undo"), needs_enter=True),
        Choice("remark", t("key.review.remark"), needs_text=True),
    ]
    head, _ = hold_request(console, lambda: _show_review_title(console))
    reply = choose(console, t("ask.review"), choices, request=head)
    match reply.word:
        case "keep":
            return {"type": "approve"}
        case "undo":
            return {"type": "reject"}
        case _:
            return {"type": "respond", "message": reply.text}


def _show_review_title(console: Console) -> bool:
    if can_redraw(console):
        console.print()
        show_rule(console, "yellow")
        show_line(console, f"{MARGIN}{t('ask.review.heading')}", "bold yellow")
    return True


def _decide_pull_request(console: Console, request: ApprovalRequest) -> UserDecision:
    head, _ = hold_request(console, lambda: show_request(console, request))
    choices = [
        Choice("yes", t("key.pull_request.yes"), needs_enter=True),
        Choice("no", t("key.pull_request.no")),
    ]
    if choose(console, t("ask.pull_request"), choices, request=head).word == "yes":
        return {"type": "approve"}
    return {"type": "reject", "message": ""}


def _read_reply(console: Console, request: ApprovalRequest) -> str:
    """Return the answer to a question of the model: one of its options, or a text."""
    args: Mapping[str, Any] = request["args"]
    options = [str(option) for option in cast("list[object]", args.get("options") or [])]
    asked = str(args.get("question") or args.get("response") or "")
    is_own = request["name"] == CHOOSE_ATTEMPT  # else it is the model's, in its language
    choices = [
        Choice(option, translate_stored(option) if is_own else option, letter="")
        for option in options
    ]
    own = t("key.reply.other" if options else "key.reply")
    text = Choice("", own, needs_text=True, letter="")
    question = translate_stored(asked) if is_own else asked
    head = None if is_own else QuestionHead("")  # an answer to the model is shown with its call
    answers = [choice.word for choice in (*choices, text)]
    reply = choose(
        console, question, [*choices, text], rule="yellow", request=head, unshown=answers
    )
    return reply.text or reply.word
