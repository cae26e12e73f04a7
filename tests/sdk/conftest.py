"""What the tests of the SDK share."""

import json
from pathlib import Path

import pytest
from confinement import UNASKED
from repair_project import ACCEPT, BROKEN, SETTINGS, SMALL, TEST
from thread_history import Kept

from maxagent import Runner, trust


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """A thread with a history of files, made without any model."""
    return Kept(tmp_path, monkeypatch)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project of `repaired`, trusted."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "numbers_.py").write_text(BROKEN)
    (folder / "test_numbers.py").write_text(TEST)
    (folder / "pytest.ini").write_text(SETTINGS)
    trust(folder, tmp_path / "home")
    return folder


@pytest.fixture
def play(tmp_path: Path):
    """Options that let the scripted model play these turns."""

    def options(coder, *, architect=SMALL, tester=ACCEPT, **more):
        script = tmp_path / "scenario.json"
        turns = {"architect": architect, "coder": coder, "tester": tester}
        script.write_text(json.dumps(turns))
        return {"model": f"scripted/{script}", "apply": True, **UNASKED, **more}

    return options


@pytest.fixture
async def runner(tmp_path: Path):
    """A runner with a home of its own."""
    async with Runner(home=tmp_path / "home") as opened:
        yield opened
