"""Evaluation of a tool call, and of the user's answer to it.

A call is evaluated twice by the same rules: by `evaluate_call` when the model sends it, by
`recheck_call` right before it runs. In between, the user answers, other calls run, and another
process may have other settings. The second time only a denial counts: `explain_refusal`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from langchain_core.messages.tool import ToolCall
from langchain_core.tools import BaseTool

from ...config.security.provenance import Provenance
from ...config.text import join_texts
from ...tools.consent.rule_record import provenances_from_json, provenances_to_json
from ...tools.definition import get_effect, get_schema, has_effect
from ...tools.mcp.tool_names import is_server_tool
from ...tools.permissions.decision import Decision
from ...tools.permissions.evaluate_tool import evaluate_tool_call
from ...tools.permissions.grants import READS
from ...tools.permissions.requested_approval import explain_request
from ...tools.permissions.restrictions import OUTSIDE
from ...tools.permissions.unasked_commands import CONFINED, COVERED, needs_outside
from ...tools.runtime.program_tools import get_digest
from ...tools.runtime.registry import canonical, describe_unknown_tool
from ...tools.textedits.unified_diff import build_diff, shorten_diff
from ..run.agent import Agent
from ..run.dependencies import Dependencies
from ..tool_task import PendingCall, list_named_files
from .call_origins import bind_call, explain_other_origins, list_origins
from .called_tools import find_tool_change
from .decisions import is_answer_to_shown_question, parse_decisions

if TYPE_CHECKING:
    from ...tools.mcp.tool_adapter import McpTool

REJECTED = "The user refused this call."
WITHOUT_REASON = " Do not try it again in another form."
WITH_REASON = " Do what they say instead: {reason}"
NOT_ALLOWED = "Not allowed: {reason}"
NOTHING_ASKED = "The user was not asked: `{name}` is empty. Call the tool again with it."
OTHER_SANDBOX = (
    "This call was allowed to run inside a sandbox ({then}), which is another one by now ({now}). "
    "It was not run; call it again"
)
NO_LONGER_READS = (
    "This command was to run unasked since it only reads, but what has happened meanwhile makes it "
    "do more: {reason}. It was not run; call it again"
)
OTHER_FILES = (
    "What this call names is another file than when it was allowed: a link on the way has "
    "changed. It was not run; call it again"
)
NOW_ASKED = (
    "What has happened since this call was allowed makes it one to be asked: {reason}. It was "
    "not run; call it again"
)
BLOCKED_INSIDE = "inside the sandbox it failed (`{blocked}`); run it once more: {reason}"
CHOICES = ("approve", "edit", "reject", "respond")
# Most characters of a diff in a question
MAX_DIFF_LENGTH = 20_000
# Rules that allow a command with side effects without asking
UNASKED = (CONFINED, COVERED)
EDITED = "The user changed this call before it ran, so keep their change.\n{args}"
# Characters of a text from which on the difference is shown
_MAX_SHOWN_ARGUMENT = 200


@dataclass(frozen=True)
class CallEvaluation:
    """The decision on one call."""

    call: PendingCall
    verdict: Literal["allow", "ask", "deny", "answered"]
    """`answered`: the user's text is the result, and the tool does not run."""
    reason: str = ""
    """The reason; for `deny` and `answered` the text that the model reads."""
    choices: tuple[str, ...] = ()
    """The decisions that the user can make."""
    diff: str = ""
    """What an edit would change, for the question."""
    refused: str | None = None
    """The user's reason for rejecting it; None if they did not."""
    suggested_rule: str = ""
    """The narrowest rule that would allow such calls from now on; empty if none should."""
    for_thread: bool = False
    """Whether the user has allowed such calls for the rest of the thread."""
    for_project: bool = False
    """Whether the user has allowed such calls in this project from now on."""
    earlier_origins: tuple[Provenance, ...] | None = None
    """What the call started when it was asked before; None: that has not changed since."""
    mode: Literal["", "edits"] = ""
    """The approval mode that the user has chosen for the rest of the thread; empty: as it is."""


class AskedOrigins(NamedTuple):
    """What an asked call started, and what it had started at an earlier question."""

    shown: tuple[Provenance, ...] = ()
    earlier: tuple[Provenance, ...] | None = None
    """None: there was none, or nothing has changed since."""


