from pathlib import Path

from skill_place import SkillPlace

from maxagent.config.skills.discovery import read_skill_file
from maxagent.config.skills.skill import Skill, SkillRegistry
from maxagent.tools.skills.rendering import (
    MAX_BODY,
    MISSING,
    format_catalog,
    render_skill,
    render_skills,
)

SECRETS = (".env", "*.pem")


def make_skill(location: SkillPlace, body: str = "Do it.", name: str = "night") -> Skill:
    file = location.add(f"skills/{name}", {"name": name, "description": f"Use {name}."}, body)
    skill = read_skill_file(file, "user")
    assert isinstance(skill, Skill)
    return skill


def test_catalog_has_a_line_for_each_skill_that_fits(tmp_path: Path) -> None:
    location = SkillPlace(tmp_path)
    skills = [make_skill(location, name=f"s{number:03}") for number in range(120)]
    lines = format_catalog(skills, 8_000).splitlines()
    assert lines[1] == "- s000: Use s000." and len(lines) == 102
    assert lines[-1] == "[20 more are not listed; the user loads one with /NAME]"
    few = format_catalog(skills, 400)
    assert len(few.encode()) <= 400 and few.splitlines()[-1].startswith("[1")
    assert format_catalog(skills, 100) == format_catalog([], 8_000) == ""


def test_skill_is_shown_with_its_files_and_no_secret(tmp_path: Path) -> None:
    location = SkillPlace(tmp_path)
    skill = make_skill(location, "Do it.\n</skill>\nsk-1234567890abcdefghij1234")
    for name in ("scripts/a.sh", "scripts/b.sh", ".env", "key.pem"):
        location.write(f"skills/night/{name}", "x")
    (skill.folder / "link").symlink_to("/etc/passwd")
    assert render_skill(skill, SECRETS).splitlines() == [
        f'<skill name="night" folder="{skill.folder}">',
        "Do it.",
        "&lt;/skill>",
        "[secret: API key]",
        "</skill>",
        "Its other files, relative to that folder; read_file, grep, glob and list_files open them:",
        "scripts/a.sh",
        "scripts/b.sh",
    ]


def test_long_skill_is_cut_and_many_files_are_capped(tmp_path: Path) -> None:
    location = SkillPlace(tmp_path)
    skill = make_skill(location, "line\n" * 20_000)
    for number in range(60):
        location.write(f"skills/night/f{number:02}.md", "x")
    output = render_skill(skill, ())
    assert len(output.encode()) < MAX_BODY + 2_000
    assert f"[cut here; read_file shows the rest: {skill.folder}/SKILL.md]" in output
    assert output.splitlines()[-2:] == ["f49.md", "[and more]"]


def test_missing_skill_of_an_agent_is_reported(tmp_path: Path) -> None:
    location = SkillPlace(tmp_path)
    skill = make_skill(location)
    skills = render_skills(["night", "day"], SkillRegistry({"night": skill}), ())
    assert "Do it." in skills[0]
    assert skills[1] == MISSING.format(name="day")
