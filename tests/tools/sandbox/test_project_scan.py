import os
import random
import subprocess
from pathlib import Path

import pytest

from maxagent.tools.filesystem import state_cache
from maxagent.tools.filesystem.state_cache import StateCache
from maxagent.tools.result import ToolError
from maxagent.tools.sandbox import project_scan
from maxagent.tools.sandbox.project_scan import scan_project
from maxagent.tools.workspace import Workspace


def make(root: Path, *names: str) -> Workspace:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return Workspace(root)


def named(root: Path, paths: list[Path]) -> list[str]:
    return sorted(str(path.relative_to(root.resolve())) for path in paths)


def test_secrets_are_found_at_any_depth_and_spelling(tmp_path: Path) -> None:
    workspace = make(
        tmp_path,
        ".env",
        ".env.example",
        "a/b/c/d/e/f/.ENV.production",
        "a/Server.KEY",
        "a/secrets/deep/one.txt",
        "node_modules/x/y.pem",
        "secrets.py",
        "main.py",
    )
    result = scan_project(workspace)
    assert named(tmp_path, result.secret_files) == [
        ".env", "a/Server.KEY", "a/b/c/d/e/f/.ENV.production", "node_modules/x/y.pem",
    ]  # fmt: skip
    assert named(tmp_path, result.secret_folders) == ["a/secrets"]


def test_certificate_lists_in_installed_packages_are_no_secrets(tmp_path: Path) -> None:
    installed = ".venv/lib/python3/site-packages/certifi"
    workspace = make(tmp_path, f"{installed}/cacert.pem", f"{installed}/own.pem", "cacert.pem")
    result = scan_project(workspace)
    assert named(tmp_path, result.secret_files) == [f"{installed}/own.pem", "cacert.pem"]


def test_user_patterns_with_folders_are_applied(tmp_path: Path) -> None:
    make(tmp_path, "config/prod.yaml", "prod.yaml", "private/x", "a/private/x", "b.txt")
    own = Workspace(tmp_path, ("config/prod.yaml", "/private/", "b.*", "!b.txt"))
    result = scan_project(own)
    assert named(tmp_path, result.secret_files) == ["config/prod.yaml"]
    assert named(tmp_path, result.secret_folders) == ["private"]


def test_protected_files_are_found_outside_installed_packages(tmp_path: Path) -> None:
    workspace = make(
        tmp_path,
        "AGENTS.md",
        "sub/CLAUDE.md",
        ".github/workflows/ci.yml",
        ".github/dependabot.yml",
        "node_modules/x/.vscode/settings.json",
        "sub/.git/config",
        ".git/hooks/pre-commit",
    )
    result = scan_project(workspace)
    assert named(tmp_path, result.protected) == [".github/workflows", "AGENTS.md", "sub/CLAUDE.md"]
    assert named(tmp_path, result.git) == [".git", "sub/.git"]


def test_target_of_protected_link_is_protected(tmp_path: Path) -> None:
    root = tmp_path / "project"
    workspace = make(root, "docs/rules.txt", "sub/x")
    (root / "AGENTS.md").symlink_to("docs/rules.txt")
    (root / "sub" / "CLAUDE.md").symlink_to("gone")
    (root / "sub" / ".vscode").symlink_to("/usr")
    assert named(root, scan_project(workspace).protected) == ["docs/rules.txt"]


def test_outside_target_of_secret_link_is_hidden(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    workspace = make(root, "real.txt")
    make(outside, "prod.env", "keys/one")
    (root / ".env").symlink_to(outside / "prod.env")
    (root / "secrets").symlink_to(outside / "keys")
    (root / "x.key").symlink_to("real.txt")
    (root / "y.key").symlink_to("gone")
    (root / "z.key").symlink_to("..")
    result = scan_project(workspace)
    assert named(tmp_path, result.secret_files) == ["outside/prod.env"]
    assert named(tmp_path, result.secret_folders) == ["outside/keys"]


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_unreadable_folder_is_hidden(tmp_path: Path) -> None:
    workspace = make(tmp_path, "closed/.env")
    (tmp_path / "closed").chmod(0)
    try:
        assert named(tmp_path, scan_project(workspace).secret_folders) == ["closed"]
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_what_is_too_much_to_guard_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make(tmp_path, *(f"{number}.key" for number in range(12)))
    monkeypatch.setattr(project_scan, "MAX_FOUND", 10)
    with pytest.raises(ToolError, match="over 10 secret or protected files"):
        scan_project(workspace)
    monkeypatch.setattr(project_scan, "MAX_ENTRIES", 11)
    with pytest.raises(ToolError, match="over 11 files.*outside_sandbox"):
        scan_project(workspace)


ACTS = [
    "touch {a}/new{n}",
    "touch {a}/.env",
    "mkdir -p {a}/{n}; echo x > {a}/{n}/id_rsa",
    "mv {a} {b}{n}",
    "mv {a}/x.py {b}/x{n}.key",
    "mv {a}/.env {b}/env{n}",
    "rm -rf {a}; ln -s {b} {a}",
    "ln -sfn {a}/x.py {b}/.env",
    "ln -sfn /etc/passwd {a}/AGENTS.md; ln -sfn ../{b} {a}/inner",
    "rm -rf {a}; echo x > {a}",
    "mkdir -p {a}/secrets; touch {a}/secrets/x",
    "mkdir -p {a}/.git {a}/node_modules/{b}; touch {a}/node_modules/{b}/.npmrc",
    "echo x > {a}/.env; rm {a}/.env; touch -d 2001-01-01 {a}",
    "cp -a {a} {b}{n}",
]


@pytest.mark.parametrize("seed", range(3))
def test_a_scan_from_memory_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(state_cache, "SETTLED", 20_000_000)
    chance, folders = random.Random(seed), ["a", "b", "a/c", "a/c/d", "e"]
    workspace = make(tmp_path, *(f"{folder}/x.py" for folder in folders))
    scan_project(workspace)
    for number in range(40):
        a, b = chance.sample(folders, 2)
        command = chance.choice(ACTS).format(a=a, b=b, n=number)
        subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True)
        result = scan_project(workspace)
        with monkeypatch.context() as anew:
            anew.setattr(project_scan, "_scans", StateCache(0))
            assert result == scan_project(workspace), command
