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

    def list(self, *words: str) -> "tuple[str, str]":
        ended = CliRunner().invoke(app, ["commands", "list", *words], catch_exceptions=False)
        assert ended.exit_code == 0
        return ended.stdout, ended.stderr


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("MAXAGENT_HOME", str(place.home))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.chdir(place.project)
    return place


def test_without_any_it_says_where_they_go(place: Place) -> None:
    shown, told = place.list()
    assert shown == "" and str(place.home / "commands") in told


def test_list_shows_usable_commands_faults_and_notes(place: Place) -> None:
    settings = "argument-hint: '[FILE]'\nx: 1\nagent: explore"
    place.write("home/commands/fix.md", f"---\n{settings}\n---\nMend it")
    place.write("home/commands/model.md", "---\nagent: nobody\n---\nMine")
    place.write("home/commands/broken.md", "---\n")
    shown, told = place.list()
    _, fix, model = shown.splitlines()
    assert fix.split()[:4] == ["/fix", "[FILE]", "Mend", "it"] and model.startswith("/model")
    assert "/broken is not available" in told and "/fix: `x` has no effect here" in told
    assert "/model: a built-in command has the same name" in told
    assert "/model: no agent `nobody`" in told and "/fix: there" not in told


def test_a_projects_count_only_where_it_is_trusted(place: Place) -> None:
    place.write("project/.llc/commands/theirs.md", "Do")
    left_out = {"commands": [], "not_loaded": [".llc/commands/theirs.md"]}
    assert json.loads(place.list("--json")[0]) == left_out
    assert ".llc/commands/theirs.md is not loaded" in place.list()[1]
    trust(place.project, place.home)
    (one,) = json.loads(place.list("--json")[0])["commands"]
    assert (one["name"], one["description"], one["fault"]) == ("theirs", "Do", "")


def test_listing_loads_nothing_heavy(place: Place) -> None:
    place.write("home/commands/fix.md", "Mend it")
    code = (
        "import sys; from maxagent.cli.app import main; sys.argv = ['mcode', 'commands', 'list']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert "/fix" in listed
    heavy = {"langgraph", "langchain_core", "openai", "tree_sitter", "bs4", "prompt_toolkit"}
    assert not heavy & set(listed.split())
