import subprocess
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.tools.filesystem.plan_file import make_plan_path, read_plan, write_plan
from maxagent.tools.workspace import Workspace

PLAN = ".llc/plans/p.md"
NOW = datetime(2026, 11, 22, 9, 8, 7)


@pytest.mark.parametrize(
    ("request_", "slug"),
    [
        ("Split the parser in two!", "split-the-parser-in-two"),
        ("../../etc/passwd", "etc-passwd"),
        ("重构 解析器", "重构-解析器"),
        ("?!", "plan"),
        ("a\nb", "a"),
        ("x" * 100, "x" * 40),
    ],
)
def test_plan_is_named_by_time_and_request(request_: str, slug: str) -> None:
    assert make_plan_path(request_, NOW) == f".llc/plans/20261122-090807-{slug}.md"


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert read_plan(workspace, PLAN) == ""
    write_plan(workspace, PLAN, "\n# Plan\n")
    write_plan(workspace, PLAN, "\n# Plan B\n")
    assert (tmp_path / PLAN).read_text() == "# Plan B\n"
    assert read_plan(workspace, PLAN) == "# Plan B"


@pytest.mark.parametrize("linked", [".llc", ".llc/plans"])
def test_plans_folder_that_is_a_link_is_unused(tmp_path: Path, linked: str) -> None:
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    (elsewhere / "plans").mkdir(parents=True)
    (elsewhere / "p.md").write_text("other")
    (project / linked).parent.mkdir(parents=True)
    (project / linked).symlink_to(elsewhere)
    with pytest.raises(MaxAgentError, match="cannot "):
        write_plan(Workspace(project), PLAN, "mine")
    assert read_plan(Workspace(project), PLAN) == ""
    assert (elsewhere / "p.md").read_text() == "other" and not list(elsewhere.glob("plans/*"))


def test_plan_that_is_a_link_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / PLAN).parent.mkdir(parents=True)
    (tmp_path / "source.py").write_text("code")
    (tmp_path / PLAN).symlink_to(tmp_path / "source.py")
    assert read_plan(Workspace(tmp_path), PLAN) == ""
    with suppress(MaxAgentError):
        write_plan(Workspace(tmp_path), PLAN, "mine")
    assert (tmp_path / "source.py").read_text() == "code"


@pytest.mark.parametrize(
    "content", ["x" * 300_000, "é" * 140_000, "x \ud83d y", "\udc00", "# Plan\n" * 40_000]
)
def test_a_plan_that_cannot_be_read_is_not_written(tmp_path: Path, content: str) -> None:
    with pytest.raises(MaxAgentError, match="cannot write the plan"):
        write_plan(Workspace(tmp_path), PLAN, content)
    assert not (tmp_path / PLAN).exists()


def test_a_secret_is_no_name_of_a_file() -> None:
    assert "ab3d" not in make_plan_path(f"Use ghp_{'aB3d' * 9} here", NOW)


@pytest.mark.parametrize(
    ("tracked", "ignored"),
    [
        ([], True),
        ([".llc/agents/a.md"], True),
        (["plans/p.md"], True),
        ([".llc/plans/old.md"], False),
        ([".llc/plans/.gitignore"], False),
    ],
)
def test_folder_of_plans_stays_out_of_git(
    tracked: list[str], ignored: bool, tmp_path: Path
) -> None:
    def git(*args: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *args]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    for name in tracked:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    git("add", "-A")
    git("commit", "-qm", "x", "--allow-empty")
    write_plan(Workspace(tmp_path), PLAN, "# Plan\n")
    assert (git("status", "--porcelain") == "") == ignored
    assert (tmp_path / ".llc/plans/.gitignore").exists() == (ignored or ".gitignore" in tracked[0])
