from pathlib import Path

import pytest

from maxagent.memory.threads.changes import ThreadWatch
from maxagent.memory.threads.index import ThreadIndex

THREAD = "0f0f0f0f-0000-4000-8000-000000000000"


@pytest.fixture
def index(tmp_path: Path) -> ThreadIndex:
    index = ThreadIndex(tmp_path)
    index.record_thread(
        thread_id=THREAD, title="One", folder="/p", graph="task", request="One", options={}
    )
    return index


def test_list_is_read_again_only_after_a_change(index: ThreadIndex, tmp_path: Path) -> None:
    with ThreadWatch(tmp_path) as changes:
        assert [row.title for row in changes.read() or []] == ["One"]
        assert changes.read() is None
        index.set_title(THREAD, "Two")
        assert [row.title for row in changes.read() or []] == ["Two"]
        assert changes.read() is None
        index.delete(THREAD)
        assert changes.read() == []


def test_list_is_read_anyway_after_a_while(
    index: ThreadIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadWatch(tmp_path) as changes:
        changes.read()
        monkeypatch.setattr("maxagent.memory.threads.changes.MAX_SECONDS", 0.0)
        rows = changes.read()  # whose process is dead, which no row says
    assert rows and rows[0].status == "interrupted"
