import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skill_place import SkillPlace

from maxagent.config.skills import discovery
from maxagent.config.skills.discovery import (
    InvalidSkillError,
    find_skill_files,
    list_untrusted_files,
    read_skill,
)
from maxagent.config.skills.skill import Skill
from maxagent.config.trust.decision import check_trust, trust


def read(content: str | bytes, name: str = "night") -> Skill:
    folder = Path("/skills") / name
    data = content.encode() if isinstance(content, str) else content
    return read_skill(folder / "SKILL.md", folder, data, "user")


def write(keys: str, body: str = "Do it.") -> str:
    return f"---\n{keys}\n---\n\n{body}\n"


def test_skill_has_the_keys_that_count_here() -> None:
    skill = read(
        write(
            "name: night\ndescription: >-\n  Rest\n  well.\nlicense: MIT\ncompatibility: A bed.\n"
            "argument-hint: [hour]\nmetadata:\n  author: us"
        )
    )
    assert (skill.name, skill.description, skill.body) == ("night", "Rest well.", "Do it.")
    assert (skill.license, skill.compatibility, skill.argument_hint) == ("MIT", "A bed.", "[hour]")
    assert (skill.is_listed, skill.is_invocable, skill.warnings) == (True, True, ())


def test_blanks_after_the_marks_do_not_count() -> None:
    assert read("--- \nname: night\ndescription: x\n---\t\nDo it.").body == "Do it."


@pytest.mark.parametrize(
    ("keys", "entries", "invocable"),
    [
        ("disable-model-invocation: true", False, True),
        ('disable-model-invocation: "true"', False, True),
        ("user-invocable: false", True, False),
        ("user-invocable: no", True, False),
    ],
)
def test_hidden_skills_are_for_one_side_only(keys: str, entries: bool, invocable: bool) -> None:
    skill = read(write(f"name: night\ndescription: x\n{keys}"))
    assert (skill.is_listed, skill.is_invocable) == (entries, invocable)


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        (write("name: Night\ndescription: x"), "the name `Night` has capital letters"),
        (write("name: day\ndescription: x"), "the name `day` is not that of its folder, `night`"),
        (write("description: x"), "it has no `name`; the folder's name is used"),
        (write("name: night\ndescription: x\ncolor: red"), "`color` is not used here"),
        (write("name: night\ndescription: " + "x" * 1_025), "the description is cut at 1024"),
        (write("name: night\ndescription: x", "Do\u202eit\u200b"), "2 hidden characters were"),
        (write("name: night\ndescription: x\nallowed-tools: Bash"), "`allowed-tools` allows not"),
    ],
)
def test_what_is_wrong_is_reported_and_loaded(content: str, warning: str) -> None:
    assert any(item.startswith(warning) for item in read(content).warnings)


@pytest.mark.parametrize(
    "keys",
    [
        "name: night\ndescription: Use it when: you are tired",
        "name: night\ndescription: Use it: always\nargument-hint: [a] [b]",
    ],
)
def test_value_with_a_colon_is_read_as_text(keys: str) -> None:
    assert read(write(keys)).description.startswith("Use it")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe---", "it is not UTF-8 text"),
        ("# Night", "it has no front matter"),
        ("---\nname: night\ndescription: x\n", "its front matter is not valid: 1: the front"),
        (write("name: night"), "it has no `description`"),
        (write("name: night\ndescription:"), "it has no `description`"),
        (write("name: [\ndescription"), "its front matter is not valid: "),
        (write("- a"), "its front matter is not valid: 1: not a mapping"),
        (write("name: &a x\ndescription: *a"), "its front matter is too large, or has YAML anch"),
        (write("x: " + "x" * 60_000), "its front matter is too large"),
        (write("a: " + "[" * 1_000), "its front matter has too many nested brackets"),
        (write("a: " + "{[" * 5_000 + "]}" * 5_000), "its front matter has too many nested br"),
        (write("a: " + "[" * 50), "it has no `description`"),
    ],
)
def test_unusable_file_is_refused_with_its_reason(content: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidSkillError) as refused:
        read(content)
    assert refused.value.message.startswith(reason)


def test_hidden_characters_are_removed_and_line_ends_kept() -> None:
    skill = read("---\r\nname: night\r\ndescription: x\r\n---\r\nA\r\nB\U000e0041\r\n")
    assert skill.body == "A\nB"


