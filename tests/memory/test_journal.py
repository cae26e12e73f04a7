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
from maxagent.memory.journal import Begun, Finished, Journal, Unfinished

KILLS = 30
CALLS = itertools.count()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "threads.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(Journal(path)) as journal:
        yield journal


def test_a_finished_call_answers_with_its_result(journal: Journal) -> None:
    assert journal.begin("t", "c1", "edit") == Begun()
    journal.finish("t", "c1", {"output": "done", "metadata": {"n": 1}})
    assert journal.begin("t", "c1", "edit") == Finished({"output": "done", "metadata": {"n": 1}})


def test_it_is_closed_behind_what_another_thread_is_just_doing(
    journal: Journal, path: Path
) -> None:
    """As a call does that was cancelled; SQLite crashes where its connection is taken away."""
    at_it = Event()

    def hear(_: object, event: str, called: object) -> None:
        if event == "c_call" and getattr(called, "__name__", "") == "execute":
            at_it.set()

    def begin() -> object:
        sys.setprofile(hear)
        return journal.begin("t", "c1", "edit")

    with closing(connect(path)) as other, ThreadPoolExecutor(2) as threads:
        other.execute("BEGIN IMMEDIATE")
        begun = threads.submit(begin)
        assert at_it.wait(20)
        closed = threads.submit(journal.close)
        assert not wait([begun, closed], 0.2).done
        other.execute("COMMIT")
        assert (begun.result(), closed.result()) == (Begun(), None)


def test_an_unfinished_call_is_not_begun_again(journal: Journal) -> None:
    journal.begin("t", "c1", "run_command")
    found = journal.begin("t", "c1", "run_command")
    assert isinstance(found, Unfinished)
    assert (found.tool, found.started_at[10:11]) == ("run_command", "T")


def test_an_unfinished_call_has_what_it_printed(journal: Journal) -> None:
    journal.begin("t", "c1", "run_command")
    for output in ("one\n", "one\ntwo\n"):
        journal.keep_output("t", "c1", output)
        known = journal.known("t", "c1")
        assert isinstance(known, Unfinished) and known.output == output
    journal.finish("t", "c1", {"output": "all"})
    journal.keep_output("t", "c1", "late")
    assert journal.known("t", "c1") == Finished({"output": "all"})


def test_an_answer_is_kept_for_its_checkpoint(journal: Journal) -> None:
    assert journal.answer_so_far("t", "one") == ""
    journal.keep_answer("t", "one", "Half")
    journal.keep_answer("t", "one", "Half of it")
    assert journal.answer_so_far("t", "one") == "Half of it"
    assert journal.answer_so_far("t", "two") == journal.answer_so_far("other", "one") == ""


def test_an_unfinished_call_that_only_reads_is_begun_again(journal: Journal) -> None:
    assert journal.begin("t", "c1", "grep", repeatable=True) == Begun()
    assert journal.begin("t", "c1", "grep", repeatable=True) == Begun()
    journal.finish("t", "c1", {})
    assert journal.begin("t", "c1", "grep", repeatable=True) == Finished({})


@pytest.mark.parametrize(("first", "then"), [(True, False), (False, True)])
def test_a_call_that_was_ever_said_to_have_an_effect_is_not_repeated(
    first: bool, then: bool, journal: Journal
) -> None:
    journal.begin("t", "c1", "tool", repeatable=first)
    assert isinstance(journal.begin("t", "c1", "tool", repeatable=then), Unfinished)


def test_threads_and_calls_are_apart(journal: Journal) -> None:
    journal.begin("t", "c1", "edit")
    assert journal.begin("t", "c2", "edit") == Begun()
    assert journal.begin("other", "c1", "edit") == Begun()


@pytest.mark.parametrize("times", [0, 2])
def test_a_call_is_finished_once_and_after_it_was_begun(times: int, journal: Journal) -> None:
    if times:
        journal.begin("t", "c1", "edit")
        journal.finish("t", "c1", {"n": 1})
    with pytest.raises(LookupError, match="call c1 of thread t was not started"):
        journal.finish("t", "c1", {"n": 2})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(result=st.dictionaries(st.text(), JSON))
def test_any_json_comes_back_as_it_was(result: dict[str, object], journal: Journal) -> None:
    call = f"c{next(CALLS)}"
    journal.begin("t", call, "tool")
    journal.finish("t", call, result)
    assert journal.begin("t", call, "tool") == Finished(result)


def test_half_a_surrogate_is_no_obstacle(journal: Journal) -> None:
    journal.begin("t", "c", "read_file")
    journal.finish("t", "c", {"output": "\udcff and \ud800"})
    assert journal.begin("t", "c", "read_file") == Finished({"output": "\udcff and \ud800"})


def test_of_many_threads_one_begins_a_call(path: Path) -> None:
    with (
        closing(Journal(path)) as mine,
        closing(Journal(path)) as other,
        ThreadPoolExecutor(8) as pool,
    ):
        found = list(pool.map(lambda journal: journal.begin("t", "c", "edit"), [mine, other] * 20))
    assert [type(one) for one in found].count(Begun) == 1
    assert [type(one) for one in found].count(Unfinished) == 39


def test_a_full_disk_is_told_and_the_call_is_not_said_to_be_begun(
    journal: Journal, path: Path
) -> None:
    connection = journal._connection  # the limit holds for this connection only
    connection.execute(f"PRAGMA max_page_count = {path.stat().st_size // 8192}")
    with pytest.raises(MaxAgentError, match="the disk is full"):
        for n in range(100):
            journal.begin("t", f"{n}" * 200, "edit")
    connection.execute("PRAGMA max_page_count = 10000")
    assert journal.begin("t", f"{n}" * 200, "edit") == Begun()


CALLS_UNTIL_KILLED = """
import itertools, sys
from pathlib import Path
from maxagent.memory.journal import Begun, Journal
journal, first = Journal(Path(sys.argv[1])), int(sys.argv[2])
for n in itertools.count(first):
    assert journal.begin("t", str(n), "append") == Begun(), n
    with open(sys.argv[3], "a") as effects:
        effects.write(f"{n}\\n")
    journal.finish("t", str(n), {"n": n, "padding": "x" * 3000})
    print(n, flush=True)
"""


def test_whatever_a_kill_hits_a_call_is_finished_or_known_to_be_open(path: Path) -> None:
    effects = path.with_name("effects")
    begun = 0
    for kill in range(KILLS):
        command = [sys.executable, "-c", CALLS_UNTIL_KILLED, str(path), str(begun), str(effects)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            told = [int(child.stdout.readline()) for _ in range(1 + kill % 5)]
            child.send_signal(signal.SIGKILL)
            told += [int(line) for line in child.stdout.read().splitlines()]
        assert told == list(range(begun, begun + len(told)))
        with closing(connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            rows = connection.execute("SELECT CAST(call_id AS INTEGER), state FROM journal")
            states = dict(rows.fetchall())
        assert all(states[n] == "done" for n in told)  # what was said to be finished is
        open_calls = [n for n, state in states.items() if n >= begun and state == "started"]
        assert len(open_calls) <= 1
        begun = max(states) + 1
    done_twice = [int(line) for line in effects.read_text().split()]
    assert len(done_twice) == len(set(done_twice))
    with closing(Journal(path)) as journal:
        for n in range(begun):
            assert not isinstance(journal.begin("t", str(n), "append"), Begun)
