"""The node that runs the project's own tests and records the result: the only way to `verified`.

The test command is repeatable by contract, so it needs no journal: an interrupted run starts again.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.text import text
from ..memory.snapshots.file_version import filter_visible
from ..memory.undo.change_chains import compute_net_changes
from ..tools.runtime.test_frameworks import TestCommand, detect_test_command, is_test_file
from ..tools.runtime.test_runner import TestRun, evaluate_run, run_tests
from ..tools.shell.named_paths import find_named_paths
from .agent.context import Context
from .agent.dependencies import Dependencies
from .agent.emit import emit_event
from .agent.message_history import build_role_message
from .agent.repair_rounds import send_back
from .agent.snapshot_recorder import FileRecord
from .approval.test_consent import (
    UNIX_SOCKETS,
    add_consent,
    ask_consent,
    find_question,
    find_socket_question,
    with_consents,
)
from .review import list_job_entries
from .state import Evidence, State

# Characters of the output that are kept in State, which every checkpoint repeats
SHOWN_TAIL = 3_000
NOT_FOUND = "no tests were found: no pytest project and no `task.test_command` is configured"
UNTRUSTED = "the folder is not trusted, so its tests were not run: `mcode trust`"
MOVING = "`{path}` changed while the tests ran, so the result is not for the current files"
REFUSED = "the test command was not allowed to run"
DELETED = "`{path}` was deleted, and no tests are left"
NO_SOCKETS = "{reason}; the sandbox may be why: it denies unix sockets (`sandbox.unix_sockets`)"
RED = """The project's tests are red. Find the cause and repair it; do not weaken the tests.

`{command}`: {reason}

{tail}"""
GREEN = """The request was:

{request}

The coder reports:

{summary}

The evidence: `{command}`: {reason}. Judge the change."""


@dataclass(frozen=True)
class _Proof:
    """The result of the tests."""

    evidence: Evidence
    misses_socket: bool = False
    consents: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The user's answer to store, as an update."""


async def verify(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "coder", "tester", "review"]]:
    """Go to the tester, or to the review if it already accepted; go to the coder on failure."""
    deps = await runtime.context.open_dependencies(state)
    command = await _find_command(state, deps)
    asked = find_question(state, deps, command)
    if asked != state.get("asked", []):
        return Command(goto="verify", update={"asked": asked})
    record = _create_record(state, runtime, deps)
    proof = await _run_proof(state, record, command)
    evidence = await _reject_deleted_tests(proof.evidence, state, runtime)
    emit_event(runtime, "evidence", **evidence)
    update: dict[str, Any] = {
        **await record.build_update(),
        **proof.consents,
        "evidence": evidence,
        "asked": find_socket_question(state, deps, command, missed=proof.misses_socket),
        "proven": True,
    }
    if update["asked"]:
        return Command(goto="verify", update=update)
    if evidence["verdict"] == "failed":
        told = build_role_message("coder", RED.format(**evidence))
        goto, update = await send_back(state, runtime, update, told)
        return Command(goto=goto, update=update)
    if state.get("accepted"):
        return Command(goto="review", update=update)
    text = GREEN.format(request=state["request"], summary=state.get("summary", ""), **evidence)
    update["messages"] = [build_role_message("tester", text)]
    return Command(goto="tester", update=update)


async def _reject_deleted_tests(
    evidence: Evidence, state: State, runtime: Runtime[Context]
) -> Evidence:
    """Return failed evidence if no tests are left since this job has deleted them."""
    is_tested = evidence["verdict"] != "unverified" or evidence["passed"]
    if is_tested or evidence["reason"] in (REFUSED, UNTRUSTED):
        return evidence
    changes = compute_net_changes(await list_job_entries(state, runtime))
    deleted = [PurePosixPath(one.path) for one in changes if one.kind == "deleted"]
    tests = [
        one for one in deleted if one.suffix == ".py" and is_test_file(one.name, one.parent.name)
    ]
    if not tests:
        return evidence
    return {**evidence, "verdict": "failed", "reason": text(DELETED, path=tests[0])}


