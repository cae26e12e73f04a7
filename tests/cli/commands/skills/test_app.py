from pathlib import Path

import pytest
from skill_place import SkillPlace
from typer.testing import CliRunner, Result

from maxagent.cli.app import app


@pytest.fixture
def skills_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillPlace:
    skills_folder = SkillPlace(tmp_path)
    monkeypatch.chdir(skills_folder.project)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MAXAGENT_HOME", str(skills_folder.home))
    monkeypatch.setenv("LC_ALL", "C")
    return skills_folder


def skills(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["skills", *arguments])


def test_validate_names_each_mistake_in_untrusted_project(skills_folder: SkillPlace) -> None:
    skills_folder.add("home/skills/good", {"name": "good", "description": "x"})
    skills_folder.add("project/.agents/skills/bad", {"name": "Bad", "color": "red"})
    message = skills("validate")
    file = ".agents/skills/bad/SKILL.md"
    assert (message.exit_code, message.stdout.splitlines()) == (
        1,
        [
            f"{file}: `color` is not a key of the specification",
            f"{file}: `description` is missing",
            f"{file}: the name `Bad` has capital letters",
            f"{file}: the name `Bad` is not that of its folder, `bad`",
        ],
    )
    sound = skills("validate", str(skills_folder.home / "skills"))
    assert (sound.exit_code, sound.stderr) == (0, "Checked 1: no problems.\n")
    assert skills("validate", "nowhere").exit_code == 1


def test_validate_notes_hidden_characters(skills_folder: SkillPlace) -> None:
    skills_folder.add("home/skills/good", {"name": "good", "description": "x"}, "Do\u200bit")
    message = skills("validate")
    assert message.exit_code == 0 and "1 hidden characters were removed" in message.stderr


def test_created_skill_is_valid_and_never_overwritten(skills_folder: SkillPlace) -> None:
    made = skills("create", "night", "--description", "Rest: well")
    file = skills_folder.home / "skills/night/SKILL.md"
    assert made.stdout.startswith(f"Created {file}.") and skills("validate").exit_code == 0
    before = file.read_text()
    assert 'description: "Rest: well"' in before
    assert "already exists" in str(skills("create", "night").exception)
    assert "capital letters" in str(skills("create", "Night").exception)
    assert "only letters" in str(skills("create", "../night").exception)
    assert file.read_text() == before


def test_skill_created_in_trusted_project_loads_at_once(skills_folder: SkillPlace) -> None:
    skills("create", "ours", "--project")  # an empty folder is trusted
    assert "ours" in skills("list").stdout


@pytest.mark.parametrize(
    ("description", "is_made"),
    [
        ("caf\udce9", False),
        ("x" * 5_000, False),
        ("a\x7fb", True),
        ("a\x1bb", True),
        ('quoted "so" \\ and {name}', True),
        ("中文 \U0001f600", True),
        ("a\u2028b\x85c", True),
    ],
)
def test_create_writes_only_what_is_valid(
    skills_folder: SkillPlace, description: str, is_made: bool
) -> None:
    made = skills("create", "night", "--description", description)
    assert (made.exit_code == 0) == is_made
    assert (skills_folder.home / "skills/night").exists() == is_made
    assert skills("validate").exit_code == 0
    assert is_made or skills("create", "night", "--description", "plain").exit_code == 0


@pytest.mark.parametrize(
    ("places", "is_sound"),
    [
        (["good"], True),
        (["good", "good/SKILL.md"], True),
        (["typo"], False),
        (["good", "typo"], False),
        (["typo", "good"], False),
        (["good", "empty"], False),
        (["."], True),
    ],
)
def test_validate_checks_every_place(
    skills_folder: SkillPlace, places: list[str], is_sound: bool
) -> None:
    skills_folder.add("home/skills/good", {"name": "good", "description": "x"})
    folder = skills_folder.home / "skills"
    for name in ("typo", "empty"):
        (folder / name).mkdir()
    (folder / "typo" / "Skills.md").write_text("---\nname: typo\n---\n")
    answer = skills("validate", *[str(folder / path) for path in places])
    assert (answer.exit_code == 0) == is_sound
