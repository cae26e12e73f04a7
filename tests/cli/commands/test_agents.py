import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from full_disk import no_file_beyond
from typer.testing import CliRunner, Result

from maxagent.cli.app import app
from maxagent.config.agents.parser import KEYS, read_agent
from maxagent.config.trust.decision import trust

Agents = Callable[..., Result]
WRONG = "---\nmode: all\ndescripton: Reviews\n---\nYou review.\n"


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    """`mcode agents …` in an empty project."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C")
    return lambda *arguments: CliRunner().invoke(app, ["agents", *arguments])


def put(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_list_shows_builtin_and_own_agents_not_hidden(agents: Agents) -> None:
    agents("create", "mine", "--description", "Does: mine")
    lines = [line.split() for line in agents("list").stdout.splitlines()]
    assert ["build", "primary", "built-in"] in [line[:3] for line in lines]
    assert lines[-1][0] == "mine" and lines[-1][-2:] == ["Does:", "mine"]
    assert "editor" not in [line[0] for line in lines]


def test_agents_of_untrusted_project_listed_as_not_loaded(agents: Agents, tmp_path: Path) -> None:
    put(Path(".claude/agents/theirs.md"), "---\nmode: all\n---\nYou.")
    put(Path(".claude/agents/wrong.md"), WRONG)
    message = agents("list")
    assert "theirs" not in message.stdout
    assert "not trusted (run `mcode trust`): .claude/agents/theirs.md" in message.stderr
    data = json.loads(agents("list", "--json").stdout)
    assert data["not_loaded"] == [".claude/agents/theirs.md", ".claude/agents/wrong.md"]
    trust(Path.cwd(), tmp_path / "home")
    message = agents("list")
    assert ".claude/agents/theirs.md" in message.stdout and "not loaded: " in message.stderr
    data = json.loads(agents("list", "--json").stdout)
    assert data["agents"][-1]["name"] == "theirs" and data["not_loaded"] == []
    assert data["faults"][0].endswith(
        "wrong.md:3: unknown key `descripton`; did you mean `description`?"
    )


def test_an_agent_is_shown_as_it_counts(agents: Agents, tmp_path: Path) -> None:
    file = put(
        tmp_path / "home/agents/mine.md",
        "---\ncolor: red\ntools: Read, Bash\npermissions: {deny: [edit]}\nmax_steps: 3\n"
        "files: [a/**, b/**]\n---\nYou are mine.\n",
    )
    lines = agents("show", "mine").stdout.splitlines()
    assert {"tools: read_file, run_command", "rules: deny edit", "files: a/**, b/**"} <= {*lines}
    assert {"max_steps: 3", f"from: {file}", f"note: {file}:2: `color` is not used here"} <= {
        *lines
    }
    assert lines[-2:] == ["", "You are mine."]


def test_unknown_agent_name_lists_known_names(agents: Agents) -> None:
    wrong = agents("show", "arhitect").exception
    assert wrong.message == "no agent `arhitect`"
    assert getattr(wrong, "hint", "").startswith("did you mean `architect`? There are: ")


def test_created_agent_is_valid_and_never_overwritten(agents: Agents, tmp_path: Path) -> None:
    made = agents("create", "mine")
    file = tmp_path / "home/agents/mine.md"
    assert made.stdout.startswith(f"Created {file}.") and agents("validate").exit_code == 0
    before = re.sub(r"(?m)^# (?= *[a-z_]+:)", "", file.read_text())  # every setting it explains
    file.write_text(before)
    assert agents("validate").exit_code == 0
    assert {*read_agent(file, before, own=True).lines} == {*KEYS} - {"name", "hidden"}
    assert "already exists" in str(agents("create", "mine").exception)
    with no_file_beyond(100):
        assert "cannot be written" in str(agents("create", "half").exception)
    assert agents("create", "half").exit_code == 0
    assert "not a valid agent name" in str(agents("create", "../mine").exception)
    assert file.read_text() == before


def test_agent_created_in_trusted_project_loads_at_once(agents: Agents, tmp_path: Path) -> None:
    put(Path("main.py"), "x")
    assert "not trusted" in agents("create", "early", "--project").stderr
    trust(Path.cwd(), tmp_path / "home")
    agents("create", "ours", "--project")
    assert {"early", "ours"} <= {line.split()[0] for line in agents("list").stdout.splitlines()}


def test_mistakes_name_file_and_line_in_untrusted_project(agents: Agents, tmp_path: Path) -> None:
    put(Path(".opencode/agents/wrong.md"), WRONG)
    mine = put(tmp_path / "home/agents/mine.md", "---\ntools: Raed\n---\nYou.")
    good = put(tmp_path / "other/good.md", "---\ncolor: red\n---\nYou.")
    message = agents("validate")
    assert (message.exit_code, message.stdout.splitlines()) == (
        1,
        [
            f"{mine}:2: `Raed` is not a tool; did you mean `read_file`?",
            f"{Path.cwd()}/.opencode/agents/wrong.md:3: unknown key `descripton`; "
            "did you mean `description`?",
        ],
    )
    sound = agents("validate", str(good.parent))
    assert (sound.exit_code, sound.stdout) == (0, "")
    assert f"note: {good}:2: `color` is not used here" in sound.stderr
    assert agents("validate", str(good), str(mine)).exit_code == 1
    assert "does not exist" in str(agents("validate", "nowhere").exception)


def test_the_list_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from maxagent.cli.app import main; sys.argv[1:] = ['agents', 'list']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    environ = {**os.environ, "MAXAGENT_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    assert "architect" in ended.stdout
    heavy = {"langgraph", "langchain_core", "openai", "mcp", "tree_sitter", "prompt_toolkit"}
    assert heavy & {*ended.stdout.split()} == set()


@pytest.mark.parametrize(
    ("description", "is_made"),
    [("caf\udce9", False), ("a\x7fb", True), ("a\x1bb", True), ('"q" \\', True), ("中文", True)],
)
def test_create_writes_only_valid_agents(
    agents: Agents, tmp_path: Path, description: str, is_made: bool
) -> None:
    made = agents("create", "night", "--description", description)
    assert (made.exit_code == 0) == is_made
    assert (tmp_path / "home/agents/night.md").exists() == is_made
    assert agents("validate").exit_code == 0


@pytest.mark.parametrize(
    ("places", "is_sound"),
    [
        (["good"], True),
        (["good/a.md"], True),
        (["empty"], False),
        (["good", "empty"], False),
        (["empty", "good"], False),
    ],
)
def test_validate_checks_every_folder(
    agents: Agents, tmp_path: Path, places: list[str], is_sound: bool
) -> None:
    put(tmp_path / "good/a.md", "---\ncolor: red\n---\nYou.")
    (tmp_path / "empty").mkdir()
    answer = agents("validate", *[str(tmp_path / path) for path in places])
    assert (answer.exit_code == 0) == is_sound