async def _find_command(state: State, deps: Dependencies) -> TestCommand | None:
    """Return the test command; tests and a Python inside the project are the project's own code."""
    if not deps.trust.trusted:
        return None
    configured = deps.settings.task.test_command
    return await detect_test_command(Path(state["folder"]), configured, deps.sandbox)


def _create_record(state: State, runtime: Runtime[Context], deps: Dependencies) -> FileRecord:
    info, turn = runtime.execution_info, state.get("turn", 1)
    key = f"tests-{info.task_id if info else 'none'}"  # the same after an interrupted run
    return FileRecord(deps, runtime, key, "shell", "verify", turn, state.get("tree", ""))


async def _run_proof(state: State, record: FileRecord, command: TestCommand | None) -> _Proof:
    await record.take_snapshot()
    deps, asked = record.deps, state.get("asked", [])
    if command is None:
        return _Proof(
            _build_unverified(NOT_FOUND if deps.trust.trusted else UNTRUSTED, record.tree)
        )
    refused = _Proof(_build_unverified(REFUSED, record.tree, command.shown))
    if deps.policy.mode == "read-only":
        return refused
    approved = not asked or ask_consent(asked, deps)
    update = add_consent(state, asked, approved=approved)
    before = state.get("evidence") if UNIX_SOCKETS in asked[2:] else None
    if not approved:
        return replace(refused, evidence=before or refused.evidence, consents=update)
    shown, root = command.shown, deps.workspace.root
    record.named = await asyncio.to_thread(find_named_paths, shown, ".", root)
    await record.begin()
    consents = update.get("consents", state.get("consents", {}))
    proof = await _run_until_stable(record, command, with_consents(deps, consents))
    await record.finish()
    return replace(proof, consents=update)


async def _run_until_stable(record: FileRecord, command: TestCommand, deps: Dependencies) -> _Proof:
    """Run the tests; if files changed meanwhile, run them once more.

    Files that the second run changes again, such as a coverage file, are written by the tests.
    """
    first = await _run_command(record, command, deps)
    changed = await _find_changed_files(record, record.tree, first.evidence["tree"])
    if first.evidence["verdict"] != "passed" or not changed:
        return first
    again = await _run_command(record, command, deps)
    moved = (
        await _find_changed_files(record, first.evidence["tree"], again.evidence["tree"]) - changed
    )
    if again.evidence["verdict"] == "passed" and moved:
        reason = text(MOVING, path=min(moved))
        return _Proof({**again.evidence, "verdict": "unverified", "reason": reason})
    return again


async def _find_changed_files(record: FileRecord, old: str, new: str) -> set[str]:
    """Return existing files that changed; new files are not part of what was tested."""
    changes = await record.deps.snapshots.list_changes(old, new)
    return {change.path for change in filter_visible(changes) if change.kind != "added"}


async def _run_command(record: FileRecord, command: TestCommand, deps: Dependencies) -> _Proof:
    runtime = record.runtime
    emit_event(runtime, "verifying", command=command.shown)
    run = await run_tests(
        command,
        deps.workspace.root,
        deps.settings.task.test_timeout,
        lambda text: emit_event(runtime, "tool_output", id="verify", text=text),
        deps.sandbox,
    )
    # taken after the run: files that the tests write are part of what was tested
    evidence = _build_evidence(run, await deps.snapshots.take())
    if evidence["verdict"] != "failed" or not run.misses_socket:
        return _Proof(evidence)
    reason = text(NO_SOCKETS, reason=evidence["reason"])
    return _Proof({**evidence, "reason": reason}, misses_socket=True)


def _build_evidence(run: TestRun, tree: str) -> Evidence:
    judged = evaluate_run(run)
    return Evidence(
        command=run.command,
        verdict=judged.verdict,
        reason=judged.reason,
        exit_code=run.exit_code,
        passed=run.passed,
        failed=run.failed,
        errors=run.errors,
        skipped=run.skipped,
        tree=tree,
        tail=run.tail[-SHOWN_TAIL:],
    )


def _build_unverified(reason: str, tree: str, command: str = "") -> Evidence:
    return Evidence(
        command=command,
        verdict="unverified",
        reason=reason,
        exit_code=None,
        passed=None,
        failed=None,
        errors=None,
        skipped=None,
        tree=tree,
        tail="",
    )
