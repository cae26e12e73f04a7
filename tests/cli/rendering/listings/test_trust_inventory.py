from pathlib import Path

import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.listings.trust_inventory import (
    MAX_OF_A_KIND,
    MAX_VALUE_LENGTH,
    describe_trust_state,
    format_inventory,
)
from maxagent.config.trust.decision import check_trust


@pytest.fixture(autouse=True)
def english() -> None:
    use_language("en")


def lines(folder: Path, *, tests: bool = False) -> list[str]:
    return list(format_inventory(check_trust(folder, folder / "home"), tests=tests))


def test_only_the_instruction_file_to_load_is_named(
    tmp_path: Path,
) -> None:
    for name, text in {"MAXAGENT.md": "\n", "AGENTS.md": "x", "CLAUDE.md": "y"}.items():
        (tmp_path / name).write_text(text)
    assert lines(tmp_path) == ["  instructions", "    AGENTS.md"]
    (tmp_path / "AGENTS.md").write_text("")
    (tmp_path / "CLAUDE.md").write_text("")
    assert lines(tmp_path) == []


def test_trust_state_lists_changed_files_up_to_limit() -> None:
    assert describe_trust_state(()) == "trusted"
    trust_state = describe_trust_state([f"`{number}/AGENTS.md` changed" for number in range(12)])
    assert "not approved yet (`mcode trust`, `/trust`): `0/AGENTS.md` changed, " in trust_state
    assert trust_state.endswith("`9/AGENTS.md` changed, and 2 more")


def test_far_reaching_settings_show_values_without_secrets(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text(
        "model: {default: x}\nlitellm: {base_url: 'https://e', api_key: sk-1}\n"
        "after_edit: {'*.py': ['rm {file}']}\n"
    )
    assert lines(tmp_path) == [
        "  settings",
        "    .llc.yaml",
        "      sets model.default",
        "      ! sends your messages to: `https://e`",
        "      ! litellm.api_key: `********`",
        "      ! after each edit (after_edit.*.py): `rm {file}`",
    ]


def test_unreadable_configuration_is_shown_with_its_error(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text("a: [1\n")
    assert ".llc.yaml:2: not YAML" in lines(tmp_path)[2]


def test_settings_changed_while_read_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text("litellm: {base_url: 'https://evil'}\n")
    result = check_trust(tmp_path, tmp_path / "home")
    (tmp_path / ".llc.yaml").write_text("language: en\n")
    assert "changed while it was read" in list(format_inventory(result, tests=False))[2]


def test_names_and_values_are_escaped_to_one_line(tmp_path: Path) -> None:
    skill = tmp_path / ".llc/skills/\x1b[2J\n  tests\u202e/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("x")
    (tmp_path / ".llc.yaml").write_text('task: {test_command: "a\\e[8m\\nb"}\n')
    output = lines(tmp_path)
    assert len(output) == 5
    assert all(line.isprintable() for line in output)


def test_long_values_and_lists_are_cut_visibly(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text(f"task: {{test_command: {'x' * 9000}}}\n")
    folder = tmp_path / ".llc/skills"
    folder.mkdir(parents=True)
    for number in range(MAX_OF_A_KIND + 2):
        (folder / str(number)).write_text("")
    output = lines(tmp_path)
    assert output[2].endswith("…") and len(output[2]) < MAX_VALUE_LENGTH + 50
    assert output[-1] == "    and 2 more"


def test_the_tests_are_named_where_they_would_run(tmp_path: Path) -> None:
    assert lines(tmp_path) == []
    assert lines(tmp_path, tests=True) == ["  tests: project code, run to verify a task"]
