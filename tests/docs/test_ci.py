"""The workflow files of docs/ci.md: each step is executed as it is written there."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from git_checkout import GITHUB_URL, GITLAB_URL, GitCheckout
from hosting_server import TOKEN, HostingServer
from provider import Provider
from ruamel.yaml import YAML
from warm_start import write_mcode

PAGE = (Path(__file__).parents[2] / "docs/ci.md").read_text(encoding="utf-8")
GITHUB, GITLAB = (
    YAML(typ="safe").load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
)
EVIL = 'Say new in a.txt"; touch evil; echo "$(touch evil) `touch evil` ${{ secrets.X }}'
EDITS = {"file_path": "a.txt", "old_string": "old", "new_string": "new"}
TURNS = [
    {"text": "SMALL: a.txt"},
    {"tool_calls": [{"name": "read_file", "args": {"path": "a.txt"}}]},
    {"tool_calls": [{"name": "edit", "args": EDITS}]},
    {"text": "a.txt says new."},
    {"text": "Accepted."},
]
FINDING = {"file": "a.txt", "line": 1, "severity": "high", "text": "It is new."}


class Runner:
    """A machine of a CI: a checkout, a shell, the variables that it always has."""

    def __init__(self, folder: Path, url: str, provider: Provider, hosting: HostingServer) -> None:
        self.checkout = GitCheckout(folder / "project", folder / "remote.git", url)
        self.checkout.write("a.txt", "old\n")
        self.base = self.checkout.commit()
        self.checkout.git("config", "--unset", "user.name")
        self.checkout.git("config", "--unset", "user.email")
        self.summary = folder / "summary.md"
        self.installed = folder / "installed"
        write_mcode(folder / "bin")
        pip = folder / "bin" / "pip"
        pip.write_text(f'#!/bin/sh\necho "$@" >> {self.installed}\n')
        pip.chmod(0o755)
        for name in ("sudo", "apt-get"):
            (folder / "bin" / name).symlink_to(shutil.which("true") or "/bin/true")
        self.environ = {
            "PATH": f"{folder / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "MAXAGENT_HOME": str(folder / "home"),
            "MAXAGENT_SANDBOX__MODE": "off",
            "GIT_CONFIG_NOSYSTEM": "1",
            "OPENAI_BASE_URL": provider.url,
            "LLC_MODEL__DEFAULT": "openai/served",
            "LLC_TASK__TEST_COMMAND": "grep -qx new a.txt",
            "GITHUB_API_URL": hosting.url,
            "GITLAB_API_URL": hosting.url,
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    def run_job(self, steps: list[Mapping[str, Any]]) -> int:
        """Run the steps with a script, one after another; return the first bad exit code."""
        for step in steps:
            shell = ["bash", "-eo", "pipefail"] if step.get("shell") else ["bash", "-e"]
            ended = subprocess.run(
                [*shell, "-c", step["run"]],
                cwd=self.checkout.folder,
                env={**self.environ, **step.get("env", {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            print(ended.stdout, ended.stderr)
            if ended.returncode:
                return ended.returncode
        return 0


@pytest.fixture
def hosting() -> Iterator[HostingServer]:
    with HostingServer() as server:
        yield server


def fill(step: Mapping[str, Any], context: Mapping[str, str]) -> dict[str, Any]:
    """The step with its expressions replaced: only under `env`, where they are data."""
    assert "${{" not in step["run"]
    filled = {
        name: re.sub(r"\$\{\{ (.*?) \}\}", lambda item: context[item[1]], value)
        for name, value in step.get("env", {}).items()
    }
    return {**step, "env": filled}


def list_steps(job: str, context: Mapping[str, str]) -> list[Mapping[str, Any]]:
    return [fill(step, context) for step in GITHUB["jobs"][job]["steps"] if "run" in step]


def script_step(job: str, **variables: str) -> list[Mapping[str, Any]]:
    """The job of GitLab as one step: its lines share a shell."""
    return [{"run": "\n".join(GITLAB[job]["script"]), "env": variables}]


def read_sent(provider: Provider) -> str:
    """What the user sent in the first request."""
    messages = provider.requests[0].body["messages"]
    return "\n".join(message["content"] for message in messages if message["role"] == "user")


CONTEXT = {
    "secrets.OPENAI_API_KEY": "not-a-real-key",
    "github.token": TOKEN,
    "github.event.issue.number": "12",
    "github.event.issue.title": EVIL,
    "github.event.issue.body": EVIL,
}


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_issue_becomes_a_pull_request(
    kind: str, tmp_path: Path, provider: Provider, hosting: HostingServer
) -> None:
    provider.script(TURNS)
    runner = Runner(tmp_path, GITHUB_URL if kind == "github" else GITLAB_URL, provider, hosting)
    steps = list_steps("task", CONTEXT) if kind == "github" else script_step(
        "mcode-task", OPENAI_API_KEY="not-a-real-key", GITLAB_TOKEN=TOKEN, ISSUE_TITLE=EVIL,
        ISSUE_BODY=EVIL, CI_SERVER_HOST="gitlab.com",
        CI_PROJECT_URL=GITLAB_URL.removesuffix(".git"),
    )  # fmt: skip
    assert runner.run_job(steps) == 0
    [branch] = runner.checkout.branches
    assert runner.checkout.show_commit(branch) == (runner.base, ["a.txt"])
    assert len(hosting.requests) == 1
    assert not (runner.checkout.folder / "evil").exists()
    assert EVIL in read_sent(provider)
    assert runner.installed.read_text() == "install maxagent\n"
    assert runner.checkout.git("log", "-1", "--format=%an", branch) == "mcode"


@pytest.mark.parametrize("kind", ["github", "gitlab"])
@pytest.mark.parametrize("findings", [[], [FINDING]], ids=["good", "bad"])
def test_pull_request_is_reviewed(
    findings: list[Any], kind: str, tmp_path: Path, provider: Provider, hosting: HostingServer
) -> None:
    provider.script([{"text": json.dumps({"findings": findings})}])
    runner = Runner(tmp_path, GITHUB_URL if kind == "github" else GITLAB_URL, provider, hosting)
    runner.checkout.write("a.txt", "new\n")
    author = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@b.c",
              "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@b.c"}  # fmt: skip
    runner.checkout.git("commit", "--quiet", "-am", "new", env=author)
    steps = list_steps("review", {**CONTEXT, "github.event.pull_request.base.sha": runner.base})
    if kind == "gitlab":
        steps = script_step("mcode-review", OPENAI_API_KEY="not-a-real-key",
                            CI_MERGE_REQUEST_DIFF_BASE_SHA=runner.base)  # fmt: skip
    assert runner.run_job(steps) == len(findings)
    assert "+new" in read_sent(provider)
    if kind == "github":
        assert runner.summary.read_text().startswith("a.txt:1: high" if findings else "")


def test_rights_are_the_least_that_each_job_needs() -> None:
    assert GITHUB["permissions"] == {}
    rights = {name: job["permissions"] for name, job in GITHUB["jobs"].items()}
    assert rights == {
        "task": {"contents": "write", "pull-requests": "write"},
        "review": {"contents": "read"},
    }
    secrets = [step["name"] for job in GITHUB["jobs"].values() for step in job["steps"]
               if "secrets." in json.dumps(step)]  # fmt: skip
    assert secrets == ["Task", "Review"]


def test_every_recipe_requires_the_sandbox() -> None:
    name = "MAXAGENT_SANDBOX__MODE"
    assert GITHUB["env"][name] == "require"
    assert [job["variables"][name] for job in GITLAB.values()] == ["require"] * 2
    installs = [
        step["run"] for job in GITHUB["jobs"].values() for step in job["steps"] if "run" in step
    ]
    assert sum("bubblewrap" in run for run in installs) == 2
    assert all("apt-get install -qy bubblewrap" in job["script"] for job in GITLAB.values())
