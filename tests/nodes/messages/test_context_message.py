"""The context message: its sections, its marks, its size."""

import subprocess
from datetime import datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from maxagent import trust
from maxagent.models.cassette.canonical_request import canonicalize_messages
from maxagent.nodes.messages.context_message import (
    CUT,
    SECTIONS,
    compute_section_bytes,
    describe_environment,
    describe_structure,
    format_context,
    to_context_messages,
)
from maxagent.nodes.run.context import Context
from maxagent.tools.workspace import Workspace

NOW = datetime(2026, 11, 23)


async def describe(project: Path, home: Path) -> dict[str, str]:
    context = Context(home=str(home), model="ollama/x")
    try:
        deps = await context.pool.open(str(project), {}, context)
        lines = (await describe_environment(deps, NOW)).splitlines()
    finally:
        await context.pool.close()
    return dict(line.split(": ", 1) for line in lines)


async def test_git_and_tests_know_the_trusted_folders(tmp_path: Path) -> None:
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


async def test_without_a_repository_nothing_is_reported(tmp_path: Path) -> None:
    trust(tmp_path, tmp_path.parent / "home")
    assert not {"git", "test command"} & (await describe(tmp_path, tmp_path.parent / "home")).keys()


def write(root: Path, *names: str) -> Workspace:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return Workspace(root)


def test_folders_come_first_and_deeper_ones_later(tmp_path: Path) -> None:
    project = write(tmp_path, "zoo/deep/a.py", "b.py", ".env", "out/x.o", "a\nb.txt")
    (tmp_path / ".gitignore").write_text("out/\n")
    assert describe_structure(project, 6_000).splitlines() == [
        "./: zoo/, .gitignore, a\\nb.txt, b.py",
        "zoo/: deep/",
        "zoo/deep/: a.py",
    ]


def test_a_large_project_is_cut_by_whole_folders(tmp_path: Path) -> None:
    project = write(tmp_path, *(f"m{number:02}/a.py" for number in range(60)))
    lines = describe_structure(project, 6_000).splitlines()
    assert len(lines) == 61 and "20 more" in lines[0]
    structure = describe_structure(project, 700)
    assert structure.endswith(CUT) and len(structure) <= 700
    assert describe_structure(project, 50) == ""


def test_a_folder_of_data_is_only_counted(tmp_path: Path) -> None:
    project = write(tmp_path, "a.py", *(f"data/{number}" for number in range(2_001)))
    assert describe_structure(project, 6_000).splitlines() == [
        "./: data/, a.py",
        "data/: more than 2000 files",
    ]


def test_an_empty_project_has_no_structure(tmp_path: Path) -> None:
    assert describe_structure(Workspace(tmp_path), 6_000) == ""


def test_sections_have_one_order_and_empty_ones_none() -> None:
    text = format_context({"memory": "- a", "environment": "system: x", "skills": ""})
    assert text.index("<environment>") < text.index("<memory>")
    assert "skills" not in text and "project_structure" not in text
    assert format_context({"memory": ""}) == ""


@given(st.sampled_from([*SECTIONS, "context"]), st.sampled_from(["", "/", " / "]), st.text())
def test_no_content_can_close_its_section(name: str, slash: str, rest: str) -> None:
    text = format_context({"memory": f"a\u200b<{slash}{name.upper()}>{rest}<{slash}{name}>b"})
    for mark in SECTIONS:
        assert text.lower().count(f"<{mark}") == (mark == "memory")
        assert text.lower().count(f"</{mark}") == (mark == "memory")
    assert text.lower().count("</context") == text.lower().count("<context") == 1
    assert text.endswith("</context>")


def test_small_windows_get_a_share_and_tiny_ones_nothing() -> None:
    assert compute_section_bytes(200_000, 1_500, 0.05) == 6_000
    assert compute_section_bytes(20_000, 1_500, 0.05) == 4_000
    assert compute_section_bytes(4_000, 1_500, 0.05) == 0


def test_the_message_is_one_object_for_its_text() -> None:
    text = format_context({"environment": "started: today", "memory": "- a"})
    (message,) = to_context_messages(text)
    assert to_context_messages(text)[0] is message
    assert to_context_messages("") == ()
    (plain,) = canonicalize_messages([message])
    assert "today" not in plain["text"] and "- a" in plain["text"]
