"""An "always" for a package program covers its settings, and the files that these name."""

from pathlib import Path

import pytest

from maxagent.config.security.provenance import Provenance
from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.workspace import Workspace

SHELL = "script-shell=./tools/sh\n"
BASE = {"package.json": '{"scripts": {"test": "jest"}}', "web/package.json": "{}"}


def read_consent(root: Path, command: str) -> list[Provenance]:
    call = RequestedCall("run_command", "execute", {"command": command}, (), Workspace(root))
    return [item.provenance for item in call.origins]


def write(root: Path, name: str, content: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(content)


@pytest.mark.parametrize(
    ("command", "name", "content"),
    [
        ("npm test", ".npmrc", SHELL),
        ("npm run lint", ".npmrc", "node-options=--require ./x.cjs\n"),
        ("npm ci", ".npmrc", "ignore-scripts=false\n"),
        ("npm install", ".npmrc", "git=./git\n"),
        ("npx jest", ".npmrc", SHELL),
        ("cd web && npm test", ".npmrc", SHELL),
        ("npm --prefix web test", "web/.npmrc", SHELL),
        ("CI=1 npm test", ".npmrc", SHELL),
        ("bash -c 'npm test'", ".npmrc", SHELL),
        ("xvfb-run -a npm test", ".npmrc", SHELL),
        ("pnpm test", "pnpm-workspace.yaml", "scriptShell: ./sh\n"),
        ("pnpm install", ".pnpmfile.cjs", "module.exports = {}\n"),
        ("pnpm dlx jest", ".npmrc", SHELL),
        ("yarn test", ".yarnrc.yml", "yarnPath: ./yarn.cjs\n"),
        ("yarn test", ".yarnrc", "yarn-path ./yarn.js\n"),
        ("yarn test", ".env.yarn", "NODE_OPTIONS=--require ./x.cjs\n"),
        ("corepack yarn test", ".yarnrc.yml", "yarnPath: ./yarn.cjs\n"),
        ("bun test", "bunfig.toml", '[test]\npreload = ["./x.ts"]\n'),
        ("bunx jest", "bunfig.toml", '[run]\nshell = "./sh"\n'),
        ("nr test", ".npmrc", SHELL),
    ],
)
def test_new_or_changed_settings_are_not_covered(
    tmp_path: Path, command: str, name: str, content: str
) -> None:
    for file, text in BASE.items():
        write(tmp_path, file, text)
    without = read_consent(tmp_path, command)
    write(tmp_path, name, "# nothing\n")
    before = read_consent(tmp_path, command)
    write(tmp_path, name, content)
    after = read_consent(tmp_path, command)
    assert without != before != after


@pytest.mark.parametrize(
    ("command", "name", "content", "program"),
    [
        ("npm test", ".npmrc", "script-shell = tools/sh\n", "tools/sh"),
        ("npm test", ".npmrc", "node-options=--require=./a.cjs --inspect\n", "a.cjs"),
        ("pnpm test", "pnpm-workspace.yaml", 'scriptShell: "./sh"\n', "sh"),
        ("yarn test", ".yarnrc.yml", "yarnPath: .yarn/releases/y.cjs\n", ".yarn/releases/y.cjs"),
        ("yarn test", ".yarnrc.yml", "plugins:\n  - path: .yarn/p.cjs\n", ".yarn/p.cjs"),
        ("bun test", "bunfig.toml", 'preload = ["./a.ts", "./b.ts"]\n', "b.ts"),
        ("cd web && npm test", "web/.npmrc", "script-shell=../sh\n", "sh"),
    ],
)
def test_program_that_settings_name_counts(
    tmp_path: Path, command: str, name: str, content: str, program: str
) -> None:
    for file, text in {**BASE, name: content, program: "1\n"}.items():
        write(tmp_path, file, text)
    before = read_consent(tmp_path, command)
    write(tmp_path, program, "2\n")
    assert before != read_consent(tmp_path, command)


@pytest.mark.parametrize("command", ["npm test", "pytest -q", "node app.js", "ls", "git log"])
def test_other_programs_read_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "project"
    write(project, "package.json", BASE["package.json"])
    before = read_consent(project, command)
    write(tmp_path if command == "npm test" else project, ".npmrc", SHELL)
    assert before == read_consent(project, command)


def test_settings_of_too_many_words_are_never_covered(tmp_path: Path) -> None:
    write(tmp_path, ".npmrc", "".join(f"a{number}=1\n" for number in range(2_100)))
    assert any(not item.digest for item in read_consent(tmp_path, "npm test"))
