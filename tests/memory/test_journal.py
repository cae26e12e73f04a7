import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.config.errors import MaxAgentError
from maxagent.memory.database.connection import connect
from maxagent.memory.journal import (
    AskedCall,
    FinishedCall,
    Journal,
    StartedCall,
    UnfinishedCall,
    list_outcomes,
)

KILLS = 30
CALLS = itertools.count()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "threads.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(Journal(path)) as journal:
        yield journal


def test_ended_calls_are_listed_from_a_time(journal: Journal, path: Path) -> None:
    results = [{"error": "it failed"}, {"error": ""}, {}, {"error": "again"}]
    for number, result in enumerate(results):
        journal.begin_call("thread", f"call-{number}", "run_command")
        journal.finish_call("thread", f"call-{number}", result)
    journal.begin_call("thread", "open", "run_command")
    with closing(connect(path)) as connection:
        assert list_outcomes(connection, "thread", "") == results
        assert list_outcomes(connection, "thread", "9999") == []
        assert list_outcomes(connection, "other", "") == []


def test_a_finished_call_answers_with_its_result(journal: Journal) -> None:
    assert journal.begin_call("t", "c1", "edit") == StartedCall()
    journal.finish_call("t", "c1", {"output": "done", "metadata": {"n": 1}})
    assert journal.begin_call("t", "c1", "edit") == FinishedCall(
        {"output": "done", "metadata": {"n": 1}}
    )


def test_a_question_of_a_call_waits_for_another_journal(journal: Journal, path: Path) -> None:
    journal.begin_call("t", "c1", "mcp_s_ask", repeatable=True)
    journal.ask_in_call("t", "c1", {"used": 1})
    with closing(Journal(path)) as other:
        assert other.find_call("t", "c1") == AskedCall({"used": 1})
        assert other.begin_call("t", "c1", "mcp_s_ask", repeatable=True) == AskedCall({"used": 1})
        other.continue_call("t", "c1")
    assert isinstance(journal.find_call("t", "c1"), UnfinishedCall)
    journal.finish_call("t", "c1", {"output": "done"})
    journal.ask_in_call("t", "c1", {"used": 2})
    assert journal.find_call("t", "c1") == FinishedCall({"output": "done"})


def test_close_waits_for_running_operation(journal: Journal, path: Path) -> None:
    """As a call does that was cancelled; SQLite crashes where its connection is taken away."""
    at_it = Event()

    def hear(_: object, event: str, called: object) -> None:
        if event == "c_call" and getattr(called, "__name__", "") == "execute":
            at_it.set()

    def begin() -> object:
        sys.setprofile(hear)
        return journal.begin_call("t", "c1", "edit")

    with closing(connect(path)) as other, ThreadPoolExecutor(2) as threads:
        other.execute("BEGIN IMMEDIATE")
        process = threads.submit(begin)
        assert at_it.wait(20)
        closed = threads.submit(journal.close)
        assert not wait([process, closed], 0.2).done
        other.execute("COMMIT")
        assert (process.result(), closed.result()) == (StartedCall(), None)


def test_an_unfinished_call_is_not_begun_again(journal: Journal) -> None:
    journal.begin_call("t", "c1", "run_command")
    result = journal.begin_call("t", "c1", "run_command")
    assert isinstance(result, UnfinishedCall)
    assert (result.tool, result.started_at[10:11]) == ("run_command", "T")


def test_an_unfinished_call_has_what_it_printed(journal: Journal) -> None:
    journal.begin_call("t", "c1", "run_command")
    for output in ("one\n", "one\ntwo\n"):
        journal.keep_output("t", "c1", output)
        existing = journal.find_call("t", "c1")
        assert isinstance(existing, UnfinishedCall) and existing.output == output
    journal.finish_call("t", "c1", {"output": "all"})
    journal.keep_output("t", "c1", "late")
    assert journal.find_call("t", "c1") == FinishedCall({"output": "all"})


def test_an_answer_is_kept_for_its_checkpoint(journal: Journal) -> None:
    assert journal.read_partial_answer("t", "one") == ""
    journal.keep_partial_answer("t", "one", "Half")
    journal.keep_partial_answer("t", "one", "Half of it")
    assert journal.read_partial_answer("t", "one") == "Half of it"
    assert (
        journal.read_partial_answer("t", "two") == journal.read_partial_answer("other", "one") == ""
    )


def test_unfinished_read_only_call_starts_again(journal: Journal) -> None:
    assert journal.begin_call("t", "c1", "grep", repeatable=True) == StartedCall()
    assert journal.begin_call("t", "c1", "grep", repeatable=True) == StartedCall()
    journal.finish_call("t", "c1", {})
    assert journal.begin_call("t", "c1", "grep", repeatable=True) == FinishedCall({})


