"""What would be decided, as a process of its own."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner
from warm_start import LANG, run_mcode

from maxagent.cli.commands.permissions import app
from maxagent.config.security.provenance import Provenance
from maxagent.tools.consent.rule_record import read_project_rules, save_project_rule

FILES_READ = ("server_name=files", "tool_name=read")


class Permissions:
    """A project, a user's rules, and `mcode permissions` in it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "project", folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        self.rules = self.home / "config.yaml"
        self.rules.write_text(
            "permissions:\n"
            "  deny:\n"
            "    - run_command(git push:*)\n"
            "  ask: [mcp_files_*]\n"
            "  allow:\n"
            "    - rule: Bash(npm test:*)\n"
            "      match: [npm test --watch]\n"
            "security:\n"
            "  command_whitelist: [make]\n"
        )

    def __call__(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "MAXAGENT_HOME": str(self.home), "LC_ALL": LANG}
        return run_mcode(["permissions", *arguments], self.root, environ, stdin)


@pytest.fixture
def permissions(tmp_path: Path) -> Permissions:
    return Permissions(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "verdict", "rule"),
    [
        (["run_command", "ls -la | wc -l"], "allow", "read-only"),
        (["run_command", "ls", "-la", "--mode", "read-only"], "allow", "read-only"),
        (["bash", "git", "push", "--force"], "deny", "deny run_command(git push:*) ({file}:3)"),
        (["bash", "git commit -m 'a '"], "ask", "mode"),
        (["bash", "npm", "test"], "allow", "allow Bash(npm test:*) ({file}:6)"),
        (["bash", "make", "-j2"], "allow", "allow run_command(make:*) ({file}:9)"),
        (["bash", '{"command": "rm -rf /"}', "--mode", "auto"], "deny", "catastrophe"),
        (["bash", "command=touch x", "outside_sandbox=true", "--mode", "auto"], "ask", "sandbox"),
        (["bash", "A=1", "touch", "x"], "ask", "mode"),
        (["edit", "file_path=src/a.py", "--mode", "edits"], "allow", "mode"),
        (["edit", "AGENTS.md", "--mode", "auto"], "ask", "protected"),
        (["read_file", ".env"], "deny", "path"),
        (["webfetch", "https://example.org/a="], "ask", "mode"),
        (["mcp__files__read", "path=3"], "ask", "ask mcp_files_* ({file}:4)"),
        (["use_mcp_tool", *FILES_READ], "ask", "ask mcp_files_* ({file}:4)"),
        (["use_mcp_tool", *FILES_READ, "--mode", "auto"], "ask", "ask mcp_files_* ({file}:4)"),
        (["use_mcp_tool", *FILES_READ, "arguments={}"], "ask", "ask mcp_files_* ({file}:4)"),
        (["use_mcp_tool", "server_name=other", "tool_name=x"], "ask", "mode"),
        (["use_mcp_tool", '{"server_name": "other", "tool_name": "x"}'], "ask", "mode"),
    ],
)
def test_a_call_is_explained(
    permissions: Permissions,
    arguments: list[str],
    verdict: str,
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(permissions.home))
    monkeypatch.chdir(permissions.root)
    done = CliRunner().invoke(app, ["explain", "--json", *arguments], catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert (data["verdict"], data["rule"]) == (verdict, rule.format(file=permissions.rules))


def test_explain_as_text_shows_reason_and_rules(permissions: Permissions) -> None:
    stdout = permissions("explain", "run_command", "npm", "run", "build").stdout
    assert stdout == (
        "ask: `npm` can change files\nrule: mode\n"
        '"always" would allow in this project: run_command(npm run build:*)\n'
    )


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["run_command", "{"], ["edit", "a", ""], ["x", "--stdin"]]
)
def test_wrong_words_are_reported(permissions: Permissions, arguments: list[str]) -> None:
    done = permissions("explain", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_each_stdin_line_answered_malformed_ones_too(permissions: Permissions) -> None:
    lines = [
        '{"tool": "bash", "args": {"cmd": "ls"}}',
        "{",
        "",
        "[]",
        '{"tool": "nonsense"}',
        '{"tool": "run_command", "args": {"command": ["ls"]}}',
        '{"tool": "grep", "args": {"regex": "x", "path": "../.."}}',
    ]
    done = permissions("explain", "--stdin", stdin="\n".join(lines))
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr, len(replies)) == (0, "", 6)
    assert set(replies[0]) == {"verdict", "reason", "rule"}
    assert [reply.get("verdict") for reply in replies] == ["allow", None, None, None, "ask", "deny"]
    assert all(reply["error"] for reply in replies[1:4])


