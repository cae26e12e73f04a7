import os
from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.config.agents.definition_files import DefinitionFile, read_definition_files
from maxagent.config.trust.decision import check_trust, trust

Look = Callable[[], list[DefinitionFile]]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    home, project = tmp_path / "home", tmp_path / "p"
    return lambda: [*read_definition_files("commands", project, home, check_trust(project, home))]


def write(file: Path, text: str = "x") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_project_definitions_load_when_trusted_with_llc_last(tmp_path: Path, look: Look) -> None:
    write(tmp_path / "home/commands/mine.md")
    for house in (".opencode", ".claude", ".llc", ".agents"):
        write(tmp_path / f"p/{house}/commands/git/review.md", house)
    write(tmp_path / "p/.llc/commands/notes.txt")
    write(tmp_path / "p/.llc/agents/other.md")
    assert [(item.name, item.origin) for item in look()] == [("mine", "user")]
    trust(tmp_path / "p", tmp_path / "home")
    mine, *result = [(item.name, item.origin, item.text) for item in look()]
    houses = (".opencode", ".claude", ".agents", ".llc")
    assert mine == ("mine", "user", "x")
    assert result == [("git:review", "project", house) for house in houses]


def test_definition_changed_after_trust_check_is_not_read(tmp_path: Path) -> None:
    project, home = tmp_path / "p", tmp_path / "home"
    write(project / ".llc/commands/a.md", "trusted")
    trust(project, home)
    looked = check_trust(project, home)
    write(project / ".llc/commands/a.md", "another")
    (item,) = read_definition_files("commands", project, home, looked)
    assert item.text == "" and "changed while it was read" in item.fault


def test_unreadable_definition_is_named_and_does_not_hang(tmp_path: Path, look: Look) -> None:
    folder = tmp_path / "home/commands"
    write(folder / "a-text.md", "\ufeffgood")
    (folder / "b-bytes.md").write_bytes(b"\xff\xfe")
    os.mkfifo(folder / "c-pipe.md")
    (folder / "d-large.md").write_bytes(b"x" * 1_000_001)
    good, *odd = look()
    assert (good.text, good.fault) == ("good", "")
    for item in odd:
        assert item.text == "" and item.fault.startswith(f"{item.path}:")


def test_user_file_in_home_project_counts_as_user(tmp_path: Path) -> None:
    write(tmp_path / ".llc/agents/a.md")
    write(tmp_path / ".claude/agents/b.md")
    trust(tmp_path, tmp_path / ".llc")
    look = read_definition_files(
        "agents", tmp_path, tmp_path / ".llc", check_trust(tmp_path, tmp_path / ".llc")
    )
    assert [(item.name, item.origin) for item in look] == [("a", "user"), ("b", "project")]
