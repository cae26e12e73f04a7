"""`mcode task` against a server and a model that do everything wrong, one fault after the other.

One thread meets every fault that can be got over, a second one every fault that ends a run and is
resumed after each. Every good answer writes a line of its own, so the log shows what ran twice.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults import ACCEPTED, ANSWERED, ENDING, REPEATED, Answer, Fault, says
from program import KEY, Ended, Program
from provider import Provider, Request

# each voyage is made once, in one of the processes that share the suite, however slow that is
pytestmark = pytest.mark.timeout(400)

GOOD = 'test -s log.txt && test -z "$(sort log.txt | uniq -d)"'
"""The project's own test: no line is there twice."""
LAST = [{"text": "Every line is written."}, {"text": "Accepted: no line is there twice."}]


@dataclass(frozen=True)
class Voyage:
    """A thread that met faults one after the other."""

    program: Program
    runs: list[Ended]
    requests: list[Request]
    faults: list[Fault]

    def requests_of(self, fault: Fault) -> list[Request]:
        """The requests that met the fault, and the one that was answered well."""
        before = self.faults[: self.faults.index(fault)]
        first = 1 + sum(len(earlier.answers) + 1 for earlier in before)
        return self.requests[first : first + len(fault.answers) + 1]


def _answers(faults: Sequence[Fault]) -> list[Answer]:
    met = [[*fault.answers, says(fault.name)] for fault in faults]
    return [{"text": "SMALL: log.txt"}, *(answer for each in met for answer in each), *LAST]


def _program(folder: Path, provider: Provider) -> Program:
    return Program(folder, provider.url, {"LLC_TASK__TEST_COMMAND": GOOD})


@pytest.fixture(scope="module")
def weathered(tmp_path_factory: pytest.TempPathFactory) -> Voyage:
    """One process that meets every fault that can be got over."""
    faults = [*REPEATED, *ANSWERED, *ACCEPTED]
    with Provider() as provider:
        provider.script(_answers(faults))
        program = _program(tmp_path_factory.mktemp("weathered"), provider)
        ended = program.task("--mode", "auto", "--apply")
    return Voyage(program, [ended], provider.requests, faults)


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Voyage:
    """A thread that every fault of `ENDING` ends, each time resumed by another process."""
    with Provider() as provider:
        provider.script(_answers(ENDING))
        program = _program(tmp_path_factory.mktemp("resumed"), provider)
        runs: list[Ended] = []
        for fault in (*ENDING, None):
            runs.append(_go_on(program, runs, fault.retries if fault else None))
    return Voyage(program, runs, provider.requests, ENDING)


def _go_on(program: Program, runs: list[Ended], retries: int | None) -> Ended:
    """Begin the task, or resume it as soon as there is a thread."""
    # else what is refused as too long goes on shortened: tests/e2e/test_compaction.py
    environ = {"LLC_CONTEXT__AUTO_COMPACT": "false"}
    if retries is not None:
        environ["LLC_MODEL__MAX_RETRIES"] = str(retries)
    if runs:
        return program.resume(runs[0].events[0]["thread_id"], **environ)
    return program.task("--mode", "auto", "--apply", **environ)


def test_recoverable_faults_are_all_recovered(weathered: Voyage) -> None:
    ended = weathered.runs[0]
    assert (ended.code, ended.outcome, ended.stderr) == (0, "verified", "")


def test_repeatedly_failed_thread_ends_verified(resumed: Voyage) -> None:
    ended = resumed.runs[-1]
    assert (ended.code, ended.outcome, ended.stderr) == (0, "verified", "")


@pytest.mark.parametrize("voyage", ["weathered", "resumed"])
def test_no_call_runs_twice_and_none_is_lost(voyage: str, request: pytest.FixtureRequest) -> None:
    met: Voyage = request.getfixturevalue(voyage)
    lines = [line for fault in met.faults for line in (*fault.writes, fault.name)]
    assert met.program.lines() == lines


@pytest.mark.parametrize("voyage", ["weathered", "resumed"])
def test_the_key_is_nowhere_to_be_seen(voyage: str, request: pytest.FixtureRequest) -> None:
    met: Voyage = request.getfixturevalue(voyage)
    assert all(f"Bearer {KEY}" in seen.headers.values() for seen in met.requests)
    assert all(KEY not in run.stdout + run.stderr for run in met.runs)
    assert met.program.files_with(KEY) == []
    assert met.program.files_with(f"echo {met.faults[0].name} >> log.txt")  # they are searched
    assert not (met.program.home / "data" / "errors").exists()