def compute_binding(evaluation: CallEvaluation) -> str:
    """Compute what an answer binds to, for `State.asked`: the exact call and its ID."""
    call = evaluation.call
    parts = [call["name"], call["args"], call.get("sandbox"), call.get("files")]
    parts += [call["instructions"]] if "instructions" in call else []
    parts += [call["definition"]] if "definition" in call else []
    origins = call.get("origins") or []
    parts += [origins] if origins else []
    exact = json.dumps(parts, sort_keys=True)
    digest = hashlib.sha256(exact.encode()).hexdigest()
    earlier = evaluation.earlier_origins
    bound = {"origins": origins}
    bound |= {} if earlier is None else {"earlier": provenances_to_json(earlier)}
    lines = [json.dumps(bound)] if origins or earlier is not None else []
    return "\n".join([call["id"], digest, *lines, *call.get("commands", ())])


def read_asked_origins(asked: Sequence[str]) -> dict[str, AskedOrigins]:
    """Return by the ID of an asked call what it started then, and at an earlier question."""
    asked_origins = dict[str, AskedOrigins]()
    for question in asked:
        call_id, _, bound, *_ = [*question.split("\n"), "", ""]
        asked_origins[call_id] = AskedOrigins()
        with suppress(ValueError, KeyError, TypeError):
            data = json.loads(bound)
            origins = provenances_from_json(data["origins"])
            earlier = provenances_from_json(data["earlier"]) if "earlier" in data else None
            asked_origins[call_id] = AskedOrigins(origins, earlier)
    return asked_origins


def extract_ids(asked: Sequence[str]) -> set[str]:
    """Extract the IDs of the calls in `State.asked`."""
    return {question.partition("\n")[0] for question in asked}


def evaluate_call(call: ToolCall, agent: Agent, refused: str = "") -> CallEvaluation:
    """Evaluate one call of the model; an unknown tool is denied, and the reason lists the tools.

    `refused` is why a server's tool cannot be called.
    """
    name, args = canonical(call["name"], call["args"])
    queued = PendingCall(id=call["id"] or "", name=name, args=args, notice="")
    if refused:
        return CallEvaluation(queued, "deny", refused)
    tool = agent.tools.get(name)
    if tool is None:
        return CallEvaluation(
            queued, "deny", describe_unknown_tool(call["name"], tuple(agent.tools))
        )
    evaluation = _move_outside(evaluate_queued(queued, tool, agent.deps), tool, agent.deps)
    reason = explain_request(name, call["args"], agent.deps.policy.mode)
    if evaluation.verdict == "allow" and reason:
        return replace(evaluation, verdict="ask", reason=reason)
    return evaluation


def evaluate_queued(queued: PendingCall, tool: BaseTool, deps: Dependencies) -> CallEvaluation:
    """Evaluate one call whose tool and arguments have their own names."""
    decision = evaluate_tool_call(tool, queued["args"], deps.workspace, deps.policy)
    queued = {
        **queued,
        "commands": list(decision.commands),
        "sandbox": deps.sandbox.confinement,
        "files": _list_edited_files(queued, tool, deps),
        "rule": decision.rule,
        "only_reads": decision.rule == READS,
    }
    if decision.verdict == "deny":
        return CallEvaluation(queued, "deny", NOT_ALLOWED.format(reason=decision.reason))
    if is_server_tool(tool):
        return _evaluate_server_call(queued, tool, decision, deps)
    if digest := get_digest(tool):  # it runs in the program's own process, and is bound to its code
        queued = {**queued, "sandbox": "", "definition": digest}
    if get_effect(tool) == "talk":
        required = get_schema(tool).get("required", ())
        if empty := [name for name in required if not str(queued["args"].get(name) or "").strip()]:
            return CallEvaluation(queued, "deny", NOTHING_ASKED.format(name=empty[0]))
        return CallEvaluation(queued, "ask", str(queued["args"].get("question", "")), ("respond",))
    return _build_evaluation(queued, decision)


