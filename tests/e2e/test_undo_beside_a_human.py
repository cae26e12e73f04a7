"""What a human makes while a command runs is theirs: an ordinary user, without root's powers."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import CONFIRM, READY, Terminal

NOBODY = 65534
PLAY = """
import asyncio, json, os, sys, threading
from pathlib import Path
from maxagent import Runner, trust

home, project = Path(sys.argv[1]), Path(sys.argv[2])

def human():
    with (project / "gate").open("w") as gate:  # opens when the command reads
        (project / "notes.txt").write_text("mine")
        (project / "drafts").mkdir()
        (project / "old.txt").chmod(0o600)
        gate.write("made")

async def play():
    command = "cat gate > named.txt && sh make.sh"
    calls = [{"name": "run_command", "args": {"command": command}}]
    coder = [{"tool_calls": calls}, {"text": "done"}]
    script = home / "scenario.json"
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder,
                                  "tester": [{"text": "Accepted."}]}))
    trust(project, home)
    threading.Thread(target=human, daemon=True).start()
    options = {"model": f"scripted/{script}", "mode": "auto", "apply": True}
    async with Runner(home=home) as runner:
        return [one async for one in runner.task("x", folder=project, options=options)]

events = asyncio.run(play())
assert os.getuid() != 0
print(events[-1].outcome)
"""


class Place:
    """A project and a home of a user who is not root."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.project = folder, folder / "home", folder / "project"
        for path in (self.home, self.project):
            path.mkdir(mode=0o700)
        (self.project / ".gitignore").write_text("gate\n")
        (self.project / ".llc.yaml").write_text("task: {test_command: 'true'}\n")
        (self.project / "make.sh").write_text("echo x > made.txt; echo changed > old.txt\n")
        (self.project / "old.txt").write_text("old\n")
        os.mkfifo(self.project / "gate")
        for path in (folder, *folder.rglob("*")):
            if os.getuid() == 0:
                os.chown(path, NOBODY, NOBODY)
        self.environ = {
            "HOME": str(self.home),
            "MAXAGENT_HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm",
        }
        powers = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
        self.user = ["setpriv", *powers] if os.getuid() == 0 else []
        self.python = self._interpreter(folder / "venv")

    def _interpreter(self, venv: Path) -> str:
        """This interpreter, or one like it that the user may run; skips where there is none."""
        name = f"python{sys.version_info.major}.{sys.version_info.minor}"
        bases = [os.path.realpath(sys.executable), f"/usr/bin/{name}", f"/usr/local/bin/{name}"]
        # by a shell: `setpriv` itself still has root's powers when it starts a program
        base = next(filter(self._can_run, bases), None)
        if base is None:
            pytest.skip("an ordinary user may run no interpreter like this one here")
        site = venv / "lib" / name / "site-packages"
        site.mkdir(parents=True)
        (venv / "bin").mkdir()
        (venv / "bin" / "python").symlink_to(base)
        (venv / "pyvenv.cfg").write_text(f"home = {os.path.dirname(base)}\n")
        packages = sysconfig.get_path("purelib")
        (site / "all.pth").write_text(f"import site; site.addsitedir({packages!r})\n")
        return str(venv / "bin" / "python")

    def _can_run(self, python: str) -> bool:
        argv = [*self.user, "sh", "-c", f"exec {python} -c 'import ssl'"]
        return subprocess.run(argv, cwd="/", capture_output=True).returncode == 0

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.user, self.python, *arguments],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=250,
        )

    def names(self) -> set[str]:
        return {path.name for path in self.project.iterdir()} - {".gitignore", ".llc.yaml", "gate"}


@pytest.fixture(scope="module")
def played() -> Iterator[tuple[Place, Path]]:
    """The place after the run, and a copy of its folder from then."""
    if os.getuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root without `setpriv`: no ordinary user can be played")
    with tempfile.TemporaryDirectory(prefix="mcode-user-") as outer:
        os.chmod(outer, 0o755)
        folder, copy = Path(outer, "now"), Path(outer, "then")
        folder.mkdir(mode=0o700)
        place = Place(folder)
        if place.run("-c", "import maxagent").returncode:
            pytest.skip("an ordinary user cannot read the package here")
        played = place.run("-c", PLAY, str(place.home), str(place.project))
        assert played.stdout.strip() == "verified", played
        subprocess.run(["cp", "-a", folder, copy], check=True)
        yield place, copy


@pytest.fixture
def place(played: tuple[Place, Path]) -> Place:
    """The place as the run left it: owners, modes and times are those of then."""
    place, copy = played
    shutil.rmtree(place.folder)
    subprocess.run(["cp", "-a", copy, place.folder], check=True)
    return place


ALL = {"make.sh", "old.txt", "named.txt", "made.txt", "notes.txt", "drafts"}
UNSURE = {"made.txt", "notes.txt", "drafts"}


def test_without_a_terminal_it_is_kept_and_reported(place: Place) -> None:
    assert place.names() == ALL
    undone = place.run("-m", "maxagent", "undo", "--yes", "--json")
    assert undone.returncode == 1
    assert place.names() == ALL - {"named.txt"}
    assert (place.project / "old.txt").read_text() == "old\n"
    said = json.loads(undone.stdout)
    assert {one["path"].rstrip("/") for one in said["conflicts"]} == UNSURE
    assert set(said["files"]) == {"named.txt", "old.txt"}
    for name in UNSURE:
        assert f"`{name}" in undone.stderr
    assert place.run("-m", "maxagent", "undo", "--yes", "--force").returncode == 0
    assert place.names() == ALL - {"named.txt"} - UNSURE


@pytest.mark.parametrize(("answer", "kept"), [("n", UNSURE), (CONFIRM, set[str]())])
def test_at_a_terminal_it_is_asked(answer: str, kept: set[str], place: Place) -> None:
    argv = [*place.user, place.python, "-m", "maxagent", "undo"]
    with Terminal(argv, place.project, place.environ) as terminal:
        terminal.until("Continue?")
        terminal.until(READY)
        terminal.type(CONFIRM).until("Restore them too?")
        assert "notes.txt" in terminal.shown
        terminal.until(READY)
        terminal.type(answer)
        assert terminal.end() == 0
    assert place.names() == ALL - {"named.txt"} - UNSURE | kept
    again = place.run("-m", "maxagent", "undo", "--yes")  # nothing of it is left to be asked
    assert "nothing" in again.stderr
    assert place.run("-m", "maxagent", "redo", "--yes").returncode == 0
    assert place.names() == ALL
