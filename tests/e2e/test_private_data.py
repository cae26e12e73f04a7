"""What is kept in the home is for its owner alone, whatever the umask, and whatever lay there."""

import os
import re
import stat
from pathlib import Path

import pytest
from faults import Answer
from program import Program
from provider import Provider

GOOD = {"LLC_TASK__TEST_COMMAND": "test -s log.txt", "LLC_TOOLS__BACKUP": "true"}


def answers() -> list[Answer]:
    """A task that leaves something in every folder of the home."""
    long = {"name": "run_command", "args": {"command": "seq 9000 > log.txt; seq 9000"}}
    writes = {"name": "write_file", "args": {"path": "a.txt", "content": "a"}}
    again = {"name": "write_file", "args": {"path": "a.txt", "content": "b"}}
    texts: list[Answer] = [
        {"text": "SMALL"},
        {"tool_calls": [long, writes]},
        {"tool_calls": [again]},
    ]
    return [*texts, {"text": "Done."}, {"text": "Accepted."}]


def too_open(home: Path) -> list[str]:
    """What others may do anything with; a link itself has no mode.

    In a folder of `sandbox` there are stubs, which go into the project as they are.
    """
    paths = [
        entry for entry in [home / "data", *(home / "data").rglob("*")] if not entry.is_symlink()
    ]
    wide = [location for location in paths if stat.S_IMODE(location.stat().st_mode) & 0o077]
    lines = [f"{location.stat().st_mode:o} {location.relative_to(home)}" for location in wide]
    return [item for item in lines if not re.search(r"data/sandbox/\w+/", item)]


@pytest.mark.parametrize("before", [None, 0o777])
def test_data_is_private_despite_permissive_umask(
    before: int | None, program: Program, provider: Provider
) -> None:
    if before:
        (program.home / "data").mkdir(parents=True)
        (program.home / "data").chmod(before)
    provider.script(answers())
    old = os.umask(0)
    try:
        process = program.start("task", "Write.", "--mode", "auto", "--apply", **GOOD)
    finally:
        os.umask(old)
    ended = program.end(process)
    assert (ended.code, ended.outcome) == (0, "verified")
    names = {entry.name for entry in (program.home / "data").iterdir()}
    assert {"threads.db", "leases", "outputs", "snapshots", "backups"} <= names
    assert too_open(program.home) == []
    assert stat.S_IMODE((program.project / "a.txt").stat().st_mode) == 0o666  # the project's own
