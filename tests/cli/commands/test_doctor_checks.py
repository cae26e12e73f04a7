import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from confinement import FOUND, needs_bubblewrap

from maxagent.cli.commands import doctor_checks
from maxagent.cli.commands.doctor_checks import (
    CHECKS,
    Check,
    Surroundings,
    configuration,
    data_directory,
    git,
    provider,
    python,
    ripgrep,
    sandbox,
    snapshots,
    sqlite,
)
from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load
from maxagent.tools.sandbox import detect

SECRET = "sk-very-secret"
NO_BWRAP = "bubblewrap is not installed; `apt install bubblewrap` or `dnf install bubblewrap`"


def around(home: Path, **environ: str) -> Surroundings:
    """A machine with that home and environment, whose configuration loads."""
    return Surroundings(environ, home, load(home, home, environ=environ), None)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("LC_ALL", "C")
    return folder


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_every_check_has_a_name_of_its_own(tmp_path: Path) -> None:
    found = [check(around(tmp_path)) for check in CHECKS]
    assert [each.name for each in found] == [check.__name__ for check in CHECKS]


def test_python_and_sqlite_say_their_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert python(around(tmp_path)).detail.endswith(f"({sys.executable})")
    assert sqlite(around(tmp_path)) == Check("sqlite", "ok", sqlite3.sqlite_version)
    old = SimpleNamespace(sqlite_version="3.31.1", sqlite_version_info=(3, 31, 1))
    monkeypatch.setattr(doctor_checks, "sqlite3", old)
    found = sqlite(around(tmp_path))
    assert (found.status, found.detail) == ("warn", "3.31.1")
    assert "3.35" in found.remedy


def test_without_git_snapshots_have_only_what_tools_write(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = snapshots(around(tmp_path))
    assert (found.status, found.remedy) == ("warn", "install git")
    assert "only files that tools write" in found.detail and "commands" in found.detail
    program(programs, "git", "echo git version 2")
    folder = tmp_path / "data" / "snapshots"
    assert snapshots(around(tmp_path)) == Check(
        "snapshots", "ok", f"all files, using git; in {folder}"
    )


@pytest.mark.parametrize("check, name", [(git, "git"), (ripgrep, "rg")])
def test_a_program_is_run_to_see_whether_it_works(
    check: Callable[[Surroundings], Check], name: str, programs: Path
) -> None:
    missing = check(around(programs))
    assert (missing.status, missing.detail) == (
        "warn",
        f"`{name}` is not installed or does not run",
    )
    assert "install" in missing.remedy

    path = program(programs, name, "echo broken; exit 1")
    assert check(around(programs)) == missing

    program(programs, name, 'echo "$0 $1"; echo more')
    found = check(around(programs))
    assert (found.status, found.remedy) == ("ok", "")
    assert found.detail == f"{path} --version ({path})"


def test_without_a_sandbox_it_is_said_why(programs: Path) -> None:
    program(programs, "bwrap", "exit 0")  # anybody could have put it there
    missing = sandbox(around(programs))
    assert (missing.status, missing.detail) == ("warn", f"none: {NO_BWRAP}")

    (programs / "config.yaml").write_text("sandbox: require\n")
    required = sandbox(around(programs))
    assert (required.status, required.detail) == (
        "fail",
        f"a sandbox is required, but none is available: {NO_BWRAP}",
    )
    assert "sandbox.mode" in required.remedy


@needs_bubblewrap
def test_the_sandbox_is_tried(tmp_path: Path) -> None:
    found = sandbox(around(tmp_path))
    assert (found.status, found.detail) == ("ok", f"bubblewrap, no network ({FOUND.program})")


@needs_bubblewrap
def test_sandbox_without_a_filter_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {(FOUND.program, False, True): "bwrap: no seccomp", (FOUND.program, False, False): ""}
    monkeypatch.setattr(detect, "_COMPLAINTS", said)
    found = sandbox(around(tmp_path))
    assert (found.status, "unix sockets are open" in found.detail) == ("warn", True)


def test_the_configurations_files_are_named(tmp_path: Path) -> None:
    assert configuration(around(tmp_path)).detail == "defaults only"
    (tmp_path / "config.yaml").write_text("language: en\n")
    found = configuration(around(tmp_path, LLC_MODE="ask"))
    assert (found.status, found.detail) == ("ok", f"{tmp_path}/config.yaml, environment LLC_MODE")


def test_a_folder_in_the_place_of_the_configuration_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".llc.yaml").mkdir()
    monkeypatch.chdir(tmp_path)
    assert configuration(around(tmp_path)).status == "warn"


def test_a_configuration_that_does_not_load_fails_and_hides_the_provider(tmp_path: Path) -> None:
    broken = Surroundings({}, tmp_path, None, UsageError("what", hint="do this"))
    assert configuration(broken) == Check("configuration", "fail", "what", "do this")
    assert provider(broken).status == "fail"


def test_no_provider_fails_with_a_remedy(tmp_path: Path) -> None:
    found = provider(around(tmp_path))
    assert found.status == "fail"
    assert "OPENAI_API_KEY" in found.remedy


@pytest.mark.parametrize(
    "environ, detail",
    [
        ({"OPENAI_API_KEY": SECRET}, "openai/gpt-4o · api.openai.com · key from OPENAI_API_KEY"),
        (
            {"ZHIPU_KEY": SECRET},
            "glm/glm-4.6 · open.bigmodel.cn · key from ZHIPU_KEY",
        ),
        (
            {"LLC_PROVIDER": "deepseek", "LLC_API_KEY": SECRET},
            "deepseek/deepseek-chat · api.deepseek.com · key from environment LLC_API_KEY",
        ),
        (
            {"LLC_BASE_URL": "http://me:pass@localhost:8000/v1", "LLC_MODEL": "own"},
            "openai/own · localhost:8000 · no key needed",
        ),
    ],
)
def test_the_provider_says_where_its_key_comes_from_but_never_the_key(
    environ: dict[str, str], detail: str, tmp_path: Path
) -> None:
    assert provider(around(tmp_path, **environ)) == Check("provider", "ok", detail)


def test_a_data_directory_that_can_be_made_or_is_private_is_ok(tmp_path: Path) -> None:
    found = data_directory(around(tmp_path / "new"))
    assert (found.status, f"{tmp_path}/new/data (will be created)" in found.detail) == ("ok", True)
    assert not (tmp_path / "new").exists()
    (tmp_path / "data").mkdir(mode=0o700)
    assert data_directory(around(tmp_path)).detail.startswith(f"{tmp_path}/data, ")


def test_a_data_directory_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    found = data_directory(around(tmp_path))
    assert (found.status, f"`chmod 700 {tmp_path}/data`" in found.remedy) == ("warn", True)


def test_a_file_in_the_place_of_the_data_directory_fails(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    found = data_directory(around(tmp_path))
    assert (found.status, "MAXAGENT_HOME" in found.remedy) == ("fail", True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_directory_that_cannot_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o500)
    assert data_directory(around(tmp_path)).status == "fail"


def test_a_full_disk_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks, "SPACE_NEEDED", 10**18)
    found = data_directory(around(tmp_path))
    assert (found.status, found.remedy.startswith("only ")) == ("warn", True)


def test_a_pattern_that_opens_secrets_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security: {ignore_patterns: [priv/, '!.env']}\n")
    found = configuration(around(tmp_path))
    assert found.status == "warn"
    assert f"`!.env` ({tmp_path / 'config.yaml'}:1) in `security.ignore_patterns`" in found.detail
    assert "priv/" not in found.detail
