"""Open questions as the page shows them, and its answers as the SDK takes them."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...config.errors import UsageError
from ...config.text import text
from ...sdk.events import Question
from ...sdk.interrupt_response import Answer
from ...tools.result import ToolError
from ...tools.textedits.unified_diff import count_changes
from ..acp.permissions import (
    REVIEW,
    Decision,
    build_answer,
    is_form,
    list_options,
    list_requests,
    read_decision,
    read_form,
)
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..i18n.stored_messages import translate_stored
from ..prompts.edit_tool_call import build_edit_decision, find_main_argument
from ..rendering.blocks.phrases import describe_call
from ..rendering.tool_summary import SELF_EVIDENT

PLAN, PLAN_MODE = "plan_exit", "plan_enter"
# The approval modes in which a plan can be carried out
MODES = ("ask", "edits", "auto", "read-only")
_AGAIN = "nothing was run; change it, and send it again"
_TEXTS = ("question", "response", "text")
# Letters of a question that a list shows
SHORT = 160


def describe_question(question: Question) -> dict[str, Any]:
    """Return a question with all that can be chosen."""
    return {
        "id": question.id,
        "kind": question.kind,
        "agent": question.agent,
        "until": question.until,
        "requests": [
            _describe_request(question, number, request)
            for number, request in enumerate(list_requests(question))
        ],
    }


def summarize_question(question: Question) -> dict[str, Any]:
    """Return what a list of threads says of a question: its first request in short."""
    first = list_requests(question)[0]
    name, args = str(first["name"]), cast("dict[str, Any]", first.get("args") or {})
    phrase = describe_call(name, args)
    texts = [str(args[key]) for key in _TEXTS if args.get(key)]
    is_call = _is_call(question, name, bool(args.get("options")))
    asked = "" if is_call else (texts or [str(first.get("description") or "")])[0]
    added, removed = count_changes(str(first.get("diff") or args.get("diff") or ""))
    return {
        "kind": question.kind,
        "verb": phrase.verb,
        "subject": phrase.subject[:SHORT],
        "text": asked[:SHORT],
        "added": added,
        "removed": removed,
    }


def _describe_request(
    question: Question, number: int, request: Mapping[str, Any]
) -> dict[str, Any]:
    name, args = str(request["name"]), cast("dict[str, Any]", request.get("args") or {})
    reason = str(request.get("description") or "")
    configs = question.review_configs
    allowed = configs[number].get("allowed_decisions", ()) if number < len(configs) else ()
    has_choices = bool(args.get("options"))
    is_call = _is_call(question, name, has_choices)
    # of a call, all that it sends is shown
    texts = [] if is_call else [str(args[key]) for key in _TEXTS if args.get(key)]
    takes_edit = "edit" in allowed and not is_form(request)
    is_text = "respond" in allowed and "approve" not in allowed
    return {
        "name": name,
        "title": _format_title(name, args),
        "verb": (phrase := describe_call(name, args)).infinitive,
        "subject": phrase.subject,
        "rule": str(request.get("always") or ""),
        "is_call": is_call,
        "args": _list_arguments(request),
        # the title of a switch says it, or the text that is asked
        "reason": ""
        if name in (PLAN, PLAN_MODE) or reason in (*texts, *SELF_EVIDENT)
        else translate(translate_stored(reason)),
        "texts": texts,
        "diff": str(request.get("diff") or args.get("diff") or ""),
        "call_id": str(request.get("tool_call_id") or ""),
        "options": [] if is_text and not has_choices else _list_options(question, request),
        "takes_text": is_text or "respond" in allowed,
        "takes_edit": takes_edit,
        "edited": find_main_argument({**request, "args": args}) if takes_edit else "",
        "form": request.get("form"),
        "url": request.get("url"),
        "chosen": request.get("chosen") or {},
    }


def _is_call(question: Question, name: str, has_choices: bool) -> bool:
    """Return whether it is asked if a call may run, so that a yes can be for once or for all."""
    is_of_approval = question.kind == "approval" and not question.needs_text
    return is_of_approval and not has_choices and name not in (PLAN, PLAN_MODE, REVIEW)


def _format_title(name: str, args: Mapping[str, Any]) -> str:
    """Return the call, or what a switch of the mode is about."""
    if name == PLAN:
        return t("ask.plan.head", plan=args.get("plan", ""))
    if name != PLAN_MODE:
        phrase = describe_call(name, args)
        return f"{phrase.infinitive} {phrase.subject}"
    head = t("ask.plan_mode.head", reason=args.get("reason", ""))
    ends = cast("Sequence[str]", args.get("ends") or ())
    return " ".join([head, *([t("ask.plan_mode.ends", names=", ".join(ends))] if ends else [])])


def _list_options(question: Question, request: Mapping[str, Any]) -> list[dict[str, str]]:
    options = list_options(question, request)
    if key := {PLAN: "key.plan.yes", PLAN_MODE: "key.plan_mode.yes"}.get(str(request["name"])):
        options[0] = {**options[0], "name": t(key)}
    return options


def read_answer(question: Question, choices: Sequence[Mapping[str, Any]]) -> Answer:
    """Return the answer of the page, one choice for each request; raises UsageError.

    What was never offered is a no, as for an editor.
    """
    requests = list_requests(question)
    if len(choices) != len(requests):
        raise UsageError(
            "the question has another number of requests", hint="give one choice for each request"
        )
    decisions = [_read_choice(*each) for each in zip(choices, requests, strict=True)]
    answer = build_answer(question, decisions)
    if answer is None:
        raise UsageError("a limit is left by not answering it", hint="leave it, or allow more")
    return answer


def _read_choice(choice: Mapping[str, Any], request: Mapping[str, Any]) -> Decision:
    if isinstance(message := choice.get("text"), str):
        return {"type": "respond", "message": message}
    if isinstance(choice.get("form"), dict) and is_form(request):
        values = cast("dict[str, Any]", choice["form"])
        _check_form(values, request)
        return read_form({"action": "accept", "content": values}, request) or _refuse("")
    chosen = _read_chosen(choice) if request["name"] == PLAN else {}
    if "edit" in choice:
        return {**_read_edit(choice["edit"], request), **chosen}
    option = str(choice.get("option") or "")
    if option == "reject":
        return _refuse(str(choice.get("reason") or ""))
    return {**read_decision(option, request), **chosen}


def _check_form(values: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Raise UsageError if the server that asks cannot take these values."""
    from ...tools.mcp.questions import read_form_answer

    try:
        answer = {"type": "edit", "edited_action": {"args": values}}
        read_form_answer(answer, request.get("form") or {})
    except ToolError as error:
        raise UsageError(str(error), hint=_AGAIN) from error


