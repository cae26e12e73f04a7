import json
import os
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from confinement import FOUND, needs_bubblewrap

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.process.launcher import capture_output
from maxagent.tools.sandbox import detect
from maxagent.tools.sandbox.detect import open_sandbox, remove_leftovers
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace

NAMES = (".llc.yaml", ".github", ".github/workflows", ".git/commondir", "used", "gone")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    project, store = tmp_path / "project", tmp_path / "store"
    for name in (".llc.yaml", ".github/workflows", ".git", "used"):
        (project / name).mkdir(parents=True)
    (project / ".git" / "commondir").write_text(".\n")
    (project / "used" / "file").write_text("")
    store.mkdir()
    lines = [json.dumps(str(project / name)) for name in NAMES]
    (store / "ledger").write_text("\n".join([*lines, "{torn"]))
    return store


def test_unused_folders_of_old_versions_are_removed(store: Path) -> None:
    remove_leftovers(store)
    project = store.parent / "project"
    assert sorted(os.listdir(project)) == [".git", "used"] and not store.exists()
    assert os.listdir(project / ".git") == []


def test_missing_ledger_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    remove_leftovers(tmp_path)
    assert os.listdir(tmp_path) == ["file"]


def opened(folder: Path, **section: object) -> Sandbox:
    return open_sandbox(SandboxSection.model_validate(section), Workspace(folder), folder / "home")


@pytest.fixture
def no_bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


@needs_bubblewrap
def test_bubblewrap_is_tried_and_used(tmp_path: Path) -> None:
    result = opened(tmp_path)
    assert (result.backend, result.program, result.network) == ("bubblewrap", FOUND.program, False)
    assert opened(tmp_path, network=True).state == "bubblewrap, with network"
    assert os.listdir(tmp_path) == []


@needs_bubblewrap
def test_program_in_project_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bwrap").symlink_to(FOUND.program or "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert not opened(tmp_path).is_on


@needs_bubblewrap
async def test_it_can_be_opened_where_a_loop_runs(tmp_path: Path) -> None:
    assert opened(tmp_path).is_on


def test_off_is_off_and_reported(tmp_path: Path) -> None:
    assert opened(tmp_path, mode="off").state == "none: turned off by `sandbox.mode`"


@pytest.mark.usefixtures("no_bwrap")
def test_missing_program_explains_how_to_install(tmp_path: Path) -> None:
    result = opened(tmp_path)
    assert not result.is_on
    assert "apt install bubblewrap" in result.why_none


@pytest.mark.usefixtures("no_bwrap")
def test_required_and_missing_is_an_error_of_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="required, but not available") as caught:
        opened(tmp_path, mode="require")
    assert caught.value.exit_code == 2


def _list_keys() -> list[tuple[Path, bool, bool, bool, bool]]:
    flags = (False, True)
    return [
        (FOUND.program, rights, False, filtered, guarded)
        for rights, filtered, guarded in product(flags, flags, flags)
    ]


CREATED = "bubblewrap, no network; files that steer tools can be created: bwrap: no seccomp"


@needs_bubblewrap
def test_root_without_its_rights_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {key: "bwrap: not permitted" if key[1] else "" for key in _list_keys()}
    monkeypatch.setattr(detect, "_COMPLAINTS", texts)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    result = opened(tmp_path)
    assert (
        result.is_on and not result.owner_rights and result.why_no_rights == "bwrap: not permitted"
    )
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert "files of other owners cannot be written: bwrap: not permitted" in result.state


@needs_bubblewrap
def test_wall_without_a_guard_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {key: "guard: not permitted" if key[4] else "" for key in _list_keys()}
    monkeypatch.setattr(detect, "_COMPLAINTS", texts)
    result = opened(tmp_path)
    assert result.denies_unix_sockets and "can be created: guard: not permitted" in result.state


@needs_bubblewrap
def test_failing_program_reports_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {key: "bwrap: No permissions" for key in _list_keys()}
    monkeypatch.setattr(detect, "_COMPLAINTS", texts)
    result = opened(tmp_path)
    assert not result.is_on and "bwrap: No permissions" in result.why_none


@needs_bubblewrap
@pytest.mark.parametrize(
    ("unix_sockets", "state"),
    [
        ("deny", f"{CREATED}; unix sockets are open: bwrap: no seccomp"),
        ("allow", f"{CREATED}; unix sockets are allowed"),
    ],
)
def test_wall_without_a_filter_says_so(
    unix_sockets: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {key: "bwrap: no seccomp" if key[3] else "" for key in _list_keys()}
    monkeypatch.setattr(detect, "_COMPLAINTS", texts)
    result = opened(tmp_path, unix_sockets=unix_sockets)
    assert (result.is_on, result.state, result.denies_unix_sockets) == (True, state, False)


@needs_bubblewrap
def test_single_probe_failure_is_retried(tmp_path: Path) -> None:
    once, program = tmp_path / "tried", tmp_path / "bwrap"
    first = f"[ -e {once} ] || {{ : > {once}; exit 1; }}"
    program.write_text(f'#!/bin/sh\n{first}\nexec {FOUND.program} "$@"\n')
    program.chmod(0o755)
    text = replace(opened(tmp_path), program=program)
    assert detect._verify_sandbox(text).is_on and once.exists()


def test_a_system_without_any_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "sunos5")
    assert "WSL" in opened(tmp_path).why_none


def test_wrong_writable_folder_fails_in_every_mode(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"sandbox\.writable"):
        opened(tmp_path, mode="off", writable=["/"])


@needs_bubblewrap
@pytest.mark.parametrize("mode", ["auto", "require"])
async def test_missing_writable_folder_is_omitted_and_named(tmp_path: Path, mode: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "cache").mkdir()
    workspace, missing = Workspace(tmp_path / "project"), tmp_path.resolve() / "missing"
    section = SandboxSection.model_validate({"mode": mode, "writable": ["../cache", str(missing)]})
    result = open_sandbox(section, workspace, tmp_path / "home")
    assert result.state.endswith(f"; configured as writable, but missing: `{missing}`")
    missing.mkdir()  # another program makes it: what was asked before counts still
    later = open_sandbox(section, workspace, tmp_path / "home")
    assert result.confinement == later.confinement == later.state
    missing.rmdir()
    async with result.wrap(["touch", "../cache/made"], workspace.root) as line:
        done = await capture_output(line.argv, cwd=workspace.root, timeout=60, guard=line.guard)
    assert (done.exit_code, os.listdir(tmp_path / "cache")) == (0, ["made"])


def test_what_a_killed_run_has_left_is_cleared(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / ".llc.yaml").mkdir(parents=True)
    workspace, home = Workspace(root), tmp_path / "home"
    store = detect.get_store_folder(home, root.resolve())
    store.mkdir(parents=True)
    (store / "ledger").write_text(f'"{root.resolve()}/.llc.yaml"\n')
    open_sandbox(SandboxSection(mode="off"), workspace, home)
    assert os.listdir(root) == []
