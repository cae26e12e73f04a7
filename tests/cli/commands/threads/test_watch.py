from typing import get_args

import pytest

from maxagent.cli.commands.threads.watch import choose_arguments
from maxagent.memory.threads.record import ThreadRow, ThreadStatus

COMMANDS: dict[ThreadStatus, str] = {
    "running": "threads show ID",
    "waiting": "resume ID",
    "idle": "chat --resume ID",
    "done": "threads show ID",
    "unverified": "threads show ID",
    "failed": "resume ID",
    "undone": "threads show ID",
    "limit": "resume ID",
    "interrupted": "resume ID",
    "queued": "resume ID",
    "unknown": "resume ID",
}


@pytest.mark.parametrize("status", get_args(ThreadStatus))
def test_each_status_has_its_command(status: ThreadStatus) -> None:
    row = ThreadRow("ID", "Title", "/p", "chat", "Title", status, "", "")
    assert " ".join(choose_arguments(row)) == COMMANDS[status]
