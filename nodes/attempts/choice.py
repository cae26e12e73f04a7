"""The user's choice among attempts that nothing has verified, and that nothing speaks against."""

import re
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from ...config.text import text
from ..approval.decisions import parse_decisions
from ..events.progress import Notice
from ..run.context import Context
from ..run.emit import emit
from ..run.interrupts import request_answer
from ..state import AttemptResult, State

CHOOSE = "No attempt is verified. Which one is kept? `mcode diff THREAD` shows its change."
OPTION = "attempt {number}: thread {thread}, {lines} lines; {reason}"
NOBODY = "none of them"
CHOSEN = "attempt {number} is kept: you chose it"
LEFT = "attempts without a verdict: {numbers}; read them with `mcode diff`"


def choose_undecided(state: State, runtime: Runtime[Context]) -> list[AttemptResult]:
    """Return the results, with the attempt that the user chooses marked if none is verified."""
    results = state.get("attempts", [])
    undecided = [result for result in results if result.get("undecided")]
    if not undecided or any(result["kept"] for result in results):
        return results
    if state.get("options", {}).get("apply"):
        numbers = ", ".join(str(result["number"]) for result in undecided)
        emit(runtime, Notice(text(LEFT, numbers=numbers)))
        return results
    allowed = [result["number"] for result in undecided]
    number = request_answer(_build_question(undecided), lambda answer: _parse(answer, allowed))
    if number:
        emit(runtime, Notice(text(CHOSEN, number=number)))
    return [
        {**result, "kept": True, "reason": text("you chose it")}
        if result["number"] == number
        else result
        for result in results
    ]


def _build_question(undecided: Sequence[AttemptResult]) -> dict[str, Any]:
    options = [
        text(
            OPTION,
            number=result["number"],
            thread=result["thread_id"][:8],
            lines=result["lines"],
            reason=result["reason"],
        )
        for result in undecided
    ]
    args = {"question": text(CHOOSE), "options": [*options, text(NOBODY)]}
    request = {"name": "choose_attempt", "args": args, "description": args["question"]}
    config = {"action_name": "choose_attempt", "allowed_decisions": ["respond"]}
    return {"action_requests": [request], "review_configs": [config]}


def _parse(answer: object, allowed: Sequence[int]) -> int | None:
    """Return the number of the chosen attempt; 0: none of them; None: the answer is not clear."""
    decision = (parse_decisions(answer) or [{}])[0]
    if decision.get("type") == "reject":
        return 0
    if decision.get("type") != "respond":
        return None
    words = str(decision.get("message") or "").strip()
    if words.casefold() in (NOBODY, "none", "no", "0"):
        return 0
    number = re.match(r"(?:attempt\s+)?#?([0-9])\b", words, re.IGNORECASE)
    return int(number[1]) if number and int(number[1]) in allowed else None
