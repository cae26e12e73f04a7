"""Whether a rule from an answer still holds: as the next call would be decided."""

from pathlib import Path

import pytest

from maxagent.tools.consent.rule_record import save_project_rule
from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.permissions.project_rules import list_project_rules
from maxagent.tools.workspace import Workspace

PACKAGE = '{"scripts": {"test": "jest"}}'
FILES = {
    "package.json": PACKAGE,
    "web/package.json": PACKAGE,
    ".git/config": "[user]\n\tname = a\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in {**FILES, ".git/HEAD": "ref: refs/heads/main\n"}.items():
        write(tmp_path / "project", name, content)
    return tmp_path / "project"


def write(root: Path, name: str, content: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(content)
    (root / name).chmod(0o755)


def allow(root: Path, command: str, rule: str) -> None:
    call = RequestedCall("run_command", "execute", {"command": command}, (), Workspace(root))
    provenances = [origin.provenance for origin in call.origins]
    save_project_rule(root.parent / "home", str(root), f"run_command({rule})", provenances)


def find_changes(root: Path) -> list[str]:
    [state] = list_project_rules(root.parent / "home", str(root), [])
    return list(map(str, state.changes))


@pytest.mark.parametrize(
    ("command", "rule", "name"),
    [
        ("npm test", "npm test:*", ".npmrc"),
        ("bun run test", "bun run test", "bunfig.toml"),
        ("git commit -m x", "git commit:*", ".git/hooks/pre-commit"),
        ("npx jest", "npx jest", ".npmrc"),
        ("make all", "make all", "Makefile"),
        ("bash run.sh", "bash run.sh", "run.sh"),
        ("yarn test", "yarn test:*", ".yarnrc.yml"),
    ],
)
def test_rule_with_new_origin_does_not_hold(root: Path, command: str, rule: str, name: str) -> None:
    allow(root, command, rule)
    assert find_changes(root) == []
    write(root, name, "x: 1\n")
    [change] = find_changes(root)
    assert name in change and "is new" in change


def test_rule_for_another_folder_holds(root: Path) -> None:
    allow(root, "cd web && npm test", "npm test:*")
    assert find_changes(root) == []


def test_rule_on_files_names_nothing_new(root: Path) -> None:
    save_project_rule(root.parent / "home", str(root), "edit(src/**)", [])
    assert find_changes(root) == []
