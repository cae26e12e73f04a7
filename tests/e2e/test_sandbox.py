"""The sandbox is attacked with real commands; each must leave the world outside as it was."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from confinement import needs_bubblewrap
from sandbox_attacks import ATTACKS, WORK_WITHOUT
from sandbox_honest import HONEST
from sandbox_world import NOBODY, World
from warm_start import LANG, run_mcode

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


@needs_bubblewrap
@pytest.mark.parametrize("attack", ATTACKS)
async def test_nothing_gets_out(attack: str, world: World) -> None:
    done = await world.run(f"echo began\n{ATTACKS[attack]}")
    text = done.text + done.stderr.decode(errors="replace")
    assert done.text.startswith("began\n"), text
    assert world.broken(text) == [], text


@needs_bubblewrap
@pytest.mark.parametrize("world", [os.getuid()], indirect=True)
@pytest.mark.parametrize("attack", WORK_WITHOUT)
async def test_same_attacks_escape_without_a_sandbox(attack: str, world: World) -> None:
    done = await world.run(ATTACKS[attack], confined=False)
    assert world.broken(done.text) != []


@needs_bubblewrap
@pytest.mark.parametrize("work", HONEST)
async def test_honest_work_is_done(work: str, world: World) -> None:
    done = await world.run(f"set -e\n{HONEST[work]}")
    assert done.exit_code == 0, done.text + done.stderr.decode()
    assert world.broken(done.text) == []


@needs_bubblewrap
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


WITHOUT = """
{"tool": "run_command", "args": {"command": "echo one"}}
{"tool": "run_command", "args": {"command": "echo two"}}
"""


@pytest.mark.parametrize(
    ("mode", "code", "text"),
    [
        ("auto", 0, "note: no sandbox: bubblewrap is not installed"),
        ("require", 2, "error: a sandbox is required, but not available"),
        ("off", 0, ""),
    ],
)
def test_missing_bubblewrap_is_reported_once_or_fails(
    mode: str, code: int, text: str, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text(f"sandbox: {mode}\n")
    environ = {"PATH": str(tmp_path), "MAXAGENT_HOME": str(tmp_path / "home"), "LANG": LANG}
    ended = run_mcode(["tools", "call", "--stdin", "--mode", "auto"], tmp_path, environ, WITHOUT)
    assert ended.returncode == code, ended.stderr
    assert ended.stderr.startswith(text) and len(ended.stderr.splitlines()) <= 2
    assert ("two" in ended.stdout) == (code == 0)
