"""`mcode task --best-of`: the attempts are told apart by the model that each one asks for."""

import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence

import pytest
from faults import Answer
from program import Program
from provider import Provider, Request
from repair_project import BROKEN, DONE, READ, REPAIR, REPAIRED, SETTINGS, TEST, calls

from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.thread_id import build_attempt_thread_id
from maxagent.memory.worktrees.record import list_containers

SMALL, ACCEPT = {"text": "SMALL\nnumbers_.py"}, {"text": "Accepted: the test covers it."}
READ_TEST = {"name": "read_file", "args": {"path": "test_numbers.py"}}
WEAKEN = {
    "name": "edit",
    "args": {"file_path": "test_numbers.py", "old_string": "== 4", "new_string": "== 5"},
}
PLAYED = {
    "red": [SMALL, *calls([READ], [DONE])],
    "green": [SMALL, *calls([READ], [REPAIR], [DONE]), ACCEPT],
    "bent": [SMALL, *calls([READ_TEST], [WEAKEN], [DONE]), ACCEPT],
}
MODELS = ["--best-of", "3", "--models", "openai/red,openai/green,openai/bent"]
ONE_ROUND = {"LLC_TASK__REPAIR_ROUNDS": "0"}


class Players:
    """Each model plays its turns in order."""

    def __init__(self, provider: Provider) -> None:
        self.asked: Counter[str] = Counter()
        self.held: dict[tuple[str, int], Answer] = {}
        """What a model answers instead, once, at that request."""
        self.reached = threading.Event()
        self._lock = threading.Lock()
        provider.script(self.answer)

    def answer(self, request: Request) -> Answer:
        model = str(request.whole["model"])
        with self._lock:
            location = (model, self.asked[model])
            if location in self.held:
                self.reached.set()
                return self.held.pop(location)
            self.asked[model] += 1
        turns: Sequence[Answer] = PLAYED[model]
        return turns[min(location[1], len(turns) - 1)]


@pytest.fixture
def players(program: Program, provider: Provider) -> Players:
    files = {"numbers_.py": BROKEN, "test_numbers.py": TEST, "pytest.ini": SETTINGS}
    for name, content in files.items():
        (program.project / name).write_text(content)
    return Players(provider)


def test_green_attempt_is_kept_reported_and_undone(program: Program, players: Players) -> None:
    ended = program.task(*MODELS, "--apply", "--trust", **ONE_ROUND)
    assert (ended.code, ended.outcome) == (0, "verified"), ended.stderr
    (compared,) = ended.told("attempts")
    assert [(item["model"], item["outcome"], item["kept"]) for item in compared["attempts"]] == [
        ("openai/red", "failed", False),
        ("openai/green", "verified", True),
        ("openai/bent", "verified", False),
    ]
    notices = " ".join(event["text"] for event in ended.told("notice"))
    assert "attempt 1 is not kept: its tests failed" in notices
    assert "attempt 2 is kept: it breaks no test" in notices
    assert "attempt 3 is not kept: it changed existing tests: `test_numbers.py`" in notices
    assert (program.project / "numbers_.py").read_text() == REPAIRED
    assert (program.project / "test_numbers.py").read_text() == TEST
    result = program.run("threads", "show", compared["attempts"][2]["thread_id"])
    assert result.code == 0 and "test_numbers.py" in result.stdout
    ids = [item["thread_id"][:8] for item in compared["attempts"]]
    parent = program.run("threads", "show", ended.last["thread_id"]).stdout
    assert f"attempt 1: {ids[0]}, failed, openai/red, not kept: its tests failed" in parent
    assert f"attempt 2: {ids[1]}, done, openai/green, kept: it breaks no test" in parent
    changed = program.run("diff", ids[2])
    assert (changed.code, "is not here" in changed.stderr) == (0, True), changed.stderr
    assert "-    assert double(2) == 4" in changed.stdout or "== 5" in changed.stdout
    assert program.run("undo", "--yes").code == 0
    assert (program.project / "numbers_.py").read_text() == BROKEN
    assert not list(list_containers(program.home))


def test_killed_attempts_go_on_and_ended_ones_stay(program: Program, players: Players) -> None:
    players.held["green", 3] = {"hang_after": 0, "text": "never"}
    options = (*MODELS, "--apply", "--trust")
    process = program.start("task", "Repair double.", *options, **ONE_ROUND)
    assert players.reached.wait(60)
    index = ThreadIndex(program.home)
    wait_for_ends(index, 2)
    process.kill()
    assert program.end(process).code == -signal.SIGKILL
    assert (program.project / "numbers_.py").read_text() == BROKEN
    before = players.asked.copy()
    (parent,) = index.list(program.project)
    ended = program.resume(parent.thread_id, **ONE_ROUND)
    assert (ended.code, ended.outcome) == (0, "verified"), ended.stderr
    assert (program.project / "numbers_.py").read_text() == REPAIRED
    asked = players.asked - before
    assert asked.keys() == {"green"}
    assert len(index.list()) == 4 and not list(list_containers(program.home))
    rows = {row.thread_id: row.status for row in index.list()}
    ends = [rows[build_attempt_thread_id(parent.thread_id, number)] for number in (1, 2, 3)]
    assert ends == ["failed", "done", "done"]


def wait_for_ends(index: ThreadIndex, count: int) -> None:
    """Until so many attempts have ended, as another process sees it."""
    give_up = time.monotonic() + 60
    while sum(row.status in ("done", "failed") for row in index.list()) < count:
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_tests_that_cannot_run_cost_no_request(program: Program, provider: Provider) -> None:
    package = {"scripts": {"test": "jest"}, "devDependencies": {"jest": "29"}}
    (program.project / "package.json").write_text(json.dumps(package))
    ended = program.task(*MODELS, "--apply", "--trust", output="text")
    assert (ended.code, provider.requests) == (2, [])
    assert "which cannot run: `jest` is not installed" in ended.stderr
