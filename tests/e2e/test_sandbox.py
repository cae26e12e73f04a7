"""The sandbox is attacked with real commands; each must leave the world outside as it was."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_attacks import ATTACKS, WORK_WITHOUT
from sandbox_honest import HONEST
from sandbox_world import NOBODY, World

from maxagent.tools.sandbox.bubblewrap import find_program

pytestmark = pytest.mark.skipif(
    not find_program(os.environ["PATH"]), reason="bubblewrap is not installed"
)
USERS = [
    pytest.param(os.getuid(), id="as-oneself"),
    pytest.param(
        NOBODY,
        marks=pytest.mark.skipif(
            os.getuid() != 0 or not shutil.which("setpriv"),
            reason="only root can become another user",
        ),
        id="as-nobody",
    ),
]


@pytest.fixture(params=USERS)
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(request.param)
    monkeypatch.setenv("HOME", str(made.base / "home"))
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("attack", ATTACKS)
async def test_nothing_gets_out(attack: str, world: World) -> None:
    done = await world.run(f"echo began\n{ATTACKS[attack]}")
    said = done.text + done.stderr.decode(errors="replace")
    assert done.text.startswith("began\n"), said
    assert world.broken(said) == [], said


@pytest.mark.parametrize("world", [os.getuid()], indirect=True)
@pytest.mark.parametrize("attack", WORK_WITHOUT)
async def test_the_same_gets_out_where_there_is_no_sandbox(attack: str, world: World) -> None:
    done = await world.run(ATTACKS[attack], confined=False)
    assert world.broken(done.text) != []


@pytest.mark.parametrize("work", HONEST)
async def test_honest_work_is_done(work: str, world: World) -> None:
    done = await world.run(f"set -e\n{HONEST[work]}")
    assert done.exit_code == 0, done.text + done.stderr.decode()
    assert world.broken(done.text) == []


async def test_nothing_is_left_behind(world: World) -> None:
    before = sorted(world.project.rglob("*"))
    done = await world.run("setsid sleep 5471 & (setsid sleep 5471 &); disown -a; echo done")
    assert done.text == "done\n"
    assert sorted(world.project.rglob("*")) == before
    assert not any(b"sleep\x005471" in line for line in _command_lines())


def _command_lines() -> Iterator[bytes]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            yield (process / "cmdline").read_bytes()
        except OSError:  # ended meanwhile
            continue
