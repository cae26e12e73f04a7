from pathlib import Path

from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease_killed import was_killed

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"


def test_a_run_that_left_no_word_was_killed(tmp_path: Path) -> None:
    index = ThreadIndex(tmp_path)
    given = {"title": "x", "folder": str(tmp_path), "graph": "chat", "request": "x"}
    index.record(thread_id=THREAD, options={}, **given)
    assert was_killed(tmp_path, THREAD) and not was_killed(tmp_path, "another")
    index.set_status(THREAD, "interrupted")
    assert not was_killed(tmp_path, THREAD)