def _evaluate_server_call(
    queued: PendingCall, tool: "McpTool", decision: Decision, deps: Dependencies
) -> CallEvaluation:
    """Evaluate a call of a server's tool; one that has changed since it was allowed is asked."""
    queued = {**queued, "sandbox": "", "definition": tool.definition.digest}
    if change := find_tool_change(tool, deps):
        diff = shorten_diff(change.diff, MAX_DIFF_LENGTH)
        always = decision.always if change.is_of_server else ""
        return CallEvaluation(queued, "ask", change.reason, CHOICES, diff, suggested_rule=always)
    return _build_evaluation(queued, decision)


def _build_evaluation(queued: PendingCall, decision: Decision) -> CallEvaluation:
    verdict: Literal["allow", "ask", "deny"] = decision.verdict
    return CallEvaluation(
        queued,
        verdict,
        decision.reason,
        CHOICES,
        decision.diff,
        suggested_rule=decision.always,
    )


def _move_outside(evaluation: CallEvaluation, tool: BaseTool, deps: Dependencies) -> CallEvaluation:
    """Ask to run the call outside of the sandbox if it is bound to fail inside."""
    call = evaluation.call
    if not needs_outside(evaluation.verdict, call.get("rule", ""), deps.policy):
        return evaluation
    outside = evaluate_queued(
        {**call, "args": {**call["args"], "outside_sandbox": True}}, tool, deps
    )
    return with_reason(outside, join_texts("; ", [evaluation.reason, OUTSIDE]))


def deny_missing_tool(call: PendingCall) -> CallEvaluation:
    """Deny a queued call whose tool the thread no longer has."""
    return CallEvaluation(call, "deny", f"no tool `{call['name']}` any more")


def with_reason(evaluation: CallEvaluation, reason: str) -> CallEvaluation:
    """Replace the reason of a call that is asked."""
    return replace(evaluation, reason=reason) if evaluation.verdict == "ask" else evaluation


def _list_edited_files(call: PendingCall, tool: BaseTool, deps: Dependencies) -> list[str]:
    return list_named_files(call, tool, deps.workspace) if get_effect(tool) == "edit" else []


def recheck_call(call: PendingCall, tool: BaseTool, deps: Dependencies) -> Decision:
    """Evaluate an allowed call again right before it runs."""
    return evaluate_tool_call(tool, call["args"], deps.workspace, deps.policy)


def explain_refusal(
    call: PendingCall, tool: BaseTool, decision: Decision, deps: Dependencies
) -> str:
    """Explain why an allowed call may no longer run; empty if it may."""
    if decision.verdict == "deny":
        return NOT_ALLOWED.format(reason=decision.reason)
    # the user allowed it inside this sandbox; another one may confine less
    confined = call.get("sandbox", "")
    if has_effect(tool) and confined and confined != deps.sandbox.confinement:
        return OTHER_SANDBOX.format(then=confined, now=deps.sandbox.state)
    # nobody was asked, since it only read: an earlier call may have changed its effect
    if call.get("only_reads") and decision.verdict != "allow":
        return NO_LONGER_READS.format(reason=decision.reason)
    # an earlier call may have replaced the file with a link
    if call.get("files", now := _list_edited_files(call, tool, deps)) != now:
        return OTHER_FILES
    if other := explain_other_origins(call, tool, deps):
        return other
    rule = call.get("rule", "")
    if rule in UNASKED and decision.verdict != "allow":
        return NOW_ASKED.format(reason=decision.reason)
    if _is_another_question(decision, rule):
        return NOW_ASKED.format(reason=decision.reason)
    return ""


def _is_another_question(decision: Decision, rule: str) -> bool:
    """Return whether a restriction of every mode asks now but did not when the call was allowed."""
    # a mode or rule that the user chose since then applies to later decisions only
    own = decision.rule in ("mode", "after_edit") or decision.rule.startswith(("ask ", "deny "))
    return bool(rule) and decision.verdict == "ask" and not own and decision.rule != rule


def apply_answer(
    asked: Sequence[CallEvaluation], answer: object, agent: Agent
) -> list[CallEvaluation] | None:
    """Apply the user's decisions; None if the answer does not fit the questions."""
    decisions = parse_decisions(answer)
    if len(decisions) != len(asked):
        return None
    asked = (
        asked
        if is_answer_to_shown_question(answer)
        else [_without_instructions(evaluation) for evaluation in asked]
    )
    settled = [
        _apply_decision(evaluation, decision, agent)
        for evaluation, decision in zip(asked, decisions, strict=True)
    ]
    return [evaluation for evaluation in settled if evaluation] if all(settled) else None


