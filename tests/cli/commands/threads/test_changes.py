import json
import sys

import pytest
from terminal import Terminal
from thread_history import Kept, write


async def test_each_change_has_its_line(kept: Kept) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    await kept.undo()
    said = kept.mcode("threads", "changes", TZ="UTC")
    rows = [line.split() for line in said.stdout.splitlines()]
    assert rows[0] == ["when", "step", "by", "change", "files"]
    assert [row[2:] for row in rows[1:]] == [
        ["tool", "(undone)", "added", "a.txt"],
        ["undo", "deleted", "a.txt"],
    ]
    told = json.loads(kept.mcode("threads", "changes", "--json").stdout)
    assert [(change["by"], change["path"]) for change in told] == [
        ("tool", "a.txt"),
        ("undo", "a.txt"),
    ]


def test_without_changes_that_is_reported(kept: Kept) -> None:
    said = kept.mcode("threads", "changes")
    assert (said.stdout, said.stderr) == ("", "Thread aaaaaaaa has not changed any files\n")


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
