import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from maxagent import SyncRunner, UsageError

WRITE = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}]}


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[SyncRunner]:
    (tmp_path / "project").mkdir()
    with SyncRunner(home=tmp_path / "home") as runner:
        yield runner


def script(folder: Path, *turns: Any) -> Any:
    (folder / "script.json").write_text(json.dumps(turns))
    return {"model": f"scripted/{folder / 'script.json'}", "mode": "auto"}


def test_events_come_without_a_loop(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, {"text": "Done."}, {"text": "Welcome."})
    events = list(runner.chat("Go.", folder=tmp_path / "project", options=options))
    assert events[-1].type == "completion"
    more = list(runner.say(events[0].thread_id, "Thanks."))
    assert more[-1].summary == "Welcome."
    changes = runner.call(lambda inner: inner.changes(events[0].thread_id))
    assert [one.path for one in changes.files] == ["a.txt"]


def test_a_run_left_early_can_be_resumed(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, {"text": "Done."})
    for event in runner.chat("Go.", folder=tmp_path / "project", options=options):
        if event.type == "tool_result":
            break
    [row] = runner.call(read_threads)
    events = list(runner.resume(row.thread_id))
    assert events[-1].summary == "Done."


async def read_threads(inner: Any) -> Any:
    return inner.threads.list()


def test_wrong_input_is_raised(runner: SyncRunner, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        list(runner.task(" ", folder=tmp_path / "project"))


def test_a_closed_runner_says_so(tmp_path: Path) -> None:
    with SyncRunner(home=tmp_path / "home") as runner:
        pass
    with pytest.raises(UsageError, match="not open"):
        list(runner.resume("x"))
