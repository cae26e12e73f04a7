import multiprocessing
import os
import signal
import tempfile
from pathlib import Path

import pytest

from maxagent.tools.sandbox.placeholders import clear_leftovers, open_placeholders, restore_links


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "home" / "data" / "sandbox" / "one"


def test_a_missing_place_is_taken_and_freed(project: Path, store: Path) -> None:
    with open_placeholders(store) as stand:
        for name in (".llc", ".github/workflows", "a/b/c"):
            stand(project / name)
        assert sorted(str(one.relative_to(project)) for one in project.rglob("*")) == [
            ".github", ".github/workflows", ".llc", "a", "a/b", "a/b/c",
        ]  # fmt: skip
    assert os.listdir(project) == []


def test_placeholder_for_git_has_neutral_content(project: Path, store: Path) -> None:
    with open_placeholders(store) as stand:
        for name in ("commondir", "config", "config.worktree"):
            stand(project / name)
        contents = {path.name: path.read_bytes() for path in project.iterdir()}
    assert contents == {"commondir": b".\n", "config": b"", "config.worktree": b""}
    assert os.listdir(project) == []


def test_what_was_there_stays(project: Path, store: Path) -> None:
    (project / ".idea").mkdir()
    (project / "AGENTS.md").write_text("")
    with open_placeholders(store) as stand:
        stand(project / ".idea")
        stand(project / "AGENTS.md")
    assert sorted(os.listdir(project)) == [".idea", "AGENTS.md"]


def test_what_somebody_has_used_meanwhile_stays(project: Path, store: Path) -> None:
    with open_placeholders(store) as stand:
        stand(project / ".vscode")
        stand(project / "commondir")
        (project / ".vscode" / "settings.json").write_text("{}")
        (project / "commondir").write_text("../other")
    assert (project / ".vscode" / "settings.json").exists()
    assert (project / "commondir").read_text() == "../other"


def test_placeholder_is_removed_after_last_command(project: Path, store: Path) -> None:
    with open_placeholders(store) as first:
        first(project / ".llc")
        with open_placeholders(store) as second:
            second(project / ".llc")
            second(project / ".idea")
        clear_leftovers(store)
        assert sorted(os.listdir(project)) == [".idea", ".llc"]
    assert os.listdir(project) == []


@pytest.mark.parametrize("left", ["", "../other"])
def test_modified_or_truncated_placeholder_is_not_reused(
    project: Path, store: Path, left: str
) -> None:
    """By hand, or by a full disk; git fails at an empty `commondir`."""
    place = project / "commondir"
    with open_placeholders(store) as stand:
        stand(place)
        place.write_text(left)
    assert place.exists() == bool(left)
    place.unlink(missing_ok=True)
    with open_placeholders(store) as stand:
        stand(place)
        assert place.read_bytes() == b".\n"
    assert os.listdir(project) == []


def _killed(store: Path, place: Path) -> None:
    with open_placeholders(store) as stand:
        stand(place)
        os.kill(os.getpid(), signal.SIGKILL)


def test_after_a_kill_the_next_one_clears(project: Path, store: Path) -> None:
    for after in ("clear", "stand"):
        child = multiprocessing.get_context("spawn").Process(
            target=_killed, args=(store, project / ".llc.yaml")
        )
        child.start()
        child.join()
        assert os.listdir(project) == [".llc.yaml"]
        if after == "clear":
            clear_leftovers(store)
        else:
            with open_placeholders(store):
                assert os.listdir(project) == [".llc.yaml"]
        assert os.listdir(project) == []


def test_a_torn_ledger_is_no_harm(project: Path, store: Path) -> None:
    clear_leftovers(store)
    assert not store.exists()
    store.mkdir(parents=True)
    (store / "ledger").write_text(f'"{project}/x"\n"{project}/gone"\n{{torn')
    (project / "x").mkdir()
    clear_leftovers(store)
    assert os.listdir(project) == []
    assert (store / "ledger").read_bytes() == b""


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no other file system to try")
def test_it_is_the_same_on_another_file_system(project: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as other:
        for _ in range(2):
            with open_placeholders(Path(other) / "store") as stand:
                stand(project / "a" / "b")
                stand(project / "commondir")
                assert sorted(os.listdir(project)) == ["a", "commondir"]
            assert os.listdir(project) == []


def test_replaced_link_is_restored(tmp_path: Path) -> None:
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    with restore_links([link, tmp_path / "missing"]):
        link.unlink()
        link.write_text("evil")
    assert os.readlink(link) == "AGENTS.md"
    assert (tmp_path / "CLAUDE.md.replaced-1").read_text() == "evil"


def test_removed_or_redirected_link_is_restored(tmp_path: Path) -> None:
    below, other = tmp_path / "a" / "link", tmp_path / "other"
    below.parent.mkdir()
    for link in (below, other):
        link.symlink_to("there")
    with restore_links([below, other]):
        below.unlink()
        below.parent.rmdir()
        other.unlink()
        other.symlink_to("elsewhere")
    assert (os.readlink(below), os.readlink(other)) == ("there", "there")


def test_one_that_was_left_alone_is_left_alone(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to("there")
    file.write_text("1")
    before = link.lstat().st_ino
    with restore_links([link, file]):
        file.write_text("2")
    assert link.lstat().st_ino == before
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]
