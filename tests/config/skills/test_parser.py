from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.skills.parser import InvalidSkillError, read_skill
from maxagent.config.skills.skill import Skill


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
    ("keys", "listed", "invocable"),
    [
        ("disable-model-invocation: true", False, True),
        ('disable-model-invocation: "true"', False, True),
        ("user-invocable: false", True, False),
        ("user-invocable: no", True, False),
    ],
)
def test_hidden_skills_are_for_one_side_only(keys: str, listed: bool, invocable: bool) -> None:
    skill = read(write(f"name: night\ndescription: x\n{keys}"))
    assert (skill.is_listed, skill.is_invocable) == (listed, invocable)


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
def test_what_is_wrong_is_said_and_loaded(content: str, warning: str) -> None:
    assert any(one.startswith(warning) for one in read(content).warnings)


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
