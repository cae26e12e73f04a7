"""What a folder starts: shown in words, pinned, and asked again with the difference."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from maxagent.config.trust.decision import (
    Trust,
    check_trust,
    follow_changes,
    grant_if_empty,
    keep_trust,
    trust,
)
from maxagent.config.trust.program_inventory import read_script_digests, take_program_inventory
from maxagent.config.trust.store import locate_record


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "init", "-q", str(folder)], env=environ, check=True)
    (folder / "AGENTS.md").write_text("x")
    return folder


def names(folder: Path) -> list[str]:
    return [item.provenance.subject for item in take_program_inventory(folder)]


def configure(project: Path, name: str, value: str) -> None:
    command = ["git", "config", "--file", str(project / ".git/config"), name, value]
    subprocess.run(command, check=True)


def write(project: Path, path: str, content: str = "1\n", mode: int = 0o644) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    file.chmod(mode)


def ask(project: Path, home: Path) -> Trust:
    result = check_trust(project, home)
    assert not result.trusted
    return result


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("core.fsmonitor", "./evil"),
        ("core.hooksPath", ".evil"),
        ("core.sshCommand", "sh -c evil"),
        ("gpg.program", "/tmp/evil"),
        ("filter.x.clean", "evil"),
        ("remote.origin.uploadpack", "evil"),
        ("remote.origin.receivepack", "evil"),
        ("remote.origin.url", "ext::sh -c evil"),
        ("credential.helper", "!evil"),
        ("include.path", "../evil"),
        ("alias.st", "!evil"),
    ],
)
def test_a_setting_after_the_yes_is_asked(project: Path, home: Path, name: str, value: str) -> None:
    trust(project, home)
    configure(project, name, value)
    result = ask(project, home)
    message = f"`git {name}` in `.git/config` is new"
    assert result.changed == (message,)
    assert result.differences[message] == ("", value)
    trust(project, home)
    assert check_trust(project, home).trusted
    configure(project, name, f"{value} --more")
    (message,) = ask(project, home).changed
    assert message == f"`git {name}` in `.git/config` changed"


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", ".git/hooks/pre-push", ".husky/pre-commit"]
)
def test_a_hook_after_the_yes_is_asked(project: Path, home: Path, path: str) -> None:
    if path.startswith(".husky"):
        configure(project, "core.hooksPath", ".husky")
    trust(project, home)
    write(project, path, "#!/bin/sh\nevil\n", 0o755)
    assert ask(project, home).changed == (f"`hook {path}` in `{path}` is new",)
    trust(project, home)
    write(project, path, "#!/bin/sh\nworse\n", 0o755)
    (difference,) = ask(project, home).differences.values()
    assert difference == ("#!/bin/sh\nevil\n", "#!/bin/sh\nworse\n")


COMMANDS = [
    ("./run.sh", ["run.sh"]),
    ("sh run.sh --x", ["run.sh"]),
    ("sh -c 'cd tools && python check.py'", ["tools/check.py"]),
    ("python -m tools.check", ["tools/check.py"]),
    ("npm run lint", ["tools/check.py", "package.json: lint"]),
    ("yarn lint --fix", ["tools/check.py", "package.json: lint"]),
    ("make check", ["Makefile"]),
    ("node --require=./run.sh x", ["run.sh"]),
    ("$CLAUDE_PROJECT_DIR/run.sh", ["run.sh"]),
    ('"${MAXAGENT_PROJECT_DIR}/run.sh"', ["run.sh"]),
    ("env A=1 bash -lc 'exec ./run.sh || true'", ["run.sh"]),
    ("cat a.json | python tools/check.py", ["tools/check.py"]),
    ('echo "$(./run.sh)"', ["run.sh"]),
    ("ruff check src", []),
    ("../outside.sh", []),
]


def prepare(project: Path) -> None:
    for path in ("run.sh", "tools/check.py", "src/index.js", "Makefile", "../outside.sh"):
        write(project, path)
    write(project, "package.json", json.dumps({"scripts": {"lint": "python tools/check.py"}}))


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
@pytest.mark.parametrize("text", ["hook", "check", "server"])
def test_scripts_that_a_command_names_are_pinned(
    project: Path, home: Path, command: str, expected: list[str], text: str
) -> None:
    prepare(project)
    if text == "server":
        definition = {"command": "sh", "args": ["-c", command]}
        write(project, ".mcp.json", json.dumps({"mcpServers": {"s": definition}}))
    else:
        sections = {
            "hook": {"hooks": {"before_tool": [{"command": command}]}},
            "check": {"after_edit": {"*.py": [f"{command} # {{file}}"]}},
        }
        write(project, ".llc.yaml", json.dumps(sections[text]))
    scripts = [item for item in take_program_inventory(project) if item.kind == "script"]
    assert [item.name for item in scripts] == expected
    trust(project, home)
    for item in scripts:
        write(project, item.file, json.dumps({"scripts": {"lint": "python ./tools/check.py"}}))
        assert f"`script {item.name}`" in "".join(ask(project, home).changed)
        trust(project, home)


TOKENS = [
    ({"command": "${TOKEN}"}, "${TOKEN}"),
    ({"command": "x", "args": ["--token", "${TOKEN}"]}, "x --token ${TOKEN}"),
    ({"command": "x", "args": ["--token=${TOKEN:-abcdefgh1234}"]}, "x --token=${TOKEN:-***}"),
    ({"command": "x", "env": {"API_KEY": "${TOKEN}"}}, "x; env API_KEY=${TOKEN}"),
    ({"url": "https://h/${TOKEN}?key=${TOKEN}&a=b"}, "https://h/${TOKEN}?key=${TOKEN}&a=***"),
    ({"url": "https://u:${TOKEN}@h"}, "https://***${TOKEN}@h"),
    (
        {"url": "https://h", "headers": {"Authorization": "Bearer ${TOKEN}"}},
        "https://h; header Authorization: Bearer ${TOKEN}",
    ),
    (
        {"url": "https://h", "headers": {"X": "${env:TOKEN}", "Y": "literal"}},
        "https://h; header X: ${env:TOKEN}; header Y: ***",
    ),
    ({"command": "x", "cwd": "${TOKEN:-x}"}, "x; cwd ${TOKEN:-x}"),
    ({"command": "x", "args": ["${A:-${TOKEN}}"]}, "x ${A:-${TOKEN}}"),
]


@pytest.mark.parametrize(("definition", "text"), TOKENS)
def test_variables_of_servers_are_shown_by_name(
    project: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    definition: dict[str, object],
    text: str,
) -> None:
    monkeypatch.setenv("TOKEN", "value-for-tests-1234")
    write(project, ".mcp.json", json.dumps({"mcpServers": {"s": definition}}))
    (item,) = take_program_inventory(project)
    assert (item.kind, item.shown) == ("server", text)
    trust(project, home)
    assert "value-for-tests" not in locate_record(home).read_text()


def test_a_changed_server_is_asked_with_the_difference(project: Path, home: Path) -> None:
    write(project, ".mcp.json", '{"mcpServers": {"s": {"url": "https://a"}}}')
    trust(project, home)
    write(project, ".mcp.json", '{"mcpServers": {"s": {"url": "https://b"}}}')
    result = ask(project, home)
    assert result.differences["`server s` in `.mcp.json` changed"] == ("https://a", "https://b")


def test_an_old_yes_covers_only_what_it_showed(project: Path, home: Path) -> None:
    trust(project, home)
    make_old(home)
    assert check_trust(project, home).trusted
    configure(project, "core.hooksPath", ".husky")
    message = "`git core.hooksPath` in `.git/config` was not shown before"
    assert ask(project, home).changed == (message,)
    trust(project, home)
    assert check_trust(project, home).trusted


def make_old(home: Path) -> None:
    """Take out of the record what older versions did not write."""
    record = json.loads(locate_record(home).read_text())
    for consent in record.values():
        del consent["programs"], consent["texts"]
    locate_record(home).write_text(json.dumps(record))


def test_a_difference_of_a_file_is_kept(project: Path, home: Path) -> None:
    trust(project, home)
    write(project, "AGENTS.md", "y")
    assert ask(project, home).differences == {"`AGENTS.md` changed": ("x", "y")}


def test_a_shown_change_of_a_script_stays_trusted(project: Path, home: Path) -> None:
    prepare(project)
    write(project, ".llc.yaml", "after_edit: {'*.py': [sh run.sh]}\n")
    trust(project, home)
    before = read_script_digests(str(project), ["run.sh"])["run.sh"]
    write(project, "run.sh", "2\n")
    after = read_script_digests(str(project), ["run.sh"])["run.sh"]
    follow_changes(project, home, {"run.sh": ["other", after]})
    assert not check_trust(project, home).trusted
    follow_changes(project, home, {"run.sh": [before, after]})
    assert check_trust(project, home).trusted
    write(project, "run.sh", "3\n")
    (difference,) = ask(project, home).differences.values()
    assert difference == ("2\n", "3\n")


def test_the_users_own_entry_does_not_confirm_others(project: Path, home: Path) -> None:
    prepare(project)
    write(project, ".mcp.json", '{"mcpServers": {"s": {"command": "./run.sh"}}}')
    trust(project, home)
    with keep_trust(project, home, "mcp"):
        entries = {"s": {"command": "./run.sh"}, "t": {"command": "tools/check.py"}}
        write(project, ".mcp.json", json.dumps({"mcpServers": entries}))
        write(project, "run.sh", "planted\n")
        configure(project, "gpg.program", "evil")
    changed = "".join(ask(project, home).changed)
    assert "run.sh" in changed and "gpg.program" in changed and "tools/check.py" not in changed


def test_an_empty_folder_of_such_repository_is_asked(project: Path, home: Path) -> None:
    configure(project, "core.fsmonitor", "./evil")
    (project / "sub").mkdir()
    grant_if_empty(project / "sub", home)
    assert not check_trust(project / "sub", home).trusted


def test_a_plain_clone_and_ordinary_settings_ask_nothing(project: Path, home: Path) -> None:
    write(project, ".git/hooks/pre-commit.sample", "x", 0o755)
    for name, value in {"user.name": "x", "remote.origin.url": "git@h:a/b"}.items():
        configure(project, name, value)
    assert names(project) == []
