import os
import subprocess
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from maxagent.tools.builtin.shell.git_tools import git_branch, git_diff, git_log, git_status
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

PERSON = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.org"}
PERSON |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@example.org"}


class Project:
    """A repository with one commit of `a.txt`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.write("a.txt", "one\n")
        self.commit("First")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *arguments: str) -> None:
        texts = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", **PERSON}
        subprocess.run(["git", *arguments], cwd=self.root, env={**os.environ, **texts}, check=True)

    def commit(self, subject: str) -> None:
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", subject)

    async def call(self, tool: BaseTool, folder: str = ".", **args: object) -> CallResult:
        run = ToolRun(Workspace(self.root / folder), "c", self.root / "outputs")
        return await invoke(tool, args, run)

    async def output(self, tool: BaseTool, folder: str = ".", **args: object) -> str:
        result = await self.call(tool, folder, **args)
        assert result.ok, result.error
        return result.output


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.mark.parametrize("value", ["no", "all", "normal"])
async def test_new_files_are_listed_despite_configuration(project: Project, value: str) -> None:
    project.git("config", "status.showUntrackedFiles", value)
    project.write("new.txt", "new\n")
    assert await project.output(git_status) == "## main\n?? new.txt"


async def test_the_status_names_every_kind_of_change(project: Project) -> None:
    assert await project.output(git_status) == "## main\nnothing changed"
    project.write("b c.txt", "b\n" * 9)
    project.commit("Second")
    project.git("mv", "b c.txt", "ü.txt")
    project.write("a.txt", "changed\n")
    project.write("new\n.txt", "new")
    lines = (await project.output(git_status)).split("\n", maxsplit=3)
    assert lines == ["## main", " M a.txt", "R  ü.txt <- b c.txt", "?? new\n.txt"]


async def test_the_diff_shows_changes_or_staged_ones(project: Project) -> None:
    project.write("sub/b.txt", "b\n")
    project.git("add", "sub")
    project.write("a.txt", "two\n")
    unstaged, staged = await project.output(git_diff), await project.output(git_diff, staged=True)
    assert ("-one\n+two" in unstaged, "b.txt" in unstaged) == (True, False)
    assert ("+b" in staged, "a.txt" in staged) == (True, False)
    assert await project.output(git_diff, path="sub") == (
        "no changes; see git_status for untracked files"
    )


async def test_ignored_files_are_kept_out(project: Project) -> None:
    for name in (".env", "sub/.ENV", "deploy/secrets/token", "ok.txt"):
        project.write(name, "OLD\n")
    project.commit("Oh no")
    for name in (".env", "sub/.ENV", "deploy/secrets/token", "ok.txt"):
        project.write(name, "NEW\n")
    status, diff = await project.output(git_status), await project.output(git_diff)
    assert status == "## main\n M ok.txt"
    assert (diff.count("+NEW"), diff.count("+++ b/ok.txt")) == (1, 1)
    assert "touch it" in (await project.call(git_diff, path=".env")).error


async def test_the_log_lists_commits_newest_first(project: Project) -> None:
    project.write("b.txt", "b")
    project.commit("Second")
    lines = (await project.output(git_log)).splitlines()
    assert [line.split(" Ada: ")[1] for line in lines] == ["Second", "First"]
    assert len((await project.output(git_log, max_count=1)).splitlines()) == 1
    assert (await project.output(git_log, path="a.txt")).endswith("First\n")
    assert "from 1 to 200" in (await project.call(git_log, max_count=0)).error


async def test_branches_are_listed_with_the_current_one(project: Project) -> None:
    project.git("branch", "other")
    lines = (await project.output(git_branch)).splitlines()
    assert [line.split()[:2] for line in lines[:1]] == [["*", "main"]]
    assert lines[1].startswith("  other ") and lines[1].endswith(" First")


async def test_a_repository_without_commits_works(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "trunk", tmp_path], check=True)
    run = ToolRun(Workspace(tmp_path), "c", tmp_path)
    outputs = [(await invoke(tool, {}, run)).output for tool in (git_log, git_branch, git_status)]
    assert outputs[:2] == ["no commits yet", "* trunk (no commits yet)"]
    assert outputs[2] == "## No commits yet on trunk\nnothing changed"


async def test_project_in_larger_repository_sees_own_part(project: Project) -> None:
    project.write("part/x.txt", "x\n")
    project.commit("Part")
    project.write("part/x.txt", "y\n")
    project.write("part/.env", "y\n")
    project.write("a.txt", "outside\n")
    assert await project.output(git_status, "part") == "## main\n M x.txt"
    diff = await project.output(git_diff, "part")
    assert ("a/x.txt" in diff, "outside" in diff) == (True, False)
    assert (await project.output(git_log, "part")).endswith(": Part\n")


async def test_a_long_diff_is_cut_in_the_middle(project: Project) -> None:
    project.write("a.txt", "".join(f"line {number}\n" for number in range(20_000)))
    diff = await project.output(git_diff)
    assert "lines cut; ask for less, such as one path …]" in diff
    assert len(diff) < 31_000


async def test_without_a_repository_the_refusal_says_so(tmp_path: Path) -> None:
    run = ToolRun(Workspace(tmp_path), "c", tmp_path)
    for tool in (git_status, git_diff, git_log, git_branch):
        assert "not in a usable git repository" in (await invoke(tool, {}, run)).error


async def test_without_git_the_refusal_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path.parent))
    run = ToolRun(Workspace(tmp_path), "c", tmp_path)
    assert (await invoke(git_status, {}, run)).error == "git is not installed; continue without it"