@given(st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_a_skill_or_refused(keys: str, body: str) -> None:
    try:
        skill = read(write(keys, body).encode(errors="replace"))
    except InvalidSkillError as refused:
        assert refused.message
    else:
        assert skill.name and skill.description and "\n" not in skill.name + skill.description


KEYS = {"name": "night", "description": "Rest."}


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillPlace:
    monkeypatch.setenv("HOME", str(tmp_path))
    return SkillPlace(tmp_path)


def test_first_place_counts_and_others_are_noted(skills: SkillPlace) -> None:
    files = [
        skills.add(f"{folder}/night", KEYS, folder)
        for folder in ("home/skills", ".agents/skills", ".claude/skills")
    ]
    registry = skills.registry
    assert registry.skills["night"].body == "home/skills"
    assert [skill.file for skill in registry.replaced] == files[1:]
    assert registry.skills["night"].warnings == tuple(f"it replaces `{item}`" for item in files[1:])
    assert registry.list_replacements() == []
    assert [*registry.skills] == ["maxagent", "night"]


@pytest.mark.parametrize("house", [".llc", ".agents", ".claude", ".opencode"])
def test_project_skill_needs_trust_of_its_content(skills: SkillPlace, house: str) -> None:
    own = skills.add(".claude/skills/night", KEYS, "Mine.")
    file = skills.add(f"project/{house}/skills/sub/night", KEYS, "Theirs.")
    assert skills.registry.skills["night"].body == "Mine."
    result = check_trust(skills.project, skills.home)
    assert list_untrusted_files(result) == [f"{house}/skills/sub/night/SKILL.md"]
    trust(skills.project, skills.home)
    registry = skills.registry
    assert (registry.skills["night"].body, registry.skills["night"].origin) == (
        "Theirs.",
        "project",
    )
    assert registry.list_replacements() == [f"the project's skill `night` replaces `{own}`"]
    file.write_text(file.read_text() + "Steal.")
    assert skills.registry.skills["night"].body == "Mine."


def test_skill_inside_another_is_not_its_own(skills: SkillPlace) -> None:
    skills.add("project/.claude/skills/night", KEYS)
    skills.add("project/.claude/skills/night/examples/day", {"name": "day", "description": "x"})
    skills.add(".claude/skills/week", {"name": "week", "description": "x"})
    skills.add(".claude/skills/week/examples/day", {"name": "day", "description": "x"})
    trust(skills.project, skills.home)
    assert [*skills.registry.skills] == ["maxagent", "night", "week"]


def test_one_skill_under_two_names_counts_once(skills: SkillPlace) -> None:
    skills.add(".agents/skills/night", KEYS)
    skills.add("project/.agents/skills/day", {"name": "day", "description": "x"})
    (skills.folder / ".claude/skills").mkdir(parents=True)
    (skills.folder / ".claude/skills/night").symlink_to(skills.folder / ".agents/skills/night")
    (skills.project / ".claude/skills").mkdir(parents=True)
    (skills.project / ".claude/skills/day").symlink_to("../../.agents/skills/day")
    trust(skills.project, skills.home)
    registry = skills.registry
    assert [*registry.skills] == ["day", "maxagent", "night"]
    assert (registry.replaced, registry.skipped) == ((), ())


def test_search_has_limits_of_depth_and_folders(
    skills: SkillPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for depth in (5, 6):
        skills.add(f"home/skills/{'a/' * depth}n{depth}", {"name": f"n{depth}", "description": "x"})
    skills.add("home/skills/node_modules/x", KEYS)
    skills.add("home/skills/.git/x", KEYS)
    skill_files = find_skill_files(skills.home / "skills")
    assert [file.parent.name for file in skill_files] == ["n5"]
    monkeypatch.setattr(discovery, "MAX_FOLDERS", 3)
    assert find_skill_files(skills.home / "skills") == []


def test_hostile_skills_are_skipped_with_their_reason(skills: SkillPlace) -> None:
    skills.write("home/skills/large/SKILL.md", b"---\n" + b"x" * 10_000_000)
    skills.write("home/skills/yaml/SKILL.md", "---\nname: {\n  - [\n---\nx")
    skills.write("home/skills/bomb/SKILL.md", "---\na: &a [x]\nb: &b [*a, *a]\n---\nx")
    for name, target in {"out": "/etc/passwd", "loop": "SKILL.md", "gone": "nowhere"}.items():
        (skills.home / "skills" / name).mkdir()
        (skills.home / "skills" / name / "SKILL.md").symlink_to(target)
    (skills.home / "skills" / "pipe").mkdir()
    os.mkfifo(skills.home / "skills" / "pipe" / "SKILL.md")
    (skills.home / "skills" / "root").symlink_to("/")
    skills.add("home/skills/quiet", {"name": "quiet", "description": "Do\u202eit"}, "a\U000e0041b")
    registry = skills.registry
    assert {item.file.parent.name: str(item.reason) for item in registry.skipped} == {
        "bomb": "its front matter is too large, or has YAML anchors",
        "gone": "a broken link",
        "large": "too large",
        "loop": "a broken link",
        "out": "a link to outside the folder",
        "pipe": "not a readable file or folder",
        "yaml": registry.skipped[-1].reason,
    }
    assert (registry.skills["quiet"].description, registry.skills["quiet"].body) == ("Doit", "ab")
    assert "2 hidden characters were removed" in registry.skills["quiet"].warnings


def test_project_that_is_the_home_has_each_skill_once(skills: SkillPlace) -> None:
    skills.add(".claude/skills/night", KEYS)
    trust(skills.folder, skills.home)
    registry = discovery.find_skills(
        skills.folder, skills.home, check_trust(skills.folder, skills.home)
    )
    assert registry.skills["night"].origin == "user" and registry.replaced == ()
