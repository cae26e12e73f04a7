from pathlib import Path

import pytest
from skill_place import SkillPlace
from typer.testing import CliRunner, Result

from maxagent.cli.app import app


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillPlace:
    place = SkillPlace(tmp_path)
    monkeypatch.chdir(place.project)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MAXAGENT_HOME", str(place.home))
    monkeypatch.setenv("LC_ALL", "C")
    return place


def skills(*words: str) -> Result:
    return CliRunner().invoke(app, ["skills", *words])


def test_validate_names_each_mistake_in_untrusted_project(place: SkillPlace) -> None:
    place.add("home/skills/good", {"name": "good", "description": "x"})
    place.add("project/.agents/skills/bad", {"name": "Bad", "color": "red"})
    told = skills("validate")
    file = ".agents/skills/bad/SKILL.md"
    assert (told.exit_code, told.stdout.splitlines()) == (
        1,
        [
            f"{file}: `color` is not a key of the specification",
            f"{file}: `description` is missing",
            f"{file}: the name `Bad` has capital letters",
            f"{file}: the name `Bad` is not that of its folder, `bad`",
        ],
    )
    sound = skills("validate", str(place.home / "skills"))
    assert (sound.exit_code, sound.stderr) == (0, "Checked 1: no problems.\n")
    assert skills("validate", "nowhere").exit_code == 1


def test_validate_notes_hidden_characters(place: SkillPlace) -> None:
    place.add("home/skills/good", {"name": "good", "description": "x"}, "Do\u200bit")
    told = skills("validate")
    assert told.exit_code == 0 and "1 hidden characters were removed" in told.stderr


def test_created_skill_is_valid_and_never_overwritten(place: SkillPlace) -> None:
    made = skills("create", "night", "--description", "Rest: well")
    file = place.home / "skills/night/SKILL.md"
    assert made.stdout.startswith(f"Created {file}.") and skills("validate").exit_code == 0
    before = file.read_text()
    assert 'description: "Rest: well"' in before
    assert "already exists" in str(skills("create", "night").exception)
    assert "capital letters" in str(skills("create", "Night").exception)
    assert "only letters" in str(skills("create", "../night").exception)
    assert file.read_text() == before


def test_skill_created_in_trusted_project_loads_at_once(place: SkillPlace) -> None:
    skills("create", "ours", "--project")  # an empty folder is trusted
    assert "ours" in skills("list").stdout
