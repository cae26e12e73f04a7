"""Run the project's own tests and keep what they showed: the only way to `verified`.

The test command is repeatable by contract, so it needs no journal: a run cut short runs again.
"""

from pathlib import Path
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.runtime.test_frameworks import TestCommand, detect
from ..tools.runtime.test_runner import TestRun, run_tests, verdict
from .agent.dependencies import Workbench, workbench
from .agent.emit import tell
from .agent.message_history import brief
from .agent.repair_rounds import send_back
from .agent.snapshot_recorder import FileRecord
from .approval.decisions import decisions_in
from .approval.evaluate import confinement
from .approval.interrupts import newest_answer
from .context import Context
from .state import Evidence, State

SHOWN_TAIL = 3_000
"""Characters of the output that are kept in State, which every checkpoint repeats."""
NOT_FOUND = "no tests were found: no pytest project and no `task.test_command` is configured"
UNTRUSTED = "the folder is not trusted, so its tests were not run: `mcode trust`"
MOVING = "`{path}` changed while the tests ran, so they prove nothing of the files as they are"
REFUSED = "the test command was not allowed to run"
RED = """The project's tests are red. Find the cause and repair it; do not weaken the tests.

`{command}` ended with exit code {exit_code}:

{tail}"""
GREEN = """The request was:

{request}

The coder reports:

{summary}

The evidence: `{command}`: {reason}. Judge the change."""


async def verify(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "coder", "tester", "review"]]:
    """Green goes to the tester, or to the review once the tester has accepted; red to the coder."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    command = await _command(state, bench)
    asked = [command.shown, confinement(bench)] if command and _must_ask(state, bench) else []
    if asked != state.get("asked", []):
        return Command(goto="verify", update={"asked": asked})
    record = _record(state, runtime, bench)
    evidence = await _evidence(state, record, command)
    tell(runtime, "evidence", **evidence)
    update: dict[str, Any] = {
        **await record.update(),
        "evidence": evidence,
        "asked": [],
        "proven": True,
    }
    if evidence["verdict"] == "failed":
        told = brief("coder", RED.format(**evidence))
        goto, update = await send_back(state, runtime, update, told)
        return Command(goto=goto, update=update)
    if state.get("accepted"):
        return Command(goto="review", update=update)
    text = GREEN.format(request=state["request"], summary=state.get("summary", ""), **evidence)
    update["messages"] = [brief("tester", text)]
    return Command(goto="tester", update=update)


async def _command(state: State, bench: Workbench) -> TestCommand | None:
    """Tests are the project's own code, and so is the Python that may lie in it."""
    if not bench.trust.trusted:
        return None
    configured = bench.settings.task.test_command
    return await detect(Path(state["folder"]), configured, bench.sandbox)


def _record(state: State, runtime: Runtime[Context], bench: Workbench) -> FileRecord:
    info, turn = runtime.execution_info, state.get("turn", 1)
    key = f"tests-{info.task_id if info else 'none'}"  # the same when a run cut short runs again
    return FileRecord(bench, runtime, key, "shell", "verify", turn, state.get("tree", ""))


async def _evidence(state: State, record: FileRecord, command: TestCommand | None) -> Evidence:
    await record.look()
    if command is None:
        trusted = record.bench.trust.trusted
        return _nothing(NOT_FOUND if trusted else UNTRUSTED, record.tree)
    if not _allowed(state, record.bench, command):
        return _nothing(REFUSED, record.tree, command.shown)
    await record.begin()
    evidence = await _tested(record, command)
    await record.finish()
    return evidence


async def _tested(record: FileRecord, command: TestCommand) -> Evidence:
    """Files that changed while the tests ran are not what was tested: then they run once more.

    What the second run changes again, such as a coverage file, is the tests' own.
    """
    evidence = await _run(record, command)
    changed = await _changed(record, record.tree, evidence["tree"])
    if evidence["verdict"] != "passed" or not changed:
        return evidence
    again = await _run(record, command)
    moved = await _changed(record, evidence["tree"], again["tree"]) - changed
    if again["verdict"] == "passed" and moved:
        return {**again, "verdict": "unverified", "reason": MOVING.format(path=min(moved))}
    return again


async def _changed(record: FileRecord, old: str, new: str) -> set[str]:
    """Files that were there before and are not the same now; new ones are no part of the proof."""
    changes = await record.bench.snapshots.changes(old, new)
    return {change.path for change in changes if change.kind != "added"}


async def _run(record: FileRecord, command: TestCommand) -> Evidence:
    bench, runtime = record.bench, record.runtime
    tell(runtime, "verifying", command=command.shown)
    run = await run_tests(
        command,
        bench.workspace.root,
        bench.settings.task.test_timeout,
        lambda text: tell(runtime, "tool_output", id="verify", text=text),
        bench.sandbox,
    )
    # taken after the run: files that the tests themselves write belong to what was tested
    return _shown(run, await bench.snapshots.take())


def _must_ask(state: State, bench: Workbench) -> bool:
    """Starting a task is consent to run its tests, but not in the mode that asks for everything.

    What is being asked stays asked, even where the mode has changed meanwhile.
    """
    mode = bench.policy.mode
    return mode == "ask" or (mode != "read-only" and bool(state.get("asked")))


def _allowed(state: State, bench: Workbench, command: TestCommand) -> bool:
    if bench.policy.mode == "read-only":
        return False
    if not state.get("asked"):
        return True
    request = {
        "name": "run_tests",
        "args": {"command": command.shown},
        "description": "run the project's tests",
        "sandbox": confinement(bench),
    }
    question = {
        "action_requests": [request],
        "review_configs": [
            {"action_name": "run_tests", "allowed_decisions": ["approve", "reject"]}
        ],
    }
    return newest_answer(question, _decision) == "approve"


def _decision(answer: object) -> str | None:
    decisions = decisions_in(answer) or [{}]
    return decisions[0].get("type")


def _shown(run: TestRun, tree: str) -> Evidence:
    judged = verdict(run)
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


def _nothing(reason: str, tree: str, command: str = "") -> Evidence:
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
