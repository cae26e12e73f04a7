"""docs/chat.md says what the prompt does; its keys are pressed in tests/e2e/test_chat_screen.py."""

import re
from pathlib import Path

from typer.testing import CliRunner

from maxagent.cli.app import app
from maxagent.cli.repl.prompt.history import MAX_BYTES as HISTORY
from maxagent.cli.repl.prompt.input_line import parse_line
from maxagent.cli.repl.prompt.paste_placeholder import FOLDED_LINES, Pastes
from maxagent.cli.repl.slash.registry import SLASH_COMMANDS
from maxagent.config.agents.registry import load_built_in_agents
from maxagent.nodes.turn.file_mentions import MAX_BYTES, MAX_FILES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "chat.md").read_text(encoding="utf-8")


def test_its_lines_mean_what_it_says() -> None:
    lines = re.findall(
        r"^\| `([^`]+)` \| (a|runs)\b.*?(message|command|card|own|sandbox)", PAGE, re.MULTILINE
    )
    kinds = {"message": "message", "command": "slash", "own": "shell", "card": "note"}
    kinds["sandbox"] = "sandboxed"
    assert {word for _, _, word in lines} == set(kinds)
    for line, _, word in lines:
        assert parse_line(line).kind == kinds[word], line
    assert set(re.findall(r"`@(\w+) ", PAGE)) <= load_built_in_agents().keys()
    assert set(re.findall(r"`/(\w+)`", PAGE)) <= SLASH_COMMANDS.keys()


def test_its_figures_are_those_of_the_program() -> None:
    assert f"up to {MAX_FILES} files and {MAX_BYTES // 1000} kB" in PAGE
    assert FOLDED_LINES == 5 and "of five lines or more" in PAGE
    assert f"`{Pastes().fold_text('x' + chr(10) * 5 + 'y')}`" in PAGE
    assert f"at most {HISTORY // 1_000_000} MB" in PAGE


def test_its_options_exist() -> None:
    output = CliRunner().invoke(app, ["chat", "--help"], env={"COLUMNS": "200"}).output
    options = set(re.findall(r"(--[a-z][a-z-]+)", PAGE))
    assert len(options) > 5 and all(option in output for option in options)
