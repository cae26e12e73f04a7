import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import maxagent
from maxagent.config.trust.inventory import PLACES
from maxagent.tools.protected_paths import INSIDE, SPELLINGS, find_protected_name
from maxagent.tools.sandbox.profile import SandboxProfile
from maxagent.tools.sandbox.profile_builder import build_guard_rules, build_profile
from maxagent.tools.sandbox.project_scan import scan_project
from maxagent.tools.sandbox.syscall_filter import find_filter_problem
from maxagent.tools.workspace import Workspace

pytestmark = pytest.mark.skipif(bool(find_filter_problem()), reason="no filter for this machine")
ROOT = Path("/w/project")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return root


def wall(root: Path, **more: object) -> SandboxProfile:
    workspace = Workspace(root)
    return build_profile(workspace, scan_project(workspace), home=root.parent / "agent", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for names in PLACES.values() for name in names])
def test_every_file_that_trust_lists_is_protected(name: str) -> None:
    assert find_protected_name(name)


def test_in_an_empty_project_every_place_is_held(root: Path) -> None:
    result = wall(root)
    assert result.writable == (root,)
    assert set(result.reserved) == {root / name for name in SPELLINGS}
    assert (result.frozen, result.pinned) == ((), ())


def test_what_exists_is_frozen_and_not_made(root: Path) -> None:
    (root / "AGENTS.md").write_text("x")
    (root / ".vscode").mkdir()
    (root / ".github" / "workflows").mkdir(parents=True)
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    result = wall(root)
    frozen = {root / name for name in ("AGENTS.md", ".vscode", ".github/workflows")}
    assert frozen <= set(result.frozen) and root / ".github" in result.pinned
    assert root / "CLAUDE.md" not in result.frozen  # a link is put back instead
    names = {str(path.relative_to(root)) for path in result.reserved}
    assert not names & {"AGENTS.md", ".vscode", "CLAUDE.md"}


@pytest.mark.parametrize("exists", [True, False])
def test_git_hooks_folder_is_frozen(root: Path, exists: bool) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "config", "core.hooksPath", ".myhooks"], cwd=root, check=True)
    if exists:
        (root / ".myhooks").mkdir()
        (root / "shared.conf").write_text("")
    subprocess.run(["git", "config", "include.path", "../shared.conf"], cwd=root, check=True)
    result = wall(root)
    assert (root / "shared.conf" in result.frozen) is exists
    for name in ("shared.conf", ".myhooks"):
        assert (root / name in result.frozen, root / name in result.reserved) == (
            exists,
            not exists,
        )


def test_repositories_are_writable_and_cannot_be_moved(root: Path) -> None:
    for checkout in (root, root / "lib" / "inner"):
        subprocess.run(["git", "init", "-q", checkout], check=True)
    result = wall(root)
    held = (".git", "lib", "lib/inner", "lib/inner/.git")
    assert {root / name for name in held} <= set(result.pinned)
    assert root / ".git" not in result.frozen
    assert {root / ".git" / "hooks", root / "lib" / "inner" / ".git" / "config"} <= set(
        result.frozen
    )


def test_secrets_are_closed_and_program_secrets_are_empty(root: Path) -> None:
    home = root.parent / "home"
    for path in (root / ".env", root / ".npmrc", home / ".netrc", home / ".ssh" / "id"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (root.parent / "agent").mkdir()
    result = wall(root)
    assert root / ".env" in result.hidden_files
    assert {root / ".npmrc", home / ".netrc"} <= set(result.blank_files)
    assert {home / ".ssh", root.parent / "agent"} <= set(result.hidden_folders)


def test_a_writable_folders_repository_is_guarded_too(root: Path) -> None:
    other = root.parent / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    assert other / ".git" / "hooks" in wall(root, writable=(other,)).frozen
    assert other / ".git" / "hooks" in wall(root, writable=(other / ".git",)).frozen


def test_for_the_probe_nothing_is_held(root: Path) -> None:
    assert wall(root, reserve=False).reserved == ()


_BUILDS_PROFILE = """
from maxagent.tools.git.hardened_git import ATTRIBUTES
from maxagent.tools.process.user_variables import NO_EDITOR
from maxagent.tools.sandbox.profile_builder import build_profile
from maxagent.tools.sandbox.project_scan import scan_project
from maxagent.tools.workspace import Workspace
from pathlib import Path
import sys
workspace = Workspace(Path(sys.argv[1]))
profile = build_profile(workspace, scan_project(workspace), home=workspace.root / "agent")
for own in (ATTRIBUTES, NO_EDITOR):
    print(own.is_file(), str(own).startswith("/tmp/"), own in profile.shown)
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="`/tmp` is not replaced there")
def test_own_files_are_shown_below_tmp(root: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        package = Path(maxagent.__file__).parent
        hidden = shutil.ignore_patterns(".*", "tests", "docs", "build", "dist", "__pycache__")
        shutil.copytree(package, Path(folder) / "a b" / "maxagent", ignore=hidden)
        build = subprocess.run(
            [sys.executable, "-c", _BUILDS_PROFILE, root],
            env={**os.environ, "PYTHONPATH": str(Path(folder) / "a b")},
            check=True,
            capture_output=True,
            text=True,
        )
    assert build.stdout == "True True True\n" * 2


def test_rules_are_json_with_names_and_single_places() -> None:
    rules = build_guard_rules(ROOT, [ROOT / ".git" / "commondir", ROOT / "AGENTS.md"])
    assert json.loads(json.dumps(rules)) == rules
    assert rules["places"] == ["/w/project/.git/commondir"]
    assert {"agents.md", ".npmrc", ".gitattributes", ".mvn"} <= set(rules["names"])


@pytest.mark.parametrize("may_write", [False, True])
def test_only_installers_write_programs(may_write: bool) -> None:
    rules = build_guard_rules(ROOT, (), writes_programs=may_write)
    extra = {*rules["inside"]} - {*INSIDE}
    assert extra == (set() if may_write else {".venv", "venv", "node_modules"})
