"""Which thread a command means; the folder's latest that fits is tested in `test_undo.py`."""

import pytest
from kept import THREAD, Kept


@pytest.mark.parametrize("command", ["undo", "diff", "resume"])
def test_an_empty_name_is_not_the_latest_thread(kept: Kept, command: str) -> None:
    said = kept.mcode(command, "")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("error: the thread's id or name is empty\nhint: ")
    assert kept.mcode("diff", THREAD[:4]).returncode == 0
