from pathlib import Path

import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.trust_inventory import LONGEST_VALUE, MOST_OF_A_KIND, stands, view
from maxagent.config.trust.decision import trust_of


@pytest.fixture(autouse=True)
def english() -> None:
    use_language("en")


def lines(folder: Path, *, tests: bool = False) -> list[str]:
    return list(view(trust_of(folder, folder / "home"), tests=tests))


def test_of_the_folders_own_instructions_the_one_is_named_that_would_be_told(
    tmp_path: Path,
) -> None:
    for name, text in {"MAXAGENT.md": "\n", "AGENTS.md": "x", "CLAUDE.md": "y"}.items():
        (tmp_path / name).write_text(text)
    assert lines(tmp_path) == ["  instructions", "    AGENTS.md"]
    (tmp_path / "AGENTS.md").write_text("")
    (tmp_path / "CLAUDE.md").write_text("")
    assert lines(tmp_path) == []


def test_how_a_folder_stands_of_which_some_is_not_told() -> None:
    assert stands(()) == "trusted"
    said = stands([f"`{number}/AGENTS.md` changed" for number in range(12)])
    assert "not approved yet (`mcode trust`, `/trust`): `0/AGENTS.md` changed, " in said
    assert said.endswith("`9/AGENTS.md` changed, and 2 more")


def test_settings_that_reach_far_are_shown_with_their_values_and_no_secret(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text(
        "model: {default: x}\nlitellm: {base_url: 'https://e', api_key: sk-1}\n"
        "after_edit: {'*.py': ['rm {file}']}\n"
    )
    assert lines(tmp_path) == [
        "  configuration",
        "    .llc.yaml",
        "      sets model.default",
        '      ! litellm.base_url: "https://e"',
        '      ! litellm.api_key: "********"',
        '      ! after_edit.*.py: ["rm {file}"]',
    ]


def test_a_configuration_that_cannot_be_read_is_shown_with_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text("a: [1\n")
    assert ".llc.yaml:2: not YAML" in lines(tmp_path)[2]


def test_nobody_is_shown_other_settings_than_the_yes_would_be_to(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text("litellm: {base_url: 'https://evil'}\n")
    found = trust_of(tmp_path, tmp_path / "home")
    (tmp_path / ".llc.yaml").write_text("language: en\n")
    assert "changed while it was read" in list(view(found, tests=False))[2]


def test_names_and_values_cannot_steer_the_terminal_nor_make_lines(tmp_path: Path) -> None:
    skill = tmp_path / ".llc/skills/\x1b[2J\n  tests\u202e/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("x")
    (tmp_path / ".llc.yaml").write_text('task: {test_command: "a\\e[8m\\nb"}\n')
    shown = lines(tmp_path)
    assert len(shown) == 5
    assert all(line.isprintable() for line in shown)


def test_long_values_and_long_lists_are_cut_and_say_so(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text(f"task: {{test_command: {'x' * 9000}}}\n")
    folder = tmp_path / ".llc/skills"
    folder.mkdir(parents=True)
    for number in range(MOST_OF_A_KIND + 2):
        (folder / str(number)).write_text("")
    shown = lines(tmp_path)
    assert shown[2].endswith("…") and len(shown[2]) < LONGEST_VALUE + 50
    assert shown[-1] == "    and 2 more"


def test_the_tests_are_named_where_they_would_run(tmp_path: Path) -> None:
    assert lines(tmp_path) == []
    assert lines(tmp_path, tests=True) == ["  tests: project code, run to verify a task"]
