"""The node that checks the goal of a message: the turn ends when the project's tests pass.

It runs as a task's tests do, under the same mode, trust and questions; it allows nothing more.
"""

from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from ..config.text import text
from .approval.test_consent import find_question, find_socket_question
from .events.progress import EvidenceFound, Notice, Repair
from .run.context import Context
from .run.emit import emit
from .run.modes import build_note
from .state import State
from .testing.deleted_tests import reject_deleted_tests
from .testing.test_commands import find_commands, show_commands
from .verify import create_record, format_red_tests, run_proof

NOT_REACHED = "the goal is not reached after {count} repair rounds: {reason}"
NOT_CHECKED = "the goal was not checked: {reason}"
GoalTransition = Command[Literal["check", "build", "__end__"]]


async def check_goal(state: State, runtime: Runtime[Context]) -> GoalTransition:
    """End the turn if the tests pass; else back to the model, or stop at the limit of rounds.

    A resume grants as many rounds again; the tests run first, since the files may have changed.
    """
    deps = await runtime.context.open_dependencies(state)
    commands = await find_commands(state, runtime, deps)
    command_line = show_commands(commands)
    asked = find_question(state, deps, command_line)
    if asked != state.get("asked", []):
        return Command(goto="check", update={"asked": asked})
    record = create_record(state, runtime, deps)
    proof = await run_proof(state, record, commands)
    evidence = await reject_deleted_tests(proof.evidence, state, runtime)
    emit(runtime, EvidenceFound(**evidence))
    baseline = {"baseline": proof.baseline} if proof.baseline else {}
    update: dict[str, Any] = {
        **await record.build_update(),
        **proof.consents,
        **baseline,
        "evidence": evidence,
        "asked": find_socket_question(state, deps, command_line, missed=proof.misses_socket),
    }
    if update["asked"]:
        return Command(goto="check", update=update)
    if evidence["verdict"] == "passed":
        return Command(goto="__end__", update={**update, "outcome": "answered"})
    if evidence["verdict"] == "unverified":
        emit(runtime, Notice(text(NOT_CHECKED, reason=evidence["reason"])))
        return Command(goto="__end__", update={**update, "outcome": "failed"})
    rounds, allowed = state.get("rounds", 0), deps.settings.task.repair_rounds
    if rounds >= allowed:
        description = text(NOT_REACHED, count=rounds, reason=evidence["reason"])
        interrupt({"type": "limit", "description": description})
        rounds = 0
    emit(runtime, Repair(round=rounds + 1, of=max(allowed, 1)))
    update["messages"] = [build_note("build", format_red_tests(evidence))]
    return Command(goto="build", update={**update, "rounds": rounds + 1})
