import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from maxagent.tools.sandbox.stubs import clear, standing


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "home" / "data" / "sandbox" / "one"


def test_a_missing_place_is_taken_and_freed(project: Path, ledger: Path) -> None:
    with standing(ledger) as stand:
        for name in (".llc", ".github/workflows", "a/b/c"):
            stand(project / name)
        assert sorted(str(one.relative_to(project)) for one in project.rglob("*")) == [
            ".github", ".github/workflows", ".llc", "a", "a/b", "a/b/c",
        ]  # fmt: skip
    assert os.listdir(project) == []


def test_what_git_reads_says_what_is_so_without_it(project: Path, ledger: Path) -> None:
    with standing(ledger) as stand:
        for name in ("commondir", "config", "config.worktree"):
            stand(project / name)
        contents = {path.name: path.read_bytes() for path in project.iterdir()}
    assert contents == {"commondir": b".\n", "config": b"", "config.worktree": b""}
    assert os.listdir(project) == []


def test_what_was_there_stays(project: Path, ledger: Path) -> None:
    (project / ".idea").mkdir()
    (project / "AGENTS.md").write_text("")
    with standing(ledger) as stand:
        stand(project / ".idea")
        stand(project / "AGENTS.md")
    assert sorted(os.listdir(project)) == [".idea", "AGENTS.md"]


def test_what_somebody_has_used_meanwhile_stays(project: Path, ledger: Path) -> None:
    with standing(ledger) as stand:
        stand(project / ".vscode")
        stand(project / "commondir")
        (project / ".vscode" / "settings.json").write_text("{}")
        (project / "commondir").write_text("../other")
    assert (project / ".vscode" / "settings.json").exists()
    assert (project / "commondir").read_text() == "../other"


def test_it_goes_when_the_last_command_in_the_project_has_ended(
    project: Path, ledger: Path
) -> None:
    with standing(ledger) as first:
        first(project / ".llc")
        with standing(ledger) as second:
            second(project / ".llc")
            second(project / ".idea")
        clear(ledger)
        assert sorted(os.listdir(project)) == [".idea", ".llc"]
    assert os.listdir(project) == []


def _killed(ledger: Path, place: Path) -> None:
    with standing(ledger) as stand:
        stand(place)
        os.kill(os.getpid(), signal.SIGKILL)


def test_after_a_kill_the_next_one_clears(project: Path, ledger: Path) -> None:
    for after in ("clear", "stand"):
        child = multiprocessing.get_context("spawn").Process(
            target=_killed, args=(ledger, project / ".llc.yaml")
        )
        child.start()
        child.join()
        assert os.listdir(project) == [".llc.yaml"]
        if after == "clear":
            clear(ledger)
        else:
            with standing(ledger):
                assert os.listdir(project) == [".llc.yaml"]
        assert os.listdir(project) == []


def test_a_torn_ledger_is_no_harm(project: Path, ledger: Path) -> None:
    clear(ledger)
    assert not ledger.exists()
    ledger.parent.mkdir(parents=True)
    ledger.write_text(f'"{project}/x"\n"{project}/gone"\n{{torn')
    (project / "x").mkdir()
    clear(ledger)
    assert os.listdir(project) == []
    assert ledger.read_bytes() == b""
