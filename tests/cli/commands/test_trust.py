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
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_trust_without_human_lists_files_trusts_nothing(place: Place) -> None:
    ended = place("trust")
    assert (ended.returncode, ended.stdout, place.trusted) == (4, "", False)
    assert "AGENTS.md" in ended.stderr and "--yes" in ended.stderr


def test_a_yes_is_remembered_listed_and_taken_back(place: Place) -> None:
    (place.project / "sub").mkdir()
    (place.project / "sub/GEMINI.md").write_text("x")
    assert place("trust", "--list").stderr == "No trusted folders\n"
    assert (place("trust", "--yes").returncode, place.trusted) == (0, True)
    told = place("trust").stderr
    assert "already trusted" in told and "    AGENTS.md\n" in told and "sub/GEMINI.md\n" in told
    (listed,) = json.loads(place("trust", "--list", "--json").stdout)
    assert (listed["folder"], listed["state"]) == (str(place.project), "trusted")
    assert listed["files"] == ["AGENTS.md", "sub/GEMINI.md"]
    checks = {one["name"]: one for one in json.loads(place("doctor", "--json").stdout)}
    assert (checks["trust"]["status"], checks["trust"]["remedy"]) == ("ok", "")
    (place.project / "sub/GEMINI.md").write_text("y")
    changed = "trusted, except changes you have not approved yet (`mcode trust`, `/trust`): `sub/GE"
    assert (
        changed in place("doctor").stdout
        and "trusted, except changes" in place("trust", "--list").stdout
    )
    (listed,) = json.loads(place("trust", "--list", "--json").stdout)
    assert (listed["state"], listed["changed"]) == ("trusted", ["`sub/GEMINI.md` changed"])
    asked = place("trust")
    assert asked.returncode == 4 and "is trusted, but files that changed" in asked.stderr
    assert place.trusted and "`sub/GEMINI.md` changed" in place("trust").stderr
    (place.project / "AGENTS.md").write_text("y")
    assert str(place.project) in (shown := place("trust", "--list").stdout)
    assert "changed since" in shown
    assert "changed since you trusted it: `AGENTS.md` changed" in place("trust").stderr
    assert "no longer trusted" in place("trust", "--revoke").stderr
    assert json.loads(place("trust", "--list", "--json").stdout) == []
    ended = place("trust", "--revoke")
    assert (ended.returncode, "was not trusted" in ended.stderr) == (0, True)


def test_trust_accepts_other_folder_revokes_missing_one(place: Place) -> None:
    other = place.home.parent / "other"
    other.mkdir()
    assert place("trust", str(other), "--yes").returncode == 0
    other.rmdir()
    (listed,) = json.loads(place("trust", "--list", "--json").stdout)
    assert (listed["folder"], listed["state"]) == (str(other), "gone")
    assert "no longer trusted" in place("trust", str(other), "--revoke").stderr
    for words in ((), ("--yes",)):
        gone = place("trust", str(other), *words)
        assert (gone.returncode, "is not a folder" in gone.stderr) == (2, True)


def test_untrustable_folder_is_refused_for_any_answer(place: Place) -> None:
    os.mkfifo(place.project / ".mcp.json")
    for arguments in (["trust", "--yes"], ["trust"], ["tools", "call", "ls", "--trust"]):
        ended = place(*arguments)
        assert ended.returncode == 2 and "`.mcp.json`" in ended.stderr
    assert not place.trusted


def test_options_that_exclude_each_other_are_refused(place: Place) -> None:
    for words in (["--list", "--yes"], ["--list", "--revoke"], ["--revoke", "--yes"], ["--json"]):
        assert place("trust", *words).returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        ["tools", "call", "list_files"],
        ["permissions", "list"],
        ["permissions", "explain", "read_file", "path=a"],
    ],
)
def test_the_flag_is_a_yes(place: Place, command: list[str]) -> None:
    (place.project / ".llc.yaml").write_text("security: {ignore_patterns: ['A*']}\n")
    ended = place(*command)
    assert "`.llc.yaml` is not loaded" in ended.stderr and not place.trusted
    ended = place(*command, "--trust")
    assert "not loaded" not in ended.stderr and place.trusted


def test_own_project_setting_is_reported_as_ignored(place: Place) -> None:
    ended = place("config", "set", "--project", "language", "zh")
    assert (ended.returncode, place.trusted) == (0, False)
    assert "is not loaded" in ended.stderr
    assert place("config", "get", "language").stdout == "\n"
    trust(place.project, place.home)
    assert place("config", "set", "--project", "language", "en").returncode == 0
    assert (place("config", "get", "language").stdout, place.trusted) == ("en\n", True)


def test_doctor_says_what_is_not_loaded(place: Place) -> None:
    checks = {one["name"]: one for one in json.loads(place("doctor", "--json").stdout)}
    assert checks["trust"]["status"] == "warn" and "AGENTS.md" in checks["trust"]["detail"]
    (place.home / "data").mkdir(parents=True)
    (place.home / "data" / "trust.json").write_text("{")
    checks = {one["name"]: one for one in json.loads(place("doctor", "--json").stdout)}
    assert (
        checks["trust"]["status"] == "fail" and "no folder is trusted" in checks["trust"]["detail"]
    )
