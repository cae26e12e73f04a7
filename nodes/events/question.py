"""The question that a run ends with, and the answers that fit it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from ...config.arguments import validate_arguments, validate_fields
from ...config.errors import UsageError
from ...config.text import text

QuestionKind = Literal["approval", "review", "switch", "limit", "pull_request"]

# The method of a question that makes each decision
_METHODS = {
    "approve": "`question.allow()`",
    "reject": "`question.deny(why)`",
    "respond": "`question.answer(text)`",
}
# The argument of each tool that asks in words; any other call is shown whole
_WORDS = {"ask_user": "question", "plan_mode_respond": "response"}


@dataclass(frozen=True)
class Answer:
    """The user's decision: the same for all requests, or one for each in `decisions`."""

    approve: bool = False
    reject: str | None = None
    """The reason; may be empty."""
    text: str | None = None
    """A text answer."""
    decisions: Sequence[Mapping[str, Any]] = ()
    """One for each request, in its order."""
    question: str = ""
    """ID of the question that was read; empty: any question of the thread. Only a yes to a question
    that was read extends the trust in a folder to what it showed.
    """
    parked: str | None = None
    """Prefix of the ID of the question to answer, if an earlier run showed it; None: any question
    of the thread.
    """
    turns: int = 0
    """At a limit: how many more model turns to grant; 0: as many as before."""

    def __post_init__(self) -> None:
        validate_fields(self)


@dataclass(frozen=True)
class Question:
    """The run waits for an answer, without a time limit; last event of the stream."""

    type: ClassVar[Literal["question"]] = "question"
    thread_id: str
    id: str
    """ID of the interrupt, which the answer names."""
    kind: QuestionKind
    action_requests: list[Mapping[str, Any]]
    """`name`, `args`, `description` of each call to decide; an edit also has its `diff`."""
    review_configs: list[Mapping[str, Any]]
    """`allowed_decisions` of each request, in the same order."""
    description: str = ""
    """The limit that was reached; empty otherwise."""
    until: str = ""
    """When the provider accepts requests again, in ISO 8601 and UTC; empty: unknown, or no limit of
    a provider."""
    provider: str = ""
    """The provider whose limit was reached; empty otherwise."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of the thread, as in `completion`."""
    agent: str = ""
    """The sub-agent that asks, such as `explore-1`; empty: the thread's own agent."""
    position: int = 1
    """Its place among the open questions, from 1."""
    count: int = 1
    """How many questions are open; each may be answered on its own, in any order."""
    others: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    """The other open questions, with these fields but for `usage` and `others`."""

    @property
    def text(self) -> str:
        """What is asked: the question of the model, or each call with the reason to ask."""
        requests = [_describe_request(request) for request in self.action_requests]
        return "\n".join(requests) or self.description

    @property
    def needs_text(self) -> bool:
        """Whether only `answer` fits, since it asks for words."""
        allowed = [config["allowed_decisions"] for config in self.review_configs]
        return any("respond" in names and "approve" not in names for names in allowed)

    def allow(self) -> Answer:
        """Build a yes: all its calls may run; at a limit, as much again is granted."""
        return self._build(Answer(approve=True), "approve")

    @validate_arguments
    def deny(self, reason: str = "") -> Answer:
        """Build a no, with the reason that the model reads; not for a limit."""
        return self._build(Answer(reject=reason), "reject")

    @validate_arguments
    def answer(self, text: str) -> Answer:
        """Build an answer in words."""
        return self._build(Answer(text=text), "respond")

    @validate_arguments
    def extend(self, turns: int = 0) -> Answer:
        """Build a yes to a limit: so many more model turns; 0: as many as before."""
        if self.kind != "limit" or turns < 0:
            raise UsageError(
                "only a limit can be extended, by a number of turns",
                hint="use `question.allow()`, `question.deny(why)` or `question.answer(text)`",
            )
        return self._build(Answer(approve=True, turns=turns), "approve")

    def _build(self, answer: Answer, decision: str) -> Answer:
        check_decision(self.kind, self.review_configs, decision)
        return replace(answer, question=self.id)


def _describe_request(request: Mapping[str, Any]) -> str:
    args: Mapping[str, Any] = request.get("args", {})
    if words := args.get(_WORDS.get(request["name"], "")):
        return str(words)
    call = ", ".join(f"{name}={value!r}" for name, value in args.items())
    reason = request.get("description", "")
    return f"{request['name']}({call})" + (f": {reason}" if reason else "")


def check_decision(kind: str, review_configs: Sequence[Mapping[str, Any]], decision: str) -> None:
    """Raise UsageError if a request of the question does not accept this decision."""
    if kind == "limit":
        if decision != "approve":
            raise UsageError(
                "a limit is extended, or left as it is",
                hint="use `question.extend(turns)` or `question.allow()`",
            )
        return
    for config in review_configs:
        allowed = config["allowed_decisions"]
        if decision != "reject" and decision not in allowed:
            raise UsageError(
                text("`{config}` does not accept this answer", config=config["action_name"]),
                hint=text("use {options}", options=list_methods(allowed)),
            )


def list_methods(allowed: Sequence[str]) -> str:
    """Return the methods of a question that build these decisions."""
    return ", ".join(_METHODS[name] for name in allowed if name in _METHODS)