def _without_instructions(evaluation: CallEvaluation) -> CallEvaluation:
    """Drop the digests that would extend trust to a change that the user has not seen."""
    call = evaluation.call.copy()
    call.pop("instructions", None)
    return replace(evaluation, call=call)


def _apply_decision(
    evaluation: CallEvaluation, decision: Mapping[str, Any], agent: Agent
) -> CallEvaluation | None:
    kind = decision["type"]
    if kind not in evaluation.choices and kind != "reject":
        return None
    words = str(decision.get("message") or "")
    if kind == "approve":
        return _approve(evaluation, decision, agent)
    if kind == "respond":
        return replace(
            evaluation, verdict="answered", reason=words or str(decision.get("args") or "")
        )
    if kind == "reject":
        reason = REJECTED + (WITH_REASON.format(reason=words) if words else WITHOUT_REASON)
        return replace(evaluation, verdict="deny", reason=reason, refused=words)
    return _apply_edit(evaluation, decision, agent)


def _approve(
    evaluation: CallEvaluation, decision: Mapping[str, Any], agent: Agent
) -> CallEvaluation:
    """Allow the call, and its rule or all edits if the user wants that: no client widens it."""
    rule = evaluation.suggested_rule
    return replace(
        evaluation,
        verdict="allow",
        for_thread=decision.get("for_thread") is True and bool(rule),
        for_project=bool(rule) and decision.get("always") in (rule, True),
        mode="edits" if _can_allow_edits(evaluation, decision, agent) else "",
    )


def _can_allow_edits(evaluation: CallEvaluation, decision: Mapping[str, Any], agent: Agent) -> bool:
    """Return whether the yes to an edit is one to all edits: only `ask` is stricter than that."""
    tool = agent.tools.get(evaluation.call["name"])
    is_edit = tool is not None and get_effect(tool) == "edit"
    return decision.get("mode") == "edits" and is_edit and agent.deps.policy.mode == "ask"


def _describe_new_args(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """Describe for the model which arguments the user has changed; of a long text the lines."""
    lines = [f"`{name}` was left out" for name in before if name not in after]
    for name, new in after.items():
        old = before.get(name)
        if old == new and name in before:
            continue
        written = json.dumps(new, ensure_ascii=False)
        if isinstance(old, str) and isinstance(new, str) and len(written) > _MAX_SHOWN_ARGUMENT:
            diff = shorten_diff(build_diff(old, new, name), MAX_DIFF_LENGTH)
            lines.append(f"`{name}`, from yours to what ran:\n{diff}")
        else:
            lines.append(f"`{name}` was {written}")
    return "\n".join(lines)


def _apply_edit(
    evaluation: CallEvaluation, decision: Mapping[str, Any], agent: Agent
) -> CallEvaluation | None:
    """Evaluate the call as the user edited it; None if the answer names another tool."""
    edited_action = decision.get("edited_action") or decision.get("args")
    action = cast("dict[str, object]", edited_action) if isinstance(edited_action, dict) else {}
    args = action.get("args")
    if (
        not isinstance(args, dict)
        or action.get("name", evaluation.call["name"]) != evaluation.call["name"]
    ):
        return None
    args = cast("dict[str, Any]", args)
    notice = EDITED.format(args=_describe_new_args(evaluation.call["args"], args))
    queued = PendingCall(
        id=evaluation.call["id"], name=evaluation.call["name"], args=args, notice=notice
    )
    if "blocked" in evaluation.call:
        queued["blocked"] = evaluation.call["blocked"]
    if "hook" in evaluation.call:
        queued["hook"] = evaluation.call["hook"]
    checked = evaluate_queued(queued, agent.tools[queued["name"]], agent.deps)
    if checked.verdict != "ask":
        return checked
    # commands after the edit do not run unless the user was shown them
    shown_commands = evaluation.call.get("commands", [])
    commands = [
        command for command in checked.call.get("commands", []) if command in shown_commands
    ]
    edited_call: PendingCall = {**checked.call, "commands": commands}
    tool = agent.tools[queued["name"]]
    bound = bind_call(edited_call, list_origins(edited_call, tool, agent.deps))
    return replace(checked, verdict="allow", call=bound)