def test_list_shows_active_rules_with_origins(permissions: Permissions) -> None:
    data = json.loads(permissions("list", "--json").stdout)
    file = permissions.rules
    assert data["rules"] == [
        {"kind": "deny", "rule": "run_command(git push:*)", "origin": f"{file}:3"},
        {"kind": "ask", "rule": "mcp_files_*", "origin": f"{file}:4"},
        {"kind": "allow", "rule": "Bash(npm test:*)", "origin": f"{file}:6"},
        {"kind": "allow", "rule": "run_command(make:*)", "origin": f"{file}:9"},
    ]
    assert (data["mode"], data["origin"]) == ("ask", "default")
    assert {"ls", "git", "grep"} <= set(data["read_only"])
    stdout = permissions("list", "--mode", "auto").stdout
    assert stdout.startswith("mode: auto (flag)\nkind") and "npm test:*" in stdout


def test_a_broken_rule_is_fatal_with_its_place(permissions: Permissions) -> None:
    permissions.rules.write_text("permissions:\n  deny:\n    - run_comand(rm:*)\n")
    for arguments in (["list"], ["explain", "run_command", "ls"]):
        done = permissions(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{permissions.rules}:3: deny rule `run_comand(rm:*)`" in done.stderr
        assert "did you mean `run_command`" in done.stderr


def test_listing_needs_neither_langchain_nor_the_parser(permissions: Permissions) -> None:
    code = (
        "import sys\nfrom maxagent.cli.app import app\n"
        "app(['permissions', 'list'], standalone_mode=False)\n"
        "sys.exit(str({'langchain_core', 'langgraph', 'tree_sitter'} & set(sys.modules)))"
    )
    permissions.rules.write_text("permissions: {deny: ['run_command(git push:*)']}\n")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=permissions.root,
        env={**os.environ, "MAXAGENT_HOME": str(permissions.home)},
        capture_output=True,
    )
    assert done.stderr.decode().strip() == "set()"


def test_rules_from_answers_are_listed_and_removed(permissions: Permissions) -> None:
    script = permissions.root / "run.sh"
    script.write_text("true\n")
    digest = hashlib.sha256(b"true\n").hexdigest()
    bound = Provenance("script", "run.sh", digest)
    folder, rule = os.path.realpath(permissions.root), "run_command(bash run.sh)"
    save_project_rule(permissions.home, folder, rule, [bound])
    save_project_rule(permissions.home, "/elsewhere", "run_command(make)", [])
    stdout = permissions("list").stdout
    assert rule in stdout and "script: run.sh" in stdout and "holds" in stdout
    assert "run_command(make)" not in stdout
    assert "run_command(make)" in permissions("list", "--all").stdout
    allowed = permissions("explain", "run_command", "bash", "run.sh").stdout
    assert allowed.startswith("allow: ") and "rules.json" in allowed
    script.write_text("false\n")
    assert "changed" in permissions("list").stdout
    asked = permissions("explain", "run_command", "bash", "run.sh").stdout
    assert asked.startswith("ask: you have allowed") and "+false" in asked
    assert permissions("remove", rule).returncode == 0
    assert permissions("remove", rule).returncode == 2
    assert [*read_project_rules(permissions.home)] == ["/elsewhere"]
