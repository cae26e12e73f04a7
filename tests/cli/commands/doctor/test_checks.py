import json
import os
import sqlite3
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from confinement import FOUND, needs_bubblewrap

from maxagent.cli.commands.doctor import checks
from maxagent.cli.commands.doctor.checks import (
    CHECKS,
    DoctorCheck,
    DoctorEnvironment,
    check_configuration,
    check_data_directory,
    check_git,
    check_hooks,
    check_mcp,
    check_provider,
    check_python,
    check_ripgrep,
    check_sandbox,
    check_snapshots,
    check_sqlite,
)
from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load_settings
from maxagent.tools.sandbox import detect

SECRET = "sk-very-secret"
NO_BWRAP = "bubblewrap is not installed; `apt install bubblewrap` or `dnf install bubblewrap`"


HOOKS = """\
hooks:
  before_tool:
    - {matcher: Edit, command: "true"}
    - {matcher: Eidt, command: "true"}
    - {matcher: ask_user, command: "true"}
  on_stop:
    - command: no-such-program
"""


def around(home: Path, **environ: str) -> DoctorEnvironment:
    """A machine with that home and environment, whose configuration loads."""
    return DoctorEnvironment(environ, home, load_settings(home, home, environ=environ), None)


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
    result = [check(around(tmp_path)) for check in CHECKS]
    assert len({each.name for each in result}) == len(CHECKS)


def test_python_and_sqlite_say_their_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_python(around(tmp_path)).detail.endswith(f"({sys.executable})")
    assert check_sqlite(around(tmp_path)) == DoctorCheck("sqlite", "ok", sqlite3.sqlite_version)
    old = SimpleNamespace(sqlite_version="3.31.1", sqlite_version_info=(3, 31, 1))
    monkeypatch.setattr(checks, "sqlite3", old)
    result = check_sqlite(around(tmp_path))
    assert (result.status, result.detail) == ("warn", "3.31.1")
    assert "3.35" in result.remedy


