"""The same verdicts as the specification's own validator, which `verdicts.json` has recorded."""

import json
from pathlib import Path

import pytest

from maxagent.config.skills.specification import find_problems

SKILLS = Path(__file__).parents[2] / "fixtures" / "skills"
VERDICTS: dict[str, list[str]] = json.loads((SKILLS / "verdicts.json").read_text("utf-8"))


@pytest.mark.parametrize("name", VERDICTS)
def test_problems_are_as_many_as_the_validators(name: str) -> None:
    file = SKILLS / name / "SKILL.md"
    assert len(find_problems(file, file.read_bytes())) == len(VERDICTS[name])


def test_every_skill_has_a_recorded_verdict() -> None:
    files = SKILLS.glob("*/*/SKILL.md")
    assert {file.parent.relative_to(SKILLS).as_posix() for file in files} == VERDICTS.keys()
    assert len(VERDICTS) > 30
    published = [verdict for name, verdict in VERDICTS.items() if not name.startswith("rules/")]
    assert len(published) > 10


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "it is not UTF-8 text"),
        ("\ufeff---\nname: x\n---\n".encode(), "byte order mark"),
        (b"\n---\nname: x\n---\n", "first line must be"),
        (b"---\nname: &a x\ndescription: *a\n---\n", "anchors or tags"),
        (b"---\nname: x\ndescription: !!str d\n---\n", "anchors or tags"),
        (b"---\nname: x\ndescription: d\ncompatibility:\n  - a\n---\n", "must be text"),
        (b"---\nname: x\ndescription: d\nmetadata:\n  a: {b: c}\n---\n", "on one line"),
    ],
)
def test_other_faults_are_named_in_one_line(content: bytes, problem: str) -> None:
    (result,) = find_problems(Path("/skills/x/SKILL.md"), content)
    assert problem in result


def test_null_and_numbers_count_as_text() -> None:
    content = b"---\r\nname: null\r\ndescription: 5\r\n---\r\nDo it."
    assert find_problems(Path("/skills/null/SKILL.md"), content) == []


def test_blanks_after_the_marks_do_not_count() -> None:
    content = b"--- \nname: x\ndescription: d\n---\t\nDo it."
    assert find_problems(Path("/skills/x/SKILL.md"), content) == []