def _read_chosen(choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model and approval mode that carry out a plan, and whether it is but saved."""
    chosen = {name: value for name in ("model", "mode") if (value := choice.get(name))}
    if chosen.get("mode") not in (None, *MODES):
        raise UsageError(
            text("the option `{name}` cannot be {value}", name="mode", value=repr(chosen["mode"])),
            hint=text("there are: {names}", names=", ".join(MODES)),
        )
    if not isinstance(chosen.get("model", ""), str):
        raise UsageError(text("`{name}` must be a text", name="model"))
    return chosen | ({"draft": True} if choice.get("draft") is True and "edit" in choice else {})


def _read_edit(edited: object, request: Mapping[str, Any]) -> Decision:
    """Return the decision to run an edited call; raises UsageError if the tool cannot take it."""
    if not isinstance(edited, dict):
        raise UsageError("give the arguments as one JSON object", hint=_AGAIN)
    args = cast("dict[str, Any]", edited)
    if args == _list_arguments(request) and request["name"] != PLAN:
        return {"type": "approve"}
    if problem := _describe_problem(str(request["name"]), args):
        raise UsageError(
            text("`{tool}` cannot run with this: {problem}", tool=request["name"], problem=problem),
            hint=_AGAIN,
        )
    return build_edit_decision({**request, "args": args})


def _list_arguments(request: Mapping[str, Any]) -> dict[str, Any]:
    args: Mapping[str, Any] = request.get("args") or {}
    return {key: value for key, value in args.items() if key != "diff"}


def _describe_problem(name: str, args: Mapping[str, Any]) -> str:
    """Describe what is wrong with a call of a tool of MaxAgent; a server checks its own."""
    if name == PLAN:
        return "" if str(args.get("text") or "").strip() else text("the plan is empty")
    from ...tools.runtime.invoke import describe_wrong_arguments
    from ...tools.runtime.registry import NAMES, load_tool

    return describe_wrong_arguments(load_tool(name), args) if name in NAMES else ""


def _refuse(reason: str) -> Decision:
    return {"type": "reject", "message": reason}
