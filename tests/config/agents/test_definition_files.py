import os
from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.config.agents.definition_files import OwnFile, own_files
from maxagent.config.trust.decision import trust, trust_of

Look = Callable[[], list[OwnFile]]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    home, project = tmp_path / "home", tmp_path / "p"
    return lambda: [*own_files("commands", project, home, trust_of(project, home))]


def write(file: Path, text: str = "x") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_projects_count_only_where_the_folder_is_trusted_and_its_llc_most(
    tmp_path: Path, look: Look
) -> None:
    write(tmp_path / "home/commands/mine.md")
    for house in (".opencode", ".claude", ".llc", ".agents"):
        write(tmp_path / f"p/{house}/commands/git/review.md", house)
    write(tmp_path / "p/.llc/commands/notes.txt")
    write(tmp_path / "p/.llc/agents/other.md")
    assert [(one.name, one.origin) for one in look()] == [("mine", "user")]
    trust(tmp_path / "p", tmp_path / "home")
    mine, *found = [(one.name, one.origin, one.text) for one in look()]
    houses = (".opencode", ".claude", ".agents", ".llc")
    assert mine == ("mine", "user", "x")
    assert found == [("git:review", "project", house) for house in houses]


def test_a_file_that_changes_after_the_look_is_not_read(tmp_path: Path) -> None:
    project, home = tmp_path / "p", tmp_path / "home"
    write(project / ".llc/commands/a.md", "trusted")
    trust(project, home)
    looked = trust_of(project, home)
    write(project / ".llc/commands/a.md", "another")
    (one,) = own_files("commands", project, home, looked)
    assert one.text == "" and "changed while it was read" in one.fault


def test_what_cannot_be_read_is_named_and_never_hangs(tmp_path: Path, look: Look) -> None:
    folder = tmp_path / "home/commands"
    write(folder / "a-text.md", "\ufeffgood")
    (folder / "b-bytes.md").write_bytes(b"\xff\xfe")
    os.mkfifo(folder / "c-pipe.md")
    (folder / "d-large.md").write_bytes(b"x" * 1_000_001)
    good, *odd = look()
    assert (good.text, good.fault) == ("good", "")
    for one in odd:
        assert one.text == "" and one.fault.startswith(f"{one.path}:")


def test_in_the_users_home_a_file_of_theirs_is_no_projects(tmp_path: Path) -> None:
    write(tmp_path / ".llc/agents/a.md")
    write(tmp_path / ".claude/agents/b.md")
    trust(tmp_path, tmp_path / ".llc")
    look = own_files("agents", tmp_path, tmp_path / ".llc", trust_of(tmp_path, tmp_path / ".llc"))
    assert [(one.name, one.origin) for one in look] == [("a", "user"), ("b", "project")]
