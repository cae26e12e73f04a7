import json
from pathlib import Path

import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.listings.trust_inventory import format_inventory
from maxagent.cli.rendering.listings.trust_programs import MAX_LINES, format_difference
from maxagent.config.trust.decision import check_trust, trust


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


def lines(project: Path) -> list[str]:
    return [*format_inventory(check_trust(project, project.parent / "home"), tests=False)]


def test_programs_are_listed_by_kind_in_words(project: Path) -> None:
    assert lines(project) == [
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
    changed = lines(project)[-3:]
    assert changed[0].endswith("`git gpg.program` in `.git/config` changed")
    assert changed[1] == "      - old" and "new" in changed[2] and changed[2].isprintable()


def test_a_difference_is_bounded(project: Path) -> None:
    was = "".join(f"{number}\n" for number in range(300))
    assert len([*format_difference(was, "")]) == MAX_LINES + 1
    assert [*format_difference("same", "same")] == []
    assert [*format_difference(None, "x")] == ["      the difference is not kept"]
