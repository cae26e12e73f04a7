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
def skills_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillPlace:
    skills_folder = SkillPlace(tmp_path)
    monkeypatch.chdir(skills_folder.project)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MAXAGENT_HOME", str(skills_folder.home))
    monkeypatch.setenv("LC_ALL", "C")
    return skills_folder


def skills(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["skills", *arguments])


def test_list_names_skills_and_why_others_are_not_loaded(skills_folder: SkillPlace) -> None:
    skills_folder.add("home/skills/night", {"name": "night", "description": "Rest."})
    skills_folder.write("home/skills/broken/SKILL.md", "---\nname: broken\n---\nx")
    skills_folder.add("project/.claude/skills/model", {"name": "model", "description": "x"})
    message = skills("list")
    lines = [line.split()[:2] for line in message.stdout.splitlines()]
    assert lines == [
        ["skill", "from"],
        ["maxagent", "built-in"],
        ["night", "~/home/skills/night"],
    ]
    assert "not trusted (run `mcode trust`): .claude/skills/model/SKILL.md" in message.stderr
    assert "broken/SKILL.md: it has no `description`" in message.stderr
    trust(skills_folder.project, skills_folder.home)
    message = skills("list")
    assert ".claude/skills/model" in message.stdout
    assert "`/NAME` is a built-in command" in message.stderr
    data = json.loads(skills("list", "--json").stdout)
    assert [item["name"] for item in data["skills"]] == ["maxagent", "model", "night"]
    assert (len(data["skipped"]), data["not_loaded"]) == (1, [])


def test_show_prints_what_counts_and_the_instructions(skills_folder: SkillPlace) -> None:
    keys = {"name": "night", "description": "Rest.", "license": "MIT", "color": "red"}
    file = skills_folder.add("home/skills/night", keys, "Sleep well.")
    lines = skills("show", "night").stdout.splitlines()
    assert {"name: night", f"from: {file}", "license: MIT"} <= {*lines}
    assert "note: night: `color` is not used here" in lines and lines[-1] == "Sleep well."
    wrong = skills("show", "nigth").exception
    assert (wrong.message, getattr(wrong, "hint", "")) == (
        "no skill `nigth`",
        "there are: maxagent, night",
    )


def test_list_imports_neither_langchain_nor_mcp(skills_folder: SkillPlace) -> None:
    skills_folder.add("home/skills/night", {"name": "night", "description": "Rest."})
    code = (
        "import sys; from maxagent.cli.app import main; sys.argv = ['mcode', 'skills', 'list']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}
    )
    assert "night" in result.stdout, result.stderr
    loaded = {name.partition(".")[0] for name in result.stdout.splitlines()[-1].split()}
    assert not loaded & {"langchain_core", "langgraph", "httpx2", "mcp"}
