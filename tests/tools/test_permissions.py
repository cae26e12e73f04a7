from collections.abc import Mapping
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.tools.permissions import Decision, Policy, decide
from maxagent.tools.workspace import Workspace

MODES = ["ask", "edits", "auto", "read-only"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "project").mkdir()
    return Workspace(tmp_path / "project")


def decided(
    effect: str, args: Mapping[str, object], workspace: Workspace, mode: str, *whitelist: str
) -> Decision:
    policy = Policy(mode, whitelist)
    paths = [path for path in map(dict(args).get, ("path", "cwd")) if path and type(path) is str]
    return decide("tool", effect, args, paths, workspace, policy)


@pytest.mark.parametrize(
    ("effect", "verdicts"),
    [
        ("read", ["allow", "allow", "allow", "allow"]),
        ("note", ["allow", "allow", "allow", "allow"]),
        ("talk", ["ask", "ask", "ask", "ask"]),
        ("edit", ["ask", "allow", "allow", "deny"]),
        ("execute", ["ask", "ask", "allow", "deny"]),
    ],
)
def test_the_mode_decides_by_effect(effect: str, verdicts: list[str], workspace: Workspace) -> None:
    args = {"path": "a.py", "command": "make"}
    assert [decided(effect, args, workspace, mode).verdict for mode in MODES] == verdicts


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("effect", ["read", "edit", "execute"])
@pytest.mark.parametrize("path", ["../x", "/etc/passwd", ".env", "a/secrets/b", "\0"])
def test_a_path_outside_or_ignored_is_refused_in_every_mode(
    path: str, effect: str, mode: str, workspace: Workspace
) -> None:
    decision = decided(effect, {"path": path}, workspace, mode)
    assert (decision.verdict, decision.rule) == ("deny", "path")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("command", ["rm -rf /", "cat .env"])
def test_a_ruinous_or_prying_command_is_refused_in_every_mode(
    command: str, mode: str, workspace: Workspace
) -> None:
    decision = decided("execute", {"command": command}, workspace, mode, "cat", "rm")
    assert decision.verdict == "deny"


@pytest.mark.parametrize(
    ("effect", "args"),
    [
        ("edit", {"path": "AGENTS.md"}),
        ("edit", {"path": "./sub/../.git/hooks/pre-commit"}),
        ("edit", {"path": "link/hooks"}),
        ("execute", {"command": "echo > .llc.yaml"}),
        ("execute", {"command": "ls", "cwd": ".git"}),
    ],
)
def test_what_is_protected_is_asked_even_in_auto(
    effect: str, args: dict[str, str], workspace: Workspace
) -> None:
    (workspace.root / "link").symlink_to(".git")
    decisions = [decided(effect, args, workspace, mode, "ls", "echo") for mode in MODES]
    assert [decision.verdict for decision in decisions] == ["ask", "ask", "ask", "deny"]


def test_reading_what_is_protected_is_allowed(workspace: Workspace) -> None:
    assert decided("read", {"path": "AGENTS.md"}, workspace, "ask").verdict == "allow"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("git status", "allow"),
        ("git status --short", "allow"),
        ("git  'status'", "allow"),
        ("git push", "ask"),
        ("git", "ask"),
        ("pytest tests", "allow"),
        ("pytestx", "ask"),
        ("git status; rm x", "ask"),
        ("git status $(rm x)", "ask"),
        ("git status > x", "ask"),
        ("git status\nrm x", "ask"),
        ("git status &", "ask"),
        ("X=1 git status", "ask"),
        ("sudo git status", "ask"),
        ("", "ask"),
    ],
)
def test_a_whitelisted_command_is_simple_and_begins_with_its_words(
    command: str, verdict: str, workspace: Workspace
) -> None:
    for mode in ("ask", "edits"):
        decision = decided(
            "execute", {"command": command}, workspace, mode, "git status", "pytest", ""
        )
        assert decision.verdict == verdict


def test_the_whitelist_does_not_open_read_only(workspace: Workspace) -> None:
    decision = decided("execute", {"command": "make"}, workspace, "read-only", "make")
    assert (decision.verdict, "read-only mode; say what" in decision.reason) == ("deny", True)


def test_arguments_of_a_wrong_type_are_no_crash(workspace: Workspace) -> None:
    args = {"path": ["../x"], "cwd": 3, "command": {"a": 1}}
    assert decided("execute", args, workspace, "ask").verdict == "ask"


