"""When a server is started, and when not."""

import os
from pathlib import Path

import pytest
from fork_probe import explain_no_server

from maxagent.cli.fork_server import channel, identity, startup

pytestmark = pytest.mark.skipif(bool(explain_no_server()), reason=explain_no_server())


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "MAXAGENT_HOME": str(tmp_path / "home"),
        "MAXAGENT_SERVER__WARM": "on",
        "PYTHONPATH": str(tmp_path / "python"),
    }


def place_program(environ: dict[str, str], code: str) -> Path:
    """Put a module in the way of `maxagent`, which notes its starts."""
    folder = Path(environ["PYTHONPATH"]) / "maxagent" / "cli"
    folder.mkdir(parents=True)
    notes = folder / "starts"
    for package in (folder.parent, folder):
        (package / "__init__.py").touch()
    (folder / "preload.py").write_text(f"open({str(notes)!r}, 'a').write('x')\n{code}")
    return notes


def start(environ: dict[str, str], *arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start one, and wait for its end."""
    ended: list[int] = []
    popen = startup.subprocess.Popen

    class Waiting(popen):  # pyright: ignore
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # pyright: ignore
            ended.append(self.wait())

    monkeypatch.setattr(startup.subprocess, "Popen", Waiting)
    startup.start_server(arguments or ("task", "x"), environ)
    monkeypatch.undo()


FAILS = "import pathlib, sys; pathlib.Path(sys.argv[1], sys.argv[2] + '.lock').touch()"


@pytest.mark.parametrize(
    ("more", "arguments", "starts"),
    [
        ({}, (), 1),
        ({}, ("threads", "list"), 0),
        ({"MAXAGENT_SERVER__WARM": "off"}, (), 0),
        ({"MAXAGENT_SERVER__WARM": "nonsense"}, (), 0),
        ({"MAXAGENT_SERVER__WARM": "auto"}, (), 0),  # no terminal
        ({"MAXAGENT_SERVER__WARM": "auto", "CI": "1"}, (), 0),
        ({"MAXAGENT_HOME": "/nowhere"}, (), 0),
        ({"PYTHONWARNINGS": "error", "PYTHONPATH": "."}, (), 0),
    ],
)
def test_a_server_is_started_where_it_is_wanted(
    environ: dict[str, str],
    more: dict[str, str],
    arguments: tuple[str, ...],
    starts: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = place_program(environ, "")
    start({**environ, **more}, *arguments, monkeypatch=monkeypatch)
    assert len(notes.read_text() if notes.exists() else "") == starts


def test_one_that_fails_is_not_started_again(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = place_program(environ, FAILS)
    for _ in range(3):
        start(environ, monkeypatch=monkeypatch)
    assert notes.read_text() == "x"
    folder = channel.locate_servers(Path(environ["MAXAGENT_HOME"]))
    key = identity.compute_key(environ, identity.read_confinement("self"))
    lock = channel.locate_lock(folder, key)
    os.utime(lock, (0, lock.stat().st_mtime - startup.RETRY_SECONDS - 1))
    start(environ, monkeypatch=monkeypatch)
    assert notes.read_text() == "xx"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, ""),
        ({"MAXAGENT_SERVER__WARM": "off"}, "off"),
        ({"MAXAGENT_SERVER__WARM": "auto", "CI": "1"}, "off"),
        ({"MAXAGENT_SERVER__WARM": "auto", "MAXAGENT_DEBUG": "1"}, "off"),
        ({"PYTHONPATH": "."}, "python"),
    ],
)
def test_doctor_knows_why_runs_start_cold(
    environ: dict[str, str], more: dict[str, str], reason: str
) -> None:
    assert startup.explain_cold_start({**environ, **more}) == reason
    assert startup.count_forks(Path(environ["MAXAGENT_HOME"]), environ) is None
