from pathlib import Path

import pytest
from skill_place import SkillPlace

from maxagent.config.skills.skill import SkillRegistry
from maxagent.nodes.conversation.loaded_skills import read_skills
from maxagent.nodes.skills.activation import (
    build_activation_note,
    build_change_notes,
    find_invoked_skill,
)
from maxagent.nodes.state import State


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillRegistry:
    monkeypatch.setenv("HOME", str(tmp_path))
    location = SkillPlace(tmp_path)
    location.add("home/skills/night", {"name": "night", "description": "x"}, "Rest.")
    keys = {"name": "day", "description": "x", "user-invocable": "false"}
    location.add("home/skills/day", keys)
    return location.registry


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/night", "night"),
        ("/night until nine", "night"),
        ("/night\nuntil nine", "night"),
        ("/nights", ""),
        ("/day", ""),
        ("go /night", ""),
        ("night", ""),
        ("/", ""),
        ("", ""),
    ],
)
def test_message_names_a_skill_only_at_its_beginning(
    registry: SkillRegistry, text: str, name: str
) -> None:
    invoked_skill = find_invoked_skill(text, registry)
    assert (invoked_skill.name if invoked_skill else "") == name


def test_skill_in_view_is_not_given_a_second_time(registry: SkillRegistry) -> None:
    skill = registry.skills["night"]
    note = build_activation_note(skill, [], "build", ())
    assert "Rest." in note.text and read_skills(note) == {"night": skill.digest}
    again = build_activation_note(skill, [note], "build", ())
    assert "Rest." not in again.text and read_skills(again) == {}


def test_each_change_on_the_disk_is_reported_once(registry: SkillRegistry) -> None:
    state: State = {"request": "", "folder": "/", "skills": {"night": "old", "gone": "1"}}
    (note,) = build_change_notes(state, [], registry, "build")
    assert "`night` has changed" in note.text
    assert build_change_notes(state, [note], registry, "build") == []
    digest = registry.skills["night"].digest
    existing: State = {**state, "skills": {"night": digest}}
    assert build_change_notes(existing, [], registry, "build") == []