@pytest.mark.parametrize("fault", REPEATED, ids=lambda fault: fault.name)
def test_a_request_is_repeated_byte_for_byte(fault: Fault, weathered: Voyage) -> None:
    requests = weathered.requests_of(fault)
    assert len({request.raw for request in requests}) == 1


@pytest.mark.parametrize("fault", REPEATED, ids=lambda fault: fault.name)
def test_retry_shows_the_user_its_reason(fault: Fault, weathered: Voyage) -> None:
    retries, at = weathered.runs[0].told("retry"), REPEATED.index(fault)
    first = sum(len(earlier.answers) for earlier in REPEATED[:at])
    retry = retries[first : first + len(fault.answers)]
    assert [event["attempt"] for event in retry] == list(range(1, len(fault.answers) + 1))
    assert all(fault.told in event["reason"] for event in retry)


@pytest.mark.parametrize(("name", "seconds"), [("too-many", 1.0), ("too-many-ms", 0.7)])
def test_the_server_is_not_asked_before_it_wishes(
    name: str, seconds: float, weathered: Voyage
) -> None:
    fault = next(fault for fault in REPEATED if fault.name == name)
    first, second = weathered.requests_of(fault)
    assert second.at - first.at >= seconds


@pytest.mark.parametrize("fault", ANSWERED, ids=lambda fault: fault.name)
def test_invalid_call_returns_its_error_to_the_model(fault: Fault, weathered: Voyage) -> None:
    answers = _answers_after(*weathered.requests_of(fault))
    assert fault.told in "\n".join(answers)


@pytest.mark.parametrize("fault", [*ANSWERED, *ACCEPTED], ids=lambda fault: fault.name)
def test_every_call_has_one_answer_with_unique_id(fault: Fault, weathered: Voyage) -> None:
    messages = weathered.requests_of(fault)[-1].body["messages"]
    asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert sorted(asked) == sorted(m["tool_call_id"] for m in messages if m["role"] == "tool")
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize("fault", ENDING, ids=lambda fault: fault.name)
def test_unrecoverable_run_ends_with_clear_message(fault: Fault, resumed: Voyage) -> None:
    ended = resumed.runs[ENDING.index(fault)]
    assert (ended.code, ended.last["type"], ended.stderr) == (fault.code, "error", "")
    assert ended.last["exit_code"] == fault.code and ended.last["hint"]
    assert fault.told in f"{ended.last['message']} {ended.last['hint']}"
    assert not re.search("internal error|Traceback", ended.stdout)


@pytest.mark.parametrize("fault", ENDING, ids=lambda fault: fault.name)
def test_resumed_process_sends_identical_request(fault: Fault, resumed: Voyage) -> None:
    requests = resumed.requests_of(fault)
    assert len({request.raw for request in requests}) == 1


def _answers_after(before: Request, after: Request) -> list[str]:
    """What the tools answered between two requests."""
    messages = after.body["messages"][len(before.body["messages"]) :]
    return [message["content"] for message in messages if message["role"] == "tool"]


CUT = {"text": "Let me look at", "finish_reason": "length"}


@pytest.mark.parametrize(
    "at", range(1, 5), ids=("architect", "coder", "coder at the end", "tester")
)
def test_truncated_final_answer_does_not_count(
    at: int, program: Program, provider: Provider
) -> None:
    good = _answers([Fault("one", [], "")])
    provider.script([*good[: at - 1], CUT, *good[at - 1 :]])
    ended = program.task("--mode", "auto", "--apply", LLC_TASK__TEST_COMMAND=GOOD)
    assert (ended.code, ended.outcome, len(provider.requests)) == (0, "verified", len(good) + 1)
    assert (ended.last["summary"], ended.told("plan")) == ("Every line is written.", [])
    assert "cut" in provider.requests[at].body["messages"][-1]["content"]


def test_repeatedly_truncated_answer_ends_run_with_message(
    program: Program, provider: Provider
) -> None:
    provider.script([CUT, CUT, *_answers([Fault("one", [], "")])])
    ended = program.task("--mode", "auto", "--apply", LLC_TASK__TEST_COMMAND=GOOD)
    assert (ended.code, ended.last["type"], ended.stderr) == (1, "error", "")
    assert "cut" in ended.last["message"] and "max_tokens" in ended.last["hint"]
    again = program.resume(ended.last["thread_id"], LLC_TASK__TEST_COMMAND=GOOD)
    assert (again.code, again.outcome) == (0, "verified")
