from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maxagent.memory.threads.sub_runs import SubRun, SubRuns

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"
Begin = Callable[..., SubRun]


@pytest.fixture
def sub_runs(tmp_path: Path) -> SubRuns:
    return SubRuns(tmp_path / "data" / "threads.db")


@pytest.fixture
def begin(sub_runs: SubRuns) -> Begin:
    def begin(call: str, position: int = 0, agent: str = "explore", thread: str = THREAD) -> SubRun:
        namespace = f"subagent:{call}-{position}"
        return sub_runs.begin(
            thread, call, position, namespace=namespace, agent=agent, title=f"find {call}"
        )

    return begin


def test_ids_count_each_agent_in_its_thread(begin: Begin) -> None:
    process = [begin("c1"), begin("c1", 1), begin("c2", agent="shell"), begin("c1", thread="other")]
    assert [row.sub_id for row in process] == ["explore-1", "explore-2", "shell-1", "explore-1"]


def test_agents_with_numbered_names_keep_apart(begin: Begin) -> None:
    process = [begin("c1", agent="fix-1"), begin("c2", agent="fix"), begin("c3", agent="fix-1")]
    assert [row.sub_id for row in process] == ["fix-1-1", "fix-1", "fix-1-2"]


def test_begin_again_returns_the_first(sub_runs: SubRuns, begin: Begin) -> None:
    first = begin("c1")
    assert begin("c1") == first
    sub_runs.finish(THREAD, "explore-1", "done", requests=2, tokens=9, cost=0.5, report="found it")
    again = begin("c1")
    assert (again.status, again.report, again.requests) == ("done", "found it", 2)
    assert sub_runs.list_sub_runs(THREAD) == [again]


def test_what_ended_stays_as_it_ended(sub_runs: SubRuns, begin: Begin) -> None:
    begin("c1")
    sub_runs.set_status(THREAD, "explore-1", "waiting")
    assert begin("c1").status == "waiting"
    sub_runs.finish(THREAD, "explore-1", "partial", requests=1, tokens=5, cost=None, report="half")
    ended = begin("c1")
    sub_runs.finish(THREAD, "explore-1", "failed", requests=9, tokens=9, cost=9.0, report="other")
    sub_runs.set_status(THREAD, "explore-1", "running")
    assert begin("c1") == ended
    assert (ended.status, ended.tokens, ended.cost, ended.report) == ("partial", 5, None, "half")


def test_children_are_found_and_their_namespaces(sub_runs: SubRuns, begin: Begin) -> None:
    begin("c1")
    begin("c1", 1, "shell")
    sub_runs.set_worktree(THREAD, "shell-1", "/trees/a")
    shell = sub_runs.find_sub_run(THREAD, "shell-1")
    assert shell is not None
    assert (shell.agent, shell.position, shell.worktree) == ("shell", 1, "/trees/a")
    assert sub_runs.find_sub_run(THREAD, "shell-2") is None
    rows = sub_runs.list_sub_runs(THREAD)
    assert [row.namespace for row in rows] == ["subagent:c1-0", "subagent:c1-1"]
    assert sub_runs.list_sub_runs("other") == []


def test_parallel_children_get_ids_of_their_own(begin: Begin) -> None:
    with ThreadPoolExecutor(8) as pool:
        indexes = list(pool.map(lambda position: begin("c1", position), range(16)))
    assert {row.sub_id for row in indexes} == {f"explore-{number}" for number in range(1, 17)}
