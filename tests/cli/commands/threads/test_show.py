import json
import sys

import pytest
from terminal import Terminal
from thread_history import Kept, write

from maxagent.nodes.outcome import (
    GREEN_NO_VERDICT,
    GREEN_REJECTED,
    MOVED,
    NO_VERDICT,
    REJECTED,
    REPEATED,
)

EVIDENCE = {"verdict": "passed", "reason": "3 passed", "command": "pytest -q"}


@pytest.mark.parametrize(
    "reason", [GREEN_NO_VERDICT, GREEN_REJECTED, NO_VERDICT, REJECTED, REPEATED, MOVED, ""]
)
def test_show_says_why_a_task_ended(kept: Kept, reason: str) -> None:
    kept.index.set_status(
        kept.row.thread_id, "failed", evidence={**EVIDENCE, "outcome_reason": reason}
    )
    shown = " ".join(kept.mcode("threads", "show", kept.row.thread_id).stdout.split())
    assert "evidence: pytest -q: passed, 3 passed" in shown
    assert (f"reason: {reason}" in shown) if reason else "reason:" not in shown


async def test_each_change_has_its_line(kept: Kept) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    await kept.undo()
    done = kept.mcode("threads", "changes", TZ="UTC")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0] == ["when", "step", "by", "change", "files"]
    assert [row[2:] for row in rows[1:]] == [
        ["tool", "(undone)", "added", "a.txt"],
        ["undo", "deleted", "a.txt"],
    ]
    changes = json.loads(kept.mcode("threads", "changes", "--json").stdout)
    assert [(change["by"], change["path"]) for change in changes] == [
        ("tool", "a.txt"),
        ("undo", "a.txt"),
    ]


def test_without_changes_that_is_reported(kept: Kept) -> None:
    done = kept.mcode("threads", "changes")
    assert (done.stdout, done.stderr) == ("", "Thread aaaaaaaa has not changed any files\n")


@pytest.mark.parametrize("columns", [40, 80])
async def test_a_narrow_terminal_shows_which_files(kept: Kept, columns: int) -> None:
    await kept.tool(write("a-module.py", "one\n"), "a-module.py")
    await kept.undo()
    argv = [sys.executable, "-m", "maxagent", "threads", "changes"]
    environ = {"MAXAGENT_HOME": str(kept.home), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    with Terminal(argv, kept.folder, {**environ, "COLUMNS": str(columns)}) as terminal:
        assert terminal.end() == 0
    assert terminal.shown.count("a-module") == 2
    assert ("when" in terminal.shown) == (columns == 80)
