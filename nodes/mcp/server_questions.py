"""A question of a server in place of a result, as an interrupt that any process can answer."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from ...tools.mcp.input_request import InputAnswer, InputAnswers, InputRequest, InputRequired
from ...tools.mcp.questions import describe_question, read_decision
from ...tools.mcp.tool_adapter import McpTool
from ..approval.decisions import parse_decisions
from ..run.interrupts import explain_refusal
from ..run.plain_answers import to_decisions


@dataclass(frozen=True)
class AskedQuestion:
    """What a server asks, and how much of it the user has answered."""

    required: InputRequired
    used: int = 0
    """How many answers of the user belong to earlier questions of the call."""
    answers: Mapping[str, InputAnswer] | None = None
    """The user's answers; None: not yet."""

    def as_json(self) -> dict[str, Any]:
        """Return it for the journal."""
        return {"required": asdict(self.required), "used": self.used}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AskedQuestion":
        """Return what the journal has."""
        required: dict[str, Any] = data["required"]
        requests = {key: InputRequest(**request) for key, request in required["requests"].items()}
        asked = InputRequired(requests, required["state"], required["round"])
        return cls(asked, data["used"])

    def answer_again(self, required: InputRequired) -> "tuple[InputAnswers, AskedQuestion] | None":
        """Return the same answers if the server has forgotten and asks the same once more.

        They are given a second time only.
        """
        if (
            self.answers is None
            or required.round > 1
            or required.requests != self.required.requests
        ):
            return None
        answers = InputAnswers(self.answers, required.state, required.round)
        return answers, replace(self, required=required, answers=None)


def ask_user(asked: AskedQuestion, tool: McpTool) -> tuple[InputAnswers, AskedQuestion]:
    """Return the user's answers; interrupts the run until there are some that fit."""
    requests = asked.required.requests
    question = _build_question(requests, tool)
    received = list[object]()
    while True:
        try:
            received.append(interrupt(question))
        except GraphInterrupt as again:
            # answers that came before this question was asked belong to earlier ones
            newest = received[-1] if len(received) > asked.used else None
            decided = to_decisions(newest, question["review_configs"])
            answers = _read_answers(decided, requests)
            if answers is None:
                raise again if newest is None else explain_refusal(again, question) from None
            settled = replace(asked, used=max(asked.used, len(received)), answers=answers)
            return InputAnswers(answers, asked.required.state, asked.required.round), settled


def _read_answers(
    answer: object, requests: Mapping[str, InputRequest]
) -> dict[str, InputAnswer] | None:
    """Return the answer to each request by its key; None if one does not fit."""
    decisions = parse_decisions(answer) if answer is not None else []
    if len(decisions) != len(requests):
        return None
    answers = {
        key: read_decision(decision, request)
        for (key, request), decision in zip(requests.items(), decisions, strict=True)
    }
    fitting = {key: input_answer for key, input_answer in answers.items() if input_answer}
    return fitting if len(fitting) == len(requests) else None


def _build_question(requests: Mapping[str, InputRequest], tool: McpTool) -> dict[str, Any]:
    described = [describe_question(request, tool) for request in requests.values()]
    return {
        "action_requests": [action for action, _ in described],
        "review_configs": [config for _, config in described],
    }
