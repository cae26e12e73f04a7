"""The node that runs the project's own tests and records the result: the only way to `verified`.

The test command is repeatable by contract, so it needs no journal: an interrupted run starts again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.shell.named_paths import find_named_paths
from ..tools.testing.command import TestCommand
from .approval.test_consent import (
    UNIX_SOCKETS,
    add_consent,
    ask_consent,
    find_question,
    find_socket_question,
    with_consents,
)
from .events.progress import EvidenceFound
from .run.context import Context
from .run.dependencies import Dependencies
from .run.emit import emit
from .run.message_history import build_role_message
from .run.repair_rounds import send_back
from .run.snapshot_recorder import FileRecord
from .state import Evidence, State
from .testing.deleted_tests import reject_deleted_tests
from .testing.evidence import build_unverified
from .testing.generation import (
    build_rejection,
    build_tests_before,
    evaluate_written_tests,
    is_generating,
    needs_first_run,
)
from .testing.proof import Proof, run_first_time, run_until_stable
from .testing.test_commands import find_commands, show_commands

NOT_FOUND = "no tests were found: run `mcode test detect`, or configure `task.test_command`"
UNTRUSTED = "the folder is not trusted, so its tests were not run; `mcode trust` lets them run"
REFUSED = "the test command was not allowed to run"
RED = """The project's tests are red. Find the cause and repair it; do not weaken the tests.

`{command}`: {reason}

{tail}"""
BEFORE = """

These tests were red before your change, so they do not count; repair them only if the request asks
for it:
{names}"""
ALL_BEFORE = """The project's tests are red, as they were before your change.

`{command}`: {reason}

{tail}

If the request was to make them pass, find the cause and repair it. If the cause lies outside of the
request (a package that is not installed, a missing service), change nothing for it: say so in your
report. Do not weaken the tests."""
GREEN = """The request was:

{request}

The coder reports:

{summary}"""
RAN = """

The evidence: `{command}`: {reason}. Judge the change."""
NOT_RUN = """

No tests have run: {reason}. Judge the change."""
STILL_RED = """

These tests are red, and were red before the change. If the request asks to repair them, reject:
{names}"""


async def verify(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "coder", "tester", "review"]]:
    """Go to the tester, or to the review if it already accepted; go to the coder on failure."""
    deps = await runtime.context.open_dependencies(state)
    commands = await find_commands(state, runtime, deps)
    command_line = show_commands(commands)
    asked = find_question(state, deps, command_line)
    if asked != state.get("asked", []):
        return Command(goto="verify", update={"asked": asked})
    record = create_record(state, runtime, deps)
    proof = await run_proof(state, record, commands)
    baseline = {"baseline": proof.baseline} if proof.baseline else {}
    if needs_first_run(state):
        update = {**await record.build_update(), **proof.consents, **baseline, "asked": []}
        before = build_tests_before(proof.evidence)
        return Command(goto="tester", update={**update, "tests_before": before})
    evidence = proof.evidence
    if evidence["reason"] not in (REFUSED, UNTRUSTED):
        evidence = await reject_deleted_tests(evidence, state, runtime)
    if is_generating(state):
        evidence = await evaluate_written_tests(evidence, state, runtime)
    emit(runtime, EvidenceFound(**evidence))
    update: dict[str, Any] = {
        **await record.build_update(),
        **proof.consents,
        "evidence": evidence,
        "asked": find_socket_question(state, deps, command_line, missed=proof.misses_socket),
        "proven": True,
        **baseline,
    }
    if update["asked"]:
        return Command(goto="verify", update=update)
    if evidence["verdict"] == "failed":
        repair_request = _build_repair_request(state, evidence)
        goto, update = await send_back(state, runtime, update, repair_request)
        return Command(goto=goto, update=update)
    if state.get("accepted"):
        return Command(goto="review", update=update)
    text = GREEN.format(request=state["request"], summary=state.get("summary", ""))
    text += (RAN if evidence["command"] else NOT_RUN).format(**evidence)
    update["messages"] = [build_role_message("tester", text + _list_names(STILL_RED, evidence))]
    return Command(goto="tester", update=update)


def _build_repair_request(state: State, evidence: Evidence) -> HumanMessage:
    if is_generating(state):
        return build_rejection(evidence, _list_names(BEFORE, evidence))
    return build_role_message("coder", format_red_tests(evidence))


def format_red_tests(evidence: Evidence) -> str:
    """Return what a model is told of red tests."""
    already = evidence.get("already_red", [])
    if already and {*already} == {*evidence.get("failing", [])}:
        return ALL_BEFORE.format(**evidence)
    return RED.format(**evidence) + _list_names(BEFORE, evidence)


def _list_names(template: str, evidence: Evidence) -> str:
    """Return the tests that were red before, for a model; empty if there are none."""
    names = "\n".join(f"- {name}" for name in evidence.get("already_red", []))
    return template.format(names=names) if names else ""


def create_record(state: State, runtime: Runtime[Context], deps: Dependencies) -> FileRecord:
    """Create the record of what the tests change in files."""
    info, turn = runtime.execution_info, state.get("turn", 1)
    key = f"tests-{info.task_id if info else 'none'}"  # the same after an interrupted run
    return FileRecord(deps, runtime, key, "shell", "verify", turn, state.get("tree", ""))


async def run_proof(state: State, record: FileRecord, commands: Sequence[TestCommand]) -> Proof:
    """Run the tests if the user and the mode let them; the evidence says why they did not run."""
    await record.take_snapshot()
    deps, asked, command_line = record.deps, state.get("asked", []), show_commands(commands)
    if not commands:
        reason = NOT_FOUND if deps.trust.trusted else UNTRUSTED
        return Proof(build_unverified(reason, record.tree))
    refused = Proof(build_unverified(REFUSED, record.tree, command_line))
    if deps.policy.mode == "read-only":
        return refused
    approved = not asked or await asyncio.to_thread(ask_consent, asked, deps)
    update = add_consent(state, asked, approved=approved)
    before = state.get("evidence") if UNIX_SOCKETS in asked[2:] else None
    if not approved:
        return replace(refused, evidence=before or refused.evidence, consents=update)
    record.named = await asyncio.to_thread(find_named_paths, command_line, ".", deps.workspace.root)
    await asyncio.to_thread(record.begin)
    consents = update.get("consents", state.get("consents", {}))
    run_deps = with_consents(deps, consents)
    if needs_first_run(state):
        proof = await run_first_time(record, commands, run_deps)
    else:
        proof = await run_until_stable(state, record, commands, run_deps)
    await record.finish()
    return replace(proof, consents=update)
