import json
import os
import subprocess
from pathlib import Path

import pytest
from warm_start import LANG, run_mcode

from maxagent.config.trust.decision import check_trust, trust


class Place:
    """A project with instructions, and a home."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir()
        (self.project / "AGENTS.md").write_text("x")

    def __call__(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        environ = {**os.environ, "MAXAGENT_HOME": str(self.home), "LC_ALL": LANG}
        return run_mcode(arguments, self.project, environ)

    @property
    def trusted(self) -> bool:
        return check_trust(self.project, self.home).trusted


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_trust_without_human_lists_files_trusts_nothing(world: Place) -> None:
    ended = world("trust")
    assert (ended.returncode, ended.stdout, world.trusted) == (4, "", False)
    assert "AGENTS.md" in ended.stderr and "--yes" in ended.stderr


def test_a_yes_is_remembered_listed_and_taken_back(world: Place) -> None:
    (world.project / "sub").mkdir()
    (world.project / "sub/GEMINI.md").write_text("x")
    assert world("trust", "--list").stderr == "No trusted folders\n"
    assert (world("trust", "--yes").returncode, world.trusted) == (0, True)
    stderr = world("trust").stderr
    assert (
        "already trusted" in stderr and "    AGENTS.md\n" in stderr and "sub/GEMINI.md\n" in stderr
    )
    (entries,) = json.loads(world("trust", "--list", "--json").stdout)
    assert (entries["folder"], entries["state"]) == (str(world.project), "trusted")
    assert entries["files"] == ["AGENTS.md", "sub/GEMINI.md"]
    checks = {item["name"]: item for item in json.loads(world("doctor", "--json").stdout)}
    assert (checks["trust"]["status"], checks["trust"]["remedy"]) == ("ok", "")
    (world.project / "sub/GEMINI.md").write_text("y")
    changed = "trusted, except changes you have not approved yet (`mcode trust`, `/trust`): `sub/GE"
    assert (
        changed in world("doctor").stdout
        and "trusted, except changes" in world("trust", "--list").stdout
    )
    (entries,) = json.loads(world("trust", "--list", "--json").stdout)
    assert (entries["state"], entries["changed"]) == ("trusted", ["`sub/GEMINI.md` changed"])
    asked = world("trust")
    assert asked.returncode == 4 and "is trusted, but files that changed" in asked.stderr
    assert world.trusted and "`sub/GEMINI.md` changed" in world("trust").stderr
    (world.project / "AGENTS.md").write_text("y")
    assert str(world.project) in (stdout := world("trust", "--list").stdout)
    assert "changed since" in stdout
    assert "changed since you trusted it: `AGENTS.md` changed" in world("trust").stderr
    assert "no longer trusted" in world("trust", "--revoke").stderr
    assert json.loads(world("trust", "--list", "--json").stdout) == []
    ended = world("trust", "--revoke")
    assert (ended.returncode, "was not trusted" in ended.stderr) == (0, True)


def test_trust_accepts_other_folder_revokes_missing_one(world: Place) -> None:
    other = world.home.parent / "other"
    other.mkdir()
    assert world("trust", str(other), "--yes").returncode == 0
    other.rmdir()
    (entries,) = json.loads(world("trust", "--list", "--json").stdout)
    assert (entries["folder"], entries["state"]) == (str(other), "gone")
    assert "no longer trusted" in world("trust", str(other), "--revoke").stderr
    for text in ((), ("--yes",)):
        missing = world("trust", str(other), *text)
        assert (missing.returncode, "is not a folder" in missing.stderr) == (2, True)


def test_untrustable_folder_is_refused_for_any_answer(world: Place) -> None:
    os.mkfifo(world.project / ".mcp.json")
    for arguments in (["trust", "--yes"], ["trust"], ["tools", "call", "ls", "--trust"]):
        ended = world(*arguments)
        assert ended.returncode == 2 and "`.mcp.json`" in ended.stderr
    assert not world.trusted


def test_options_that_exclude_each_other_are_refused(world: Place) -> None:
    for text in (["--list", "--yes"], ["--list", "--revoke"], ["--revoke", "--yes"], ["--json"]):
        assert world("trust", *text).returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        ["tools", "call", "list_files"],
        ["permissions", "list"],
        ["permissions", "explain", "read_file", "path=a"],
    ],
)
def test_the_flag_is_a_yes(world: Place, command: list[str]) -> None:
    (world.project / ".llc.yaml").write_text("security: {ignore_patterns: ['A*']}\n")
    ended = world(*command)
    assert "`.llc.yaml` is not loaded" in ended.stderr and not world.trusted
    ended = world(*command, "--trust")
    assert "not loaded" not in ended.stderr and world.trusted


def test_own_project_setting_is_reported_as_ignored(world: Place) -> None:
    ended = world("config", "set", "--project", "language", "zh")
    assert (ended.returncode, world.trusted) == (0, False)
    assert "is not loaded" in ended.stderr
    assert world("config", "get", "language").stdout == "\n"
    trust(world.project, world.home)
    assert world("config", "set", "--project", "language", "en").returncode == 0
    assert (world("config", "get", "language").stdout, world.trusted) == ("en\n", True)


def test_doctor_says_what_is_not_loaded(world: Place) -> None:
    checks = {item["name"]: item for item in json.loads(world("doctor", "--json").stdout)}
    assert checks["trust"]["status"] == "warn" and "AGENTS.md" in checks["trust"]["detail"]
    (world.home / "data").mkdir(parents=True)
    (world.home / "data" / "trust.json").write_text("{")
    checks = {item["name"]: item for item in json.loads(world("doctor", "--json").stdout)}
    assert (
        checks["trust"]["status"] == "fail" and "no folder is trusted" in checks["trust"]["detail"]
    )
