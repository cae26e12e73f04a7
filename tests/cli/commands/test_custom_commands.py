import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from maxagent import trust
from maxagent.cli.app import app


class Place:
    """A project and a home; `mcode commands list` in it."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir()

    def write(self, path: str, text: str) -> None:
        file = self.home.parent / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def list(self, *arguments: str) -> "tuple[str, str]":
        ended = CliRunner().invoke(app, ["commands", "list", *arguments], catch_exceptions=False)
        assert ended.exit_code == 0
        return ended.stdout, ended.stderr


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    world = Place(tmp_path)
    monkeypatch.setenv("MAXAGENT_HOME", str(world.home))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.chdir(world.project)
    return world


def test_without_any_it_says_where_they_go(world: Place) -> None:
    output, message = world.list()
    assert output == "" and str(world.home / "commands") in message


def test_list_shows_usable_commands_faults_and_notes(world: Place) -> None:
    settings = "argument-hint: '[FILE]'\nx: 1\nagent: explore"
    world.write("home/commands/fix.md", f"---\n{settings}\n---\nMend it")
    world.write("home/commands/model.md", "---\nagent: nobody\n---\nMine")
    world.write("home/commands/broken.md", "---\n")
    output, message = world.list()
    _, fix, model = output.splitlines()
    assert fix.split()[:4] == ["/fix", "[FILE]", "Mend", "it"] and model.startswith("/model")
    assert "/broken is not available" in message and "/fix: `x` has no effect here" in message
    assert "/model: a built-in command has the same name" in message
    assert "/model: no agent `nobody`" in message and "/fix: there" not in message


def test_a_projects_count_only_where_it_is_trusted(world: Place) -> None:
    world.write("project/.llc/commands/theirs.md", "Do")
    left_out = {"commands": [], "not_loaded": [".llc/commands/theirs.md"]}
    assert json.loads(world.list("--json")[0]) == left_out
    assert ".llc/commands/theirs.md is not loaded" in world.list()[1]
    trust(world.project, world.home)
    (item,) = json.loads(world.list("--json")[0])["commands"]
    assert (item["name"], item["description"], item["fault"]) == ("theirs", "Do", "")


def test_listing_loads_nothing_heavy(world: Place) -> None:
    world.write("home/commands/fix.md", "Mend it")
    code = (
        "import sys; from maxagent.cli.app import main; sys.argv = ['mcode', 'commands', 'list']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    stdout = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert "/fix" in stdout
    heavy = {"langgraph", "langchain_core", "openai", "tree_sitter", "bs4", "prompt_toolkit"}
    assert not heavy & set(stdout.split())
