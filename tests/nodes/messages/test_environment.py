"""Facts about the machine and the project, the latter only where it is trusted."""

import subprocess
from datetime import datetime
from pathlib import Path

from maxagent import trust
from maxagent.nodes.messages.environment import describe_environment
from maxagent.nodes.run.context import Context

NOW = datetime(2026, 11, 23)


async def describe(project: Path, home: Path) -> dict[str, str]:
    context = Context(home=str(home), model="ollama/x")
    try:
        deps = await context.pool.open(str(project), {}, context)
        lines = (await describe_environment(deps, NOW)).splitlines()
    finally:
        await context.pool.close()
    return dict(line.split(": ", 1) for line in lines)


async def test_git_and_tests_are_told_of_trusted_folders(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    (project / "test_a.py").write_text("def test_a():\n    pass\n")
    subprocess.run(["git", "init", "-qb", "main", str(project)], check=True)
    facts = await describe(project, home)
    assert facts.keys() == {"started", "system", "shell of commands"}
    assert facts["started"] == "2026-11-23, Monday"
    trust(project, home)
    facts = await describe(project, home)
    assert facts["git"] == "No commits yet on main, 1 files changed since the last commit"
    assert facts["test command"].endswith("-m pytest")


async def test_without_a_repository_nothing_is_said(tmp_path: Path) -> None:
    trust(tmp_path, tmp_path.parent / "home")
    assert not {"git", "test command"} & (await describe(tmp_path, tmp_path.parent / "home")).keys()