@pytest.mark.parametrize(("first", "then"), [(True, False), (False, True)])
def test_call_once_recorded_as_effectful_is_not_repeated(
    first: bool, then: bool, journal: Journal
) -> None:
    journal.begin_call("t", "c1", "tool", repeatable=first)
    assert isinstance(journal.begin_call("t", "c1", "tool", repeatable=then), UnfinishedCall)


def test_threads_and_calls_are_apart(journal: Journal) -> None:
    journal.begin_call("t", "c1", "edit")
    assert journal.begin_call("t", "c2", "edit") == StartedCall()
    assert journal.begin_call("other", "c1", "edit") == StartedCall()


@pytest.mark.parametrize("times", [0, 2])
def test_call_finishes_once_and_only_after_start(times: int, journal: Journal) -> None:
    if times:
        journal.begin_call("t", "c1", "edit")
        journal.finish_call("t", "c1", {"n": 1})
    with pytest.raises(LookupError, match="call c1 of thread t was not started"):
        journal.finish_call("t", "c1", {"n": 2})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(result=st.dictionaries(st.text(), JSON))
def test_any_json_comes_back_as_it_was(result: dict[str, object], journal: Journal) -> None:
    call = f"c{next(CALLS)}"
    journal.begin_call("t", call, "tool")
    journal.finish_call("t", call, result)
    assert journal.begin_call("t", call, "tool") == FinishedCall(result)


def test_half_a_surrogate_is_no_obstacle(journal: Journal) -> None:
    journal.begin_call("t", "c", "read_file")
    journal.finish_call("t", "c", {"output": "\udcff and \ud800"})
    assert journal.begin_call("t", "c", "read_file") == FinishedCall(
        {"output": "\udcff and \ud800"}
    )


def test_of_many_threads_one_begins_a_call(path: Path) -> None:
    with (
        closing(Journal(path)) as mine,
        closing(Journal(path)) as other,
        ThreadPoolExecutor(8) as pool,
    ):
        result = list(
            pool.map(lambda journal: journal.begin_call("t", "c", "edit"), [mine, other] * 20)
        )
    assert [type(item) for item in result].count(StartedCall) == 1
    assert [type(item) for item in result].count(UnfinishedCall) == 39


def test_full_disk_is_reported_call_is_not_started(journal: Journal, path: Path) -> None:
    connection = journal._connection  # the limit holds for this connection only
    connection.execute(f"PRAGMA max_page_count = {path.stat().st_size // 8192}")
    with pytest.raises(MaxAgentError, match="the disk is full"):
        for n in range(100):
            journal.begin_call("t", f"{n}" * 200, "edit")
    connection.execute("PRAGMA max_page_count = 10000")
    assert journal.begin_call("t", f"{n}" * 200, "edit") == StartedCall()


CALLS_UNTIL_KILLED = """
import itertools, sys
from pathlib import Path
from maxagent.memory.journal import StartedCall, Journal
journal, first = Journal(Path(sys.argv[1])), int(sys.argv[2])
for n in itertools.count(first):
    assert journal.begin_call("t", str(n), "append") == StartedCall(), n
    with open(sys.argv[3], "a") as effects:
        effects.write(f"{n}\\n")
    journal.finish_call("t", str(n), {"n": n, "padding": "x" * 3000})
    print(n, flush=True)
"""


def test_after_kill_call_is_finished_or_open(path: Path) -> None:
    effects = path.with_name("effects")
    number = 0
    for kill in range(KILLS):
        command = [sys.executable, "-c", CALLS_UNTIL_KILLED, str(path), str(number), str(effects)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            indexes = [int(child.stdout.readline()) for _ in range(1 + kill % 5)]
            child.send_signal(signal.SIGKILL)
            indexes += [int(line) for line in child.stdout.read().splitlines()]
        assert indexes == list(range(number, number + len(indexes)))
        with closing(connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            rows = connection.execute("SELECT CAST(call_id AS INTEGER), state FROM journal")
            states = dict(rows.fetchall())
        assert all(states[n] == "done" for n in indexes)  # what was said to be finished is
        open_calls = [n for n, state in states.items() if n >= number and state == "started"]
        assert len(open_calls) <= 1
        number = max(states) + 1
    done_twice = [int(line) for line in effects.read_text().split()]
    assert len(done_twice) == len(set(done_twice))
    with closing(Journal(path)) as journal:
        for n in range(number):
            assert not isinstance(journal.begin_call("t", str(n), "append"), StartedCall)
