"""A question that waits: what it asks, and how to answer it from another shell."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from ...memory.threads.pull_requests import PULL_REQUEST
from ...sdk.events import Question
from ...sdk.interrupt_response import list_answer_options
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .console import MARGIN, show_line, show_sentence
from .listings.threads import SHORT_ID
from .sanitize import sanitize_line
from .tool_summary import format_call


def show_open_question(console: Console, question: Question) -> None:
    """Show the question with its calls, and the commands that answer it."""
    from .approval_request import describe_asker, describe_limit, show_arguments

    thread = question.thread_id[:SHORT_ID]
    if question.kind == "limit":
        limit, command, *others = describe_limit(question, thread).split("\n")
        show_sentence(console, f"\n{MARGIN}{limit}", "bold yellow")
        show_sentence(console, f"{MARGIN}{command}")
        for line in others:
            show_sentence(console, f"{MARGIN}{line}", "dim")
        return
    if words := describe_asker(question):
        show_line(console, f"\n{words}", "bold")
    for request in question.action_requests:
        call = format_call(request["name"], request["args"])
        show_line(console, t("run.asks", call=call), "yellow")
        if question.kind != "review":  # its diff has been shown
            show_arguments(console, request)
        if question.kind in ("approval", PULL_REQUEST):
            _show_reason(console, request)
    question_id = question.id[:SHORT_ID]
    *options, last = list_answer_options(question.review_configs)
    if options:
        last = t("run.answer_options", options=", ".join(options), last=last)
    how = t("run.how_to_answer", thread=thread, question=question_id, options=last)
    show_line(console, how, "yellow")
    if question.kind == "review":
        show_line(console, t("run.how_to_review"), "yellow")


def _show_reason(console: Console, request: Mapping[str, Any]) -> None:
    why = sanitize_line(translate_stored(str(request.get("description") or "")))
    # a tool that asks gives its own question as the reason, which is printed above
    if why and request["description"] not in request["args"].values():
        show_line(console, f"  {t('ask.because', why=why)}", "yellow")