def test_what_cannot_be_checked_is_asked(workspace: Workspace) -> None:
    class Odd(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            raise RuntimeError("odd")

    decision = decided("execute", Odd(), workspace, "auto")
    assert (decision.verdict, decision.rule) == ("ask", "error")


FORMAT = {"*.py": ["ruff format {file}", "cat .env {file}"], "*.js": ["rm -rf /"]}


@pytest.mark.parametrize(
    ("path", "mode", "whitelist", "verdict", "rule"),
    [
        ("a.py", "edits", (), "ask", "after_edit"),
        ("a.py", "edits", ("ruff format",), "allow", "mode"),
        ("a.py", "ask", ("ruff format",), "ask", "after_edit"),
        ("a.py", "auto", (), "allow", "mode"),
        ("a.py", "read-only", ("ruff",), "deny", "mode"),
        ("a.js", "edits", (), "allow", "mode"),
        ("a.txt", "edits", (), "allow", "mode"),
        ("../a.py", "edits", (), "deny", "path"),
    ],
)
def test_an_edit_is_asked_where_a_command_after_it_must_be(
    path: str, mode: str, whitelist: tuple[str, ...], verdict: str, rule: str, workspace: Workspace
) -> None:
    policy = Policy(mode, whitelist, after_edit=FORMAT)
    decision = decide("edit", "edit", {"path": path}, [path], workspace, policy)
    assert (decision.verdict, decision.rule) == (verdict, rule)


@pytest.mark.parametrize("mode", ["ask", "edits"])
def test_the_question_names_the_commands_that_will_run_and_how_to_be_unasked(
    mode: str, workspace: Workspace
) -> None:
    policy = Policy(mode, after_edit=FORMAT)
    reason = decide("edit", "edit", {"path": "a.py"}, ["a.py"], workspace, policy).reason
    assert reason == (
        "it changes files; after it runs `ruff format a.py` "
        "(those in `security.command_whitelist` run unasked)"
    )


def test_a_question_for_another_reason_names_whitelisted_commands_too(
    workspace: Workspace,
) -> None:
    policy = Policy("auto", after_edit={"*.md": ["mdfmt {file}"]})
    decision = decide("edit", "edit", {"path": "AGENTS.md"}, ["AGENTS.md"], workspace, policy)
    assert decision.verdict == "ask"
    assert "steers this agent" in decision.reason and "`mdfmt AGENTS.md`" in decision.reason


def test_a_command_after_a_linked_files_edit_names_the_real_file(workspace: Workspace) -> None:
    (workspace.root / "link.txt").symlink_to("a.py")
    policy = Policy("edits", after_edit={"*.py": ["ruff {file}"]})
    decision = decide("edit", "edit", {"path": "link.txt"}, ["link.txt"], workspace, policy)
    assert "`ruff a.py`" in decision.reason


def test_a_wrong_pattern_is_told_when_the_policy_is_made() -> None:
    with pytest.raises(UsageError, match="leads out of the folder"):
        Policy("ask", after_edit={"../*.py": ["ruff"]})


@pytest.mark.parametrize(
    ("effect", "args", "verdict"),
    [
        ("edit", {"path": "a.py"}, "allow"),
        ("edit", {"path": "./x/../a.py"}, "allow"),
        ("edit", {"path": "link.py"}, "allow"),
        ("edit", {"path": "b.py"}, "deny"),
        ("edit", {}, "deny"),
        ("edit", {"path": ["a.py"]}, "deny"),
        ("execute", {"command": "ls"}, "deny"),
        ("read", {"path": "b.py"}, "allow"),
        ("note", {}, "allow"),
    ],
)
def test_with_a_scope_only_its_files_are_changed(
    effect: str, args: dict[str, object], verdict: str, workspace: Workspace
) -> None:
    (workspace.root / "link.py").symlink_to("a.py")
    policy = Policy("auto", ("ls",), scope=("a.py",))
    paths = [path for path in args.values() if isinstance(path, str)]
    decision = decide("tool", effect, args, paths, workspace, policy)
    assert decision.verdict == verdict
    assert verdict == "allow" or "only these files may be changed: `a.py`" in decision.reason


def test_in_a_scope_a_protected_file_is_still_asked(workspace: Workspace) -> None:
    policy = Policy("edits", scope=("AGENTS.md",))
    decision = decide("edit", "edit", {"path": "AGENTS.md"}, ["AGENTS.md"], workspace, policy)
    assert (decision.verdict, decision.rule) == ("ask", "protected")


def test_a_command_after_an_edit_in_a_scope_is_decided_as_any_other(workspace: Workspace) -> None:
    policy = Policy("edits", ("ruff",), scope=("a.py",), after_edit={"*.py": ["ruff {file}"]})
    decision = decide("edit", "edit", {"path": "a.py"}, ["a.py"], workspace, policy)
    assert decision.verdict == "allow"


def test_langchain_is_not_needed_to_decide() -> None:
    import subprocess
    import sys

    code = "import sys, maxagent.tools.permissions; print('langchain_core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
