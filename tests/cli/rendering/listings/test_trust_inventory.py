import json
from pathlib import Path

import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.listings.trust_inventory import (
    MAX_LINES,
    MAX_OF_A_KIND,
    MAX_VALUE_LENGTH,
    describe_trust_state,
    format_difference,
    format_inventory,
)
from maxagent.config.trust.decision import check_trust, trust


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
        "  settings of the project",
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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    use_language("en")
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/config").write_text("[gpg]\n\tprogram = old\n")
    (folder / "run.sh").write_text("1\n")
    server = {"command": "./run.sh", "env": {"A_KEY": "${A_KEY}"}}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": server}}))
    return folder


def list_program_lines(project: Path) -> list[str]:
    return [*format_inventory(check_trust(project, project.parent / "home"), tests=False)]


def test_programs_are_listed_by_kind_in_words(project: Path) -> None:
    assert list_program_lines(project) == [
        "  MCP servers",
        "    .mcp.json",
        "      s: ./run.sh; env A_KEY=${A_KEY}",
        "  settings of git that name programs",
        "    gpg.program = old (.git/config)",
        "  scripts that hooks, checks and MCP servers run",
        "    run.sh (named in .mcp.json)",
    ]


def test_a_change_shows_what_was_and_is(project: Path) -> None:
    trust(project, project.parent / "home")
    (project / ".git/config").write_text("[gpg]\n\tprogram = \x1b[2Jnew\n")
    changed = list_program_lines(project)[-3:]
    assert changed[0].endswith("`git gpg.program` in `.git/config` changed")
    assert changed[1] == "      - old" and "new" in changed[2] and changed[2].isprintable()


def test_a_difference_is_bounded(project: Path) -> None:
    was = "".join(f"{number}\n" for number in range(300))
    assert len([*format_difference(was, "")]) == MAX_LINES + 1
    assert [*format_difference("same", "same")] == []
    assert [*format_difference(None, "x")] == ["      the difference is not kept"]
