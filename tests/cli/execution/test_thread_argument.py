"""Which thread a command means; the folder's latest that fits is tested in `test_undo.py`."""

from pathlib import Path

import pytest
from thread_history import THREAD, Kept

from maxagent.cli.execution.thread_argument import find_latest_chat, resolve_thread
from maxagent.config.errors import UsageError

B, C = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "bc")


@pytest.mark.parametrize("command", ["undo", "diff", "resume"])
def test_an_empty_name_is_not_the_latest_thread(kept: Kept, command: str) -> None:
    done = kept.mcode(command, "")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the thread's ID or name is empty\nhint: ")
    assert kept.mcode("diff", THREAD[:4]).returncode == 0


@pytest.fixture
def folder(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MAXAGENT_HOME", str(kept.home))
    monkeypatch.chdir(kept.folder)
    return kept.folder


def chat(kept: Kept, thread: str, folder: Path) -> None:
    kept.index.record_thread(
        thread_id=thread, title="Hi", folder=str(folder), graph="chat", request="Hi", options={}
    )


def test_the_latest_conversation_of_the_folder_goes_on(kept: Kept, folder: Path) -> None:
    chat(kept, B, folder)
    chat(kept, C, folder.parent)
    kept.add("dddddddd-0000-4000-8000-000000000000", "a task, later")
    assert find_latest_chat(folder).thread_id == B
    kept.index.set_status(B, "idle")
    assert resolve_thread(None).thread_id == B


def test_without_a_conversation_that_is_reported(kept: Kept, folder: Path) -> None:
    with pytest.raises(UsageError, match="no conversations in"):
        find_latest_chat(folder)
