"""The question before a project's tests run: when to ask, and what a yes allows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..run.dependencies import Dependencies
from ..run.interrupts import request_answer
from ..state import State
from .decisions import parse_decisions

# What a yes allows for the rest of the thread; the third item of the question
UNCONFINED, UNIX_SOCKETS = "unconfined", "unix_sockets"
_WHY = {
    "": "run the project's tests",
    UNCONFINED: "run the project's tests, which the model may have changed, without a sandbox; "
    "your approval applies to this thread",
    UNIX_SOCKETS: "run the project's tests again with unix sockets, which they seem to need and "
    "the sandbox denies; your approval applies to this thread",
}


def find_question(state: State, deps: Dependencies, command: str) -> list[str]:
    """Return the question as `State.asked` stores it: the command, its sandbox, what a yes allows.

    An open question stays, even if the mode has changed since. Starting a task is consent to run
    its tests in a sandbox, but not in the mode that asks for everything. Without a `command` there
    is nothing to ask.
    """
    if not command or deps.policy.mode == "read-only":
        return []
    run, waiting = [command, deps.sandbox.confinement], state.get("asked", [])
    if waiting[:2] == run:
        return waiting
    if deps.policy.mode == "ask":
        return run
    if _is_unconfined(deps) and not _get_consents(state).get(UNCONFINED):
        return [*run, UNCONFINED]
    return run if waiting else []


def find_socket_question(
    state: State, deps: Dependencies, command: str, *, missed: bool
) -> list[str]:
    """Return the question after a failed run that may need a unix socket; asked in every mode."""
    if not missed or not command or UNIX_SOCKETS in _get_consents(state):
        return []
    return [command, deps.sandbox.confinement, UNIX_SOCKETS]


def ask_consent(asked: Sequence[str], deps: Dependencies) -> bool:
    """Return whether the user agrees; interrupts the run until there is an answer."""
    command, _, kind, *_ = (*asked, "")
    sandbox = deps.sandbox.with_unix_sockets() if kind == UNIX_SOCKETS else deps.sandbox
    request = {
        "name": "run_tests",
        "args": {"command": command},
        "description": _WHY[kind],
        "sandbox": sandbox.confinement,
    }
    review = {"action_name": "run_tests", "allowed_decisions": ["approve", "reject"]}
    question = {"action_requests": [request], "review_configs": [review]}
    return request_answer(question, _parse_decision) == "approve"


def add_consent(state: State, asked: Sequence[str], *, approved: bool) -> dict[str, Any]:
    """Return the state update that stores an answer: each yes, and a no to unix sockets."""
    kind = asked[2] if len(asked) > 2 else ""
    if not kind or (kind == UNCONFINED and not approved):
        return {}
    return {"consents": {**_get_consents(state), kind: approved}}


def with_consents(deps: Dependencies, consents: Mapping[str, bool]) -> Dependencies:
    """Return the dependencies with the sandbox in which the tests may run."""
    if not consents.get(UNIX_SOCKETS):
        return deps
    return replace(deps, sandbox=deps.sandbox.with_unix_sockets())


def _is_unconfined(deps: Dependencies) -> bool:
    """Return whether the model's own code would run unconfined and without the user's consent."""
    own = deps.settings.task.test_command and "task.test_command" not in deps.from_project
    return deps.policy.mode == "edits" and not deps.sandbox.is_on and not own


def _get_consents(state: State) -> Mapping[str, bool]:
    return state.get("consents", {})


def _parse_decision(answer: object) -> str | None:
    decisions = parse_decisions(answer) or [{}]
    return decisions[0].get("type")