def test_without_git_snapshots_have_only_what_tools_write(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = check_snapshots(around(tmp_path))
    assert (result.status, result.remedy) == ("warn", "install git")
    assert "only files that tools write" in result.detail and "commands" in result.detail
    program(programs, "git", "echo git version 2")
    folder = tmp_path / "data" / "snapshots"
    assert check_snapshots(around(tmp_path)) == DoctorCheck(
        "snapshots", "ok", f"all files, using git; in {folder}"
    )


@pytest.mark.parametrize("check, name", [(check_git, "git"), (check_ripgrep, "rg")])
def test_program_check_runs_the_program(
    check: Callable[[DoctorEnvironment], DoctorCheck], name: str, programs: Path
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
    result = check(around(programs))
    assert (result.status, result.remedy) == ("ok", "")
    assert result.detail == f"{path} --version ({path})"


def test_without_a_sandbox_the_reason_is_shown(programs: Path) -> None:
    program(programs, "bwrap", "exit 0")  # anybody could have put it there
    missing = check_sandbox(around(programs))
    assert (missing.status, missing.detail) == ("warn", f"none: {NO_BWRAP}")

    (programs / "config.yaml").write_text("sandbox: require\n")
    required = check_sandbox(around(programs))
    assert (required.status, required.detail) == (
        "fail",
        f"a sandbox is required, but not available: {NO_BWRAP}",
    )
    assert "sandbox.mode" in required.remedy


@needs_bubblewrap
def test_the_sandbox_is_tried(tmp_path: Path) -> None:
    result = check_sandbox(around(tmp_path))
    assert (result.status, result.detail) == ("ok", f"bubblewrap, no network ({FOUND.program})")


@needs_bubblewrap
def test_sandbox_without_a_filter_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = (False, True)
    keys = product([FOUND.program], flags, [False], flags, flags)
    texts = {key: "bwrap: no seccomp" if key[3] else "" for key in keys}
    monkeypatch.setattr(detect, "_COMPLAINTS", texts)
    result = check_sandbox(around(tmp_path))
    assert (result.status, "unix sockets are open" in result.detail) == ("warn", True)


def test_the_configurations_files_are_named(tmp_path: Path) -> None:
    assert check_configuration(around(tmp_path)).detail == "defaults only"
    (tmp_path / "config.yaml").write_text("language: en\n")
    result = check_configuration(around(tmp_path, LLC_MODE="ask"))
    assert (result.status, result.detail) == ("ok", f"{tmp_path}/config.yaml, environment LLC_MODE")


def test_folder_in_place_of_configuration_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".llc.yaml").mkdir()
    monkeypatch.chdir(tmp_path)
    assert check_configuration(around(tmp_path)).status == "warn"


def test_unloadable_configuration_fails_and_hides_provider(tmp_path: Path) -> None:
    broken = DoctorEnvironment({}, tmp_path, None, UsageError("what", hint="do this"))
    assert check_configuration(broken) == DoctorCheck("configuration", "fail", "what", "do this")
    assert check_provider(broken).status == "fail"


def test_no_provider_fails_with_a_remedy(tmp_path: Path) -> None:
    result = check_provider(around(tmp_path))
    assert result.status == "fail"
    assert "mcode auth login" in result.remedy


@pytest.mark.parametrize(
    "environ, detail",
    [
        (
            {"OPENAI_API_KEY": SECRET},
            "openai/gpt-4o · https://api.openai.com/v1 · key from OPENAI_API_KEY",
        ),
        (
            {"ZHIPU_KEY": SECRET},
            "glm/glm-4.6 · https://open.bigmodel.cn/api/paas/v4 · key from ZHIPU_KEY",
        ),
        (
            {"LLC_PROVIDER": "deepseek", "LLC_API_KEY": SECRET},
            "deepseek/deepseek-chat · https://api.deepseek.com · key from environment LLC_API_KEY",
        ),
        (
            {"LLC_BASE_URL": "http://me:pass@localhost:8000/v1", "LLC_MODEL": "own"},
            "openai/own · http://localhost:8000/v1 (environment LLC_BASE_URL) · no key needed",
        ),
    ],
)
def test_provider_check_names_key_source_not_key(
    environ: dict[str, str], detail: str, tmp_path: Path
) -> None:
    assert check_provider(around(tmp_path, **environ)) == DoctorCheck("provider", "ok", detail)


def test_creatable_or_private_data_directory_is_ok(tmp_path: Path) -> None:
    result = check_data_directory(around(tmp_path / "new"))
    assert (result.status, f"{tmp_path}/new/data (will be created)" in result.detail) == (
        "ok",
        True,
    )
    assert not (tmp_path / "new").exists()
    (tmp_path / "data").mkdir(mode=0o700)
    assert check_data_directory(around(tmp_path)).detail.startswith(f"{tmp_path}/data, ")


def test_data_directory_readable_by_others_warns(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    result = check_data_directory(around(tmp_path))
    assert (result.status, f"`chmod 700 {tmp_path}/data`" in result.remedy) == ("warn", True)


def test_file_in_place_of_data_directory_fails(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    result = check_data_directory(around(tmp_path))
    assert (result.status, "MAXAGENT_HOME" in result.remedy) == ("fail", True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_directory_that_cannot_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o500)
    assert check_data_directory(around(tmp_path)).status == "fail"


def test_a_full_disk_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SPACE_NEEDED", 10**18)
    result = check_data_directory(around(tmp_path))
    assert (result.status, result.remedy.startswith("only ")) == ("warn", True)


def test_a_pattern_that_opens_secrets_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security: {ignore_patterns: [priv/, '!.env']}\n")
    result = check_configuration(around(tmp_path))
    assert result.status == "warn"
    assert f"`!.env` ({tmp_path / 'config.yaml'}:1) in `security.ignore_patterns`" in result.detail
    assert "priv/" not in result.detail


@pytest.mark.parametrize(
    ("content", "status", "detail"),
    [
        ("{}", "ok", "none"),
        ('{"servers": {"a": {"url": "https://x"}, "b": {"command": "sh"}}}', "ok", "2 servers"),
        ('{"servers": {"b": {"command": "./mine"}}}', "ok", "1 server"),
        ('{"servers": {"a": {"url": "${X}", "enabled": false}}}', "ok", "none"),
        ('{"servers": {"a": {"url": "${X}"}}}', "warn", "a: the variable `X` is not set"),
        ('{"servers": {"a": {"command": "no-such-program"}}}', "warn", "a: `no-such-program`"),
        ("{", "warn", "mcp_servers.json: it is not JSON"),
    ],
)
def test_problems_of_mcp_servers_are_named(
    tmp_path: Path, programs: Path, content: str, status: str, detail: str
) -> None:
    program(programs, "sh", "")
    (tmp_path / "maxagent").mkdir()
    (tmp_path / "maxagent" / "mcp_servers.json").write_text(content)
    check = check_mcp(around(tmp_path, XDG_CONFIG_HOME=str(tmp_path)))
    assert (check.name, check.status) == ("mcp", status)
    assert detail in check.detail


def test_hooks_that_never_run_are_named(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(HOOKS)
    check = check_hooks(around(tmp_path))
    assert check.status == "warn"
    assert [problem.partition(": ")[2] for problem in check.detail.split("; ")] == [
        "`Eidt` matches no tool whose calls hooks see",
        "`ask_user` matches no tool whose calls hooks see",
        "there is no program `no-such-program`",
    ]


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("", "({path})"),
        ("echo", "({path})"),
        ("echo; echo 3.2", "3.2 ({path})"),
        ("echo 3.2 >&2", "({path})"),
        ("printf '\\377 3'", "({path})"),
        ("exit 3", "is not installed"),
    ],
)
def test_any_output_of_a_program_is_a_row(programs: Path, script: str, detail: str) -> None:
    path = program(programs, "rg", script)
    assert detail.format(path=path) in check_ripgrep(around(programs)).detail


def test_a_program_without_its_interpreter_is_missing(programs: Path) -> None:
    path = program(programs, "rg", "")
    path.write_text("#!/nowhere/sh\n")
    assert check_ripgrep(around(programs)).status == "warn"


@pytest.mark.parametrize(
    ("path", "variables", "is_found"),
    [
        ("{folder}", {}, True),
        ("bin", {}, False),
        ("", {}, False),
        ("/nowhere", {"PATH": "{folder}"}, True),
        ("{folder}", {"PATH": "/nowhere"}, False),
        (".:{folder}", {}, True),
    ],
)
def test_servers_programs_are_sought_as_when_started(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    variables: dict[str, str],
    is_found: bool,
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "mine", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path.format(folder=folder))
    env = {name: each.format(folder=folder) for name, each in variables.items()}
    servers = {"servers": {"a": {"command": "mine", "env": env}}}
    (tmp_path / "maxagent").mkdir()
    (tmp_path / "maxagent" / "mcp_servers.json").write_text(json.dumps(servers))
    check = check_mcp(around(tmp_path, XDG_CONFIG_HOME=str(tmp_path)))
    assert (check.status == "ok") == is_found
