"""Leases in a real PostgreSQL: two homes stand for two machines."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import PostgresServer
from stopped_holder import WRITES, continue_holder, create_thread, dump, stopped_holder

from maxagent.config import paths
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.journal import FinishedCall, Journal
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease, find_holder
from maxagent.memory.threads.server_lease import (
    end_lease,
    extend_lease,
    has_died,
    identify_machine,
    take_lease,
)

SECONDS = "0.4"


@pytest.fixture
def homes(tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv("LLC_DATABASE", postgres.create_schema())
    monkeypatch.setenv("TEST_LEASE_SECONDS", SECONDS)
    return [tmp_path / "one", tmp_path / "two"]


def wait_for_end(home: Path, thread: str) -> None:
    """Until the lease has ended by the server's clock."""
    give_up = time.monotonic() + 30
    while find_holder(home, thread):
        assert time.monotonic() < give_up
        time.sleep(0.05)


@pytest.fixture
def takeover(homes: list[Path]) -> Iterator[tuple[dict[str, str], list[str], list[str]]]:
    """What became of each late write, and the rows before and after all of them."""
    thread = create_thread(homes[0])
    with stopped_holder(homes[0], thread) as holder:
        with pytest.raises(ThreadBusyError, match=str(holder.pid)), acquire_lease(homes[1], thread):
            pass
        wait_for_end(homes[1], thread)
        with acquire_lease(homes[1], thread):
            journal = Journal(paths.locate_database(homes[1]))
            journal.finish_call(thread, "early", {"output": "ours"})
            ThreadIndex(homes[1]).set_status(thread, "done")
            before = dump(homes[1])
            ends = continue_holder(holder)
            after = dump(homes[1])
            successor = find_holder(homes[1], thread)
            assert successor and successor.pid == os.getpid()
            assert journal.find_call(thread, "early") == FinishedCall({"output": "ours"})
            journal.begin_call(thread, "ours", "edit")
            journal.close()
    yield ends, before, after


def test_stopped_beyond_its_lease_writes_nothing(
    takeover: tuple[dict[str, str], list[str], list[str]],
) -> None:
    ends, before, after = takeover
    assert set(ends) == set(WRITES)
    assert [name for name in WRITES if "has taken over thread" not in ends[name]] == []
    assert after == before


def test_living_holder_keeps_a_short_lease(homes: list[Path]) -> None:
    thread = create_thread(homes[0])
    with stopped_holder(homes[0], thread) as holder:
        assert set(continue_holder(holder).values()) == {"written"}
    assert find_holder(homes[1], thread) is None


def test_late_extension_holds_nothing(homes: list[Path]) -> None:
    thread, database = create_thread(homes[0]), paths.locate_database(homes[0])
    holder = {"pid": os.getpid(), "host": "here", "command": "x", "since": 0.0}
    number = take_lease(database, thread, holder)
    assert isinstance(number, int) and find_holder(homes[1], thread)
    end_lease(database, thread, number)
    extend_lease(database, thread, number, json.dumps(holder))
    assert find_holder(homes[1], thread) is None


def test_dead_process_of_this_machine_holds_nothing(
    homes: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_LEASE_SECONDS", "3600")
    thread = create_thread(homes[0])
    with stopped_holder(homes[0], thread) as holder:
        holder.kill()
        holder.wait()
        assert find_holder(homes[1], thread) is None
        with acquire_lease(homes[1], thread):
            pass


@pytest.mark.parametrize(
    ("machine", "pid", "expected"),
    [
        ("here", "ended", True),
        ("here", "this", False),
        ("here", "of root", False),
        ("here", 0, False),
        ("here", "unknown", False),
        ("same host, other boot", "ended", False),
        ("host alone", "ended", False),
        ("elsewhere", "ended", False),
        ("", "ended", False),
    ],
)
def test_only_a_missing_process_has_died(machine: str, pid: object, expected: bool) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    here = identify_machine()
    host = here.partition(" ")[0]
    machines = {"here": here, "same host, other boot": f"{host} 1 2", "host alone": f"{host}"}
    pids: dict[object, object] = {"ended": ended.pid, "this": os.getpid(), "of root": 1}
    assert has_died(machines.get(machine, machine), pids.get(pid, pid)) is expected


@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes another user")
def test_another_users_process_lives() -> None:
    program = (
        "import os\n"
        "from maxagent.memory.threads.server_lease import has_died, identify_machine\n"
        "machine = identify_machine()\n"
        "os.setuid(65534)\n"
        "print(has_died(machine, os.getppid()))\n"
    )
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
