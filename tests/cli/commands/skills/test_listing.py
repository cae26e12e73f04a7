import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from skill_place import SkillPlace
from typer.testing import CliRunner, Result

from maxagent.cli.app import app
from maxagent.config.trust.decision import trust


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillPlace:
    place = SkillPlace(tmp_path)
    monkeypatch.chdir(place.project)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MAXAGENT_HOME", str(place.home))
    monkeypatch.setenv("LC_ALL", "C")
    return place


def skills(*words: str) -> Result:
    return CliRunner().invoke(app, ["skills", *words])


def test_list_names_skills_and_why_others_are_not_loaded(place: SkillPlace) -> None:
    place.add("home/skills/night", {"name": "night", "description": "Rest."})
    place.write("home/skills/broken/SKILL.md", "---\nname: broken\n---\nx")
    place.add("project/.claude/skills/model", {"name": "model", "description": "x"})
    told = skills("list")
    lines = [line.split()[:2] for line in told.stdout.splitlines()]
    assert lines == [
        ["skill", "from"],
        ["maxagent", "built-in"],
        ["night", "~/home/skills/night"],
    ]
    assert "not trusted (run `mcode trust`): .claude/skills/model/SKILL.md" in told.stderr
    assert "broken/SKILL.md: it has no `description`" in told.stderr
    trust(place.project, place.home)
    told = skills("list")
    assert ".claude/skills/model" in told.stdout
    assert "`/NAME` is a built-in command" in told.stderr
    listed = json.loads(skills("list", "--json").stdout)
    assert [one["name"] for one in listed["skills"]] == ["maxagent", "model", "night"]
    assert (len(listed["skipped"]), listed["not_loaded"]) == (1, [])


def test_show_prints_what_counts_and_the_instructions(place: SkillPlace) -> None:
    keys = {"name": "night", "description": "Rest.", "license": "MIT", "color": "red"}
    file = place.add("home/skills/night", keys, "Sleep well.")
    shown = skills("show", "night").stdout.splitlines()
    assert {"name: night", f"from: {file}", "license: MIT"} <= {*shown}
    assert "note: night: `color` is not used here" in shown and shown[-1] == "Sleep well."
    wrong = skills("show", "nigth").exception
    assert (wrong.message, getattr(wrong, "hint", "")) == (
        "no skill `nigth`",
        "there are: maxagent, night",
    )


def test_list_imports_neither_langchain_nor_mcp(place: SkillPlace) -> None:
    place.add("home/skills/night", {"name": "night", "description": "Rest."})
    code = (
        "import sys; from maxagent.cli.app import main; sys.argv = ['mcode', 'skills', 'list']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}
    )
    assert "night" in told.stdout, told.stderr
    loaded = {name.partition(".")[0] for name in told.stdout.splitlines()[-1].split()}
    assert not loaded & {"langchain_core", "langgraph", "httpx2", "mcp"}
