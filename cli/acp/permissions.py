"""A thread's questions as requests to the client, and its answers as decisions."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...config.text import text
from ...sdk.events import Question
from ...sdk.interrupt_response import Answer
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .params import as_object
from .tool_calls import diff_content, find_locations, format_title, get_kind, text_content

Option = dict[str, str]
Decision = Mapping[str, Any]
# Names of the two questions that are about no call
REVIEW, ANSWER = "review", "answer"


def is_for_words(question: Question) -> bool:
    """Return whether only a text can answer it; a form of a server can be declined as well."""
    return question.needs_text and not any(map(is_form, question.action_requests))


def is_form(request: Mapping[str, Any]) -> bool:
    """Return whether a server asks this, and not a call."""
    return "form" in request or "url" in request


def list_requests(question: Question) -> list[Mapping[str, Any]]:
    """Return what is to be decided, each with an ID; a limit is one request."""
    if question.kind == "limit":
        return [{"name": "limit", "args": {}, "description": question.description}]
    return list(question.action_requests)


def get_call_id(question: Question, number: int, request: Mapping[str, Any]) -> str:
    """Return the ID of the call that a request is about, or one of its own."""
    return str(request.get("tool_call_id") or f"{question.id}-{number}")


def build_call(
    question: Question, number: int, request: Mapping[str, Any], folder: str, version: int
) -> dict[str, Any]:
    """Return the call to decide as a client shows it: the reason, the diff, the arguments."""
    args = as_object(dict(request.get("args") or {}))
    name = str(request["name"])
    reason = translate_stored(str(request.get("description") or ""))
    words = [str(args[key]) for key in ("question", "response", "text") if args.get(key)]
    content = [text_content(line) for line in dict.fromkeys([reason, *words]) if line]
    content += diff_content(str(request.get("diff") or args.get("diff") or ""), folder, version)
    return {
        "toolCallId": get_call_id(question, number, request),
        "title": reason if name == "limit" else format_title(name, args, question.agent),
        "kind": get_kind(name),
        "status": "pending",
        "content": content,
        "locations": find_locations(args, folder),
        "rawInput": {key: value for key, value in args.items() if key != "diff"},
    }


def list_options(question: Question, request: Mapping[str, Any]) -> list[Option]:
    """Return the answers that a client can choose from, the narrowest yes first."""
    args = as_object(dict(request.get("args") or {}))
    if question.kind == "limit":
        return [
            _option("allow", "acp.limit.more"),
            _option("reject", "acp.limit.stop", "reject_once"),
        ]
    if request["name"] == REVIEW:
        return [
            _option("allow", "acp.review.keep"),
            _option("reject", "acp.review.undo", "reject_once"),
        ]
    if choices := args.get("options"):
        return [
            {"optionId": f"choice-{at}", "name": str(choice), "kind": "allow_once"}
            for at, choice in enumerate(choices)
        ]
    outside = bool(args.get("outside_sandbox"))
    options = [_option("allow", "acp.call.outside" if outside else "acp.call.yes")]
    if rule := str(request.get("always") or ""):
        options.append(_option("thread", "acp.call.thread", "allow_always", rule=rule))
        options.append(_option("always", "acp.call.always", "allow_always", rule=rule))
    return [*options, _option("reject", "acp.call.no", "reject_once")]


def _option(option_id: str, key: str, kind: str = "allow_once", **values: str) -> Option:
    return {"optionId": option_id, "name": t(key, **values), "kind": kind}


def read_decision(option_id: str, request: Mapping[str, Any]) -> Decision:
    """Return the decision of the option that the user has chosen."""
    if option_id.startswith("choice-"):
        choices: Sequence[object] = request["args"]["options"]
        number = option_id.removeprefix("choice-")
        if number.isdecimal() and int(number) < len(choices):
            return {"type": "respond", "message": str(choices[int(number)])}
    match option_id:
        case "allow":
            return {"type": "approve"}
        case "thread" if request.get("always"):
            return {"type": "approve", "for_thread": True}
        case "always" if request.get("always"):
            return {"type": "approve", "always": str(request["always"])}
        case _:  # also what was never offered
            return {"type": "reject", "message": ""}


def build_answer(question: Question, decisions: Sequence[Decision]) -> Answer | None:
    """Return the answer with these decisions; None where it leaves a limit as it is."""
    if question.kind == "limit":
        is_yes = decisions[0]["type"] == "approve"
        return question.allow() if is_yes else None
    return Answer(decisions=decisions, question=question.id)


def build_form(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an elicitation: a server's form or page, or a text of the user."""
    message = translate_stored(str(request.get("description") or ""))
    if "url" in request:
        page = {"mode": "url", "url": request["url"], "elicitationId": request["url"]}
        return {**page, "message": message}
    args = as_object(dict(request.get("args") or {}))
    schema = request.get("form") or {
        "type": "object",
        "properties": {ANSWER: _answer_schema(args.get("options"))},
        "required": [ANSWER],
    }
    words = str(args.get("question") or args.get("response") or message)
    return {"mode": "form", "message": words, "requestedSchema": schema}


def _answer_schema(options: object) -> dict[str, Any]:
    names = list(map(str, cast("Sequence[object]", options))) if options else []
    hint = text("or one of: {names}", names=", ".join(names)) if names else ""
    return {"type": "string", "title": t("acp.answer")} | ({"description": hint} if hint else {})


def read_form(result: object, request: Mapping[str, Any]) -> Decision | None:
    """Return the decision of an elicitation's result; None: it was left open."""
    fields = as_object(result)
    if fields.get("action") == "decline":
        return {"type": "reject", "message": ""}
    if fields.get("action") != "accept":
        return None
    if "url" in request:
        return {"type": "approve"}
    content = as_object(fields.get("content"))
    if "form" in request:
        action = {"name": request["name"], "args": content}
        return {"type": "edit", "edited_action": action}
    words = str(content.get(ANSWER) or "")
    return {"type": "respond", "message": words} if words.strip() else None
