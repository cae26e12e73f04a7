import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_texts import project, rule, ruled

from maxagent.tools.permissions.decision import Decision
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy
from maxagent.tools.workspace import Workspace

MODES = ["ask", "edits", "auto", "read-only"]
STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return project(tmp_path)


def decided(
    effect: str, args: Mapping[str, object], workspace: Workspace, mode: str, *rules: str
) -> Decision:
    tool = {"edit": "edit", "execute": "run_command", "fetch": "webfetch"}.get(effect, "read_file")
    paths = [path for path in map(dict(args).get, ("path", "cwd")) if path and type(path) is str]
    return evaluate_call(tool, effect, args, paths, workspace, ruled(mode, *rules))


@pytest.mark.parametrize(
    ("effect", "verdicts"),
    [
        ("read", ["allow", "allow", "allow", "allow"]),
        ("note", ["allow", "allow", "allow", "allow"]),
        ("talk", ["ask", "ask", "ask", "ask"]),
        ("edit", ["ask", "allow", "allow", "deny"]),
        ("execute", ["ask", "ask", "allow", "deny"]),
        ("fetch", ["ask", "ask", "ask", "ask"]),
    ],
)
def test_the_mode_decides_by_effect(effect: str, verdicts: list[str], workspace: Workspace) -> None:
    args = {"path": "a.py", "command": "make", "url": "https://example.org"}
    assert [decided(effect, args, workspace, mode).verdict for mode in MODES] == verdicts


@pytest.mark.parametrize("mode", MODES)
def test_what_only_reads_runs_in_every_mode(mode: str, workspace: Workspace) -> None:
    decision = decided("execute", {"command": "ls | wc -l"}, workspace, mode)
    assert (decision.verdict, decision.rule) == ("allow", "read-only")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("effect", "args", "rules", "verdict", "rule"),
    [
        ("execute", {"command": "rm -rf /"}, ["allow run_command"], "deny", "catastrophe"),
        ("execute", {"command": "cat .env"}, ["allow run_command"], "deny", "sensitive"),
        ("edit", {"path": "../x"}, ["allow edit", "ask edit"], "deny", "path"),
        ("edit", {"path": ".env"}, ["deny edit"], "deny", "path"),
        ("edit", {"path": "a"}, ["deny edit(a)", "allow edit", "ask edit"], "deny", "deny edit(a)"),
        ("read", {"path": "a"}, ["deny read_file(a)"], "deny", "deny read_file(a)"),
        ("read", {"path": "a"}, ["ask read_file", "allow read_file"], "ask", "ask read_file"),
        ("execute", {"command": "ls"}, ["ask run_command(ls:*)"], "ask", "ask run_command(ls:*)"),
        ("execute", {"command": "ls"}, ["deny Bash(ls)"], "deny", "deny Bash(ls)"),
    ],
)
def test_the_strictest_of_all_that_speak_wins(
    effect: str,
    args: dict[str, object],
    rules: list[str],
    verdict: str,
    rule: str,
    mode: str,
    workspace: Workspace,
) -> None:
    decision = decided(effect, args, workspace, mode, *rules)
    if verdict == "ask" and effect == "edit" and mode == "read-only":
        verdict, rule = "deny", "mode"
    assert (decision.verdict, decision.rule.removesuffix(" (test)")) == (verdict, rule)


@pytest.mark.parametrize(
    ("effect", "args", "rules", "rule"),
    [
        ("edit", {"path": "AGENTS.md"}, ["allow edit"], "protected"),
        ("edit", {"path": "docs/.gitattributes"}, ["allow edit"], "protected"),
        ("edit", {"path": "./sub/../.git/hooks/pre-commit"}, ["allow edit"], "protected"),
        ("edit", {"path": "link/hooks"}, ["allow edit(**)"], "protected"),
        ("execute", {"command": "echo > .llc.yaml"}, ["allow run_command"], "protected"),
        ("execute", {"command": "make 'unclosed"}, ["allow run_command"], "unparsed"),
        (
            "execute",
            {"command": "make", "outside_sandbox": True},
            ["allow run_command(make)"],
            "sandbox",
        ),
        ("execute", {"command": "make"}, ["ask run_command(make)"], "ask run_command(make)"),
        ("edit", {"path": "a"}, ["ask edit", "allow edit"], "ask edit"),
        ("execute", {"command": "$X push"}, ["deny Bash(git push:*)"], "deny Bash(git push:*)"),
    ],
)
def test_required_question_overrides_auto_mode_and_allow_rule(
    effect: str, args: dict[str, object], rules: list[str], rule: str, workspace: Workspace
) -> None:
    (workspace.root / "link").symlink_to(".git")
    decisions = [decided(effect, args, workspace, mode, *rules) for mode in MODES]
    assert [decision.verdict for decision in decisions] == ["ask", "ask", "ask", "deny"]
    assert [decision.rule.removesuffix(" (test)") for decision in decisions] == [rule] * 3 + [
        "mode"
    ]
    assert not any(decision.always for decision in decisions)


def test_outside_sandbox_reading_asks_and_read_only_denies(
    workspace: Workspace,
) -> None:
    args = {"command": "ls", "outside_sandbox": True}
    verdicts = [decided("execute", args, workspace, mode).verdict for mode in MODES]
    assert verdicts == ["ask", "ask", "ask", "deny"]


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("npm test", "allow"),
        ("npm test -- --watch", "allow"),
        ("npm  'test'", "allow"),
        ("ls && npm test | tail -5", "allow"),
        ("npm install", "ask"),
        ("npm", "ask"),
        ("npm test; npm install", "ask"),
        ("npm test $(touch x)", "ask"),
        ("npm test > x", "ask"),
        ("npm test\nnpm install", "ask"),
        ("npm test &", "ask"),
        ("X=y npm test", "ask"),
        ("sudo npm test", "ask"),
        ("./npm test", "ask"),
    ],
)
def test_rule_allows_plain_line_with_every_effect_named(
    command: str, verdict: str, workspace: Workspace
) -> None:
    for mode in ("ask", "edits"):
        decision = decided(
            "execute", {"command": command}, workspace, mode, "run_command(npm test:*)"
        )
        assert decision.verdict == verdict


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "make && git push origin",
        "/usr/bin/git push",
        "'git' pu\\sh",
        "git -C sub push",
        "sudo git push",
        "bash -c 'git push'",
        "echo $(git push)",
        "for x in 1; do git push; done",
        "env A=1 git push",
        "ls | xargs git push",
        "echo `git push`",
        "git push > /dev/null &",
    ],
)
def test_a_refused_command_is_found_wherever_it_stands(command: str, workspace: Workspace) -> None:
    decision = decided(
        "execute", {"command": command}, workspace, "auto", "deny run_command(git push:*)"
    )
    assert decision.verdict == "deny"


def test_no_rule_opens_read_only_mode(workspace: Workspace) -> None:
    decision = decided("execute", {"command": "make"}, workspace, "read-only", "run_command(make)")
    assert (decision.verdict, "in read-only mode " in decision.reason) == ("deny", True)


@pytest.mark.parametrize(
    "url",
    ["https://user@example.org", "file:///etc/passwd", "ftp://example.org/", "", "http://"]
    + ["http://localhost:3000/", "http://x.localhost./", "http://printer.local/", "http://[::1]/"]
    + ["http://169.254.169.254/latest/", "http://metadata.google.internal/", "http://127.1/"],
)
def test_an_address_that_is_never_fetched_is_refused(url: str, workspace: Workspace) -> None:
    decision = decided("fetch", {"url": url}, workspace, "auto", "webfetch")
    assert (decision.verdict, decision.rule) == ("deny", "address")


@pytest.mark.parametrize("mode", MODES)
def test_page_is_asked_by_host_in_every_mode(mode: str, workspace: Workspace) -> None:
    args = {"url": "https://docs.example.org/?q=words"}
    asked = decided("fetch", args, workspace, mode)
    assert (asked.verdict, asked.always) == ("ask", "webfetch(domain:docs.example.org)")
    allowed = decided("fetch", args, workspace, mode, "allow webfetch(domain:*.example.org)")
    assert allowed.verdict == "allow"


def test_rule_cannot_answer_question_to_user(workspace: Workspace) -> None:
    decision = evaluate_call("ask_user", "talk", {}, (), workspace, ruled("auto", "ask_user"))
    assert decision.verdict == "ask"


def test_arguments_of_a_wrong_type_are_no_crash(workspace: Workspace) -> None:
    args = {"path": ["../x"], "cwd": 3, "command": {"a": 1}}
    assert decided("execute", args, workspace, "ask").verdict == "ask"


def test_what_cannot_be_checked_is_asked(workspace: Workspace) -> None:
    class Odd(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            raise RuntimeError("odd")

    for mode in ("auto", "ask"):
        decision = decided("execute", Odd(), workspace, mode, "run_command")
        assert (decision.verdict, decision.rule) == ("ask", "error")


FORMAT = {"*.py": ["ruff format {file}", "cat .env {file}"], "*.js": ["rm -rf /"]}


@pytest.mark.parametrize(
    ("path", "mode", "rules", "verdict", "rule"),
    [
        ("a.py", "edits", (), "ask", "after_edit"),
        ("a.py", "edits", ("run_command(ruff format:*)",), "allow", "mode"),
        ("a.py", "ask", ("run_command(ruff format:*)",), "ask", "mode"),
        ("a.py", "auto", (), "allow", "mode"),
        ("a.py", "auto", ("ask run_command(ruff:*)",), "ask", "after_edit"),
        ("a.py", "read-only", ("run_command(ruff:*)",), "deny", "mode"),
        ("a.js", "edits", (), "allow", "mode"),
        ("a.txt", "edits", (), "allow", "mode"),
        ("../a.py", "edits", (), "deny", "path"),
    ],
)
def test_edit_is_asked_when_its_check_must_be(
    path: str, mode: str, rules: tuple[str, ...], verdict: str, rule: str, workspace: Workspace
) -> None:
    policy = Policy(mode, ruled(mode, *rules).rules, after_edit=FORMAT)
    decision = evaluate_call("edit", "edit", {"path": path}, [path], workspace, policy)
    assert (decision.verdict, decision.rule, decision.always) == (verdict, rule, "")


@pytest.mark.parametrize("mode", ["ask", "edits"])
def test_question_names_checks_and_how_to_allow_them(mode: str, workspace: Workspace) -> None:
    policy = Policy(mode, after_edit=FORMAT)
    reason = evaluate_call("edit", "edit", {"path": "a.py"}, ["a.py"], workspace, policy).reason
    assert reason == (
        "it changes files; after it runs `ruff format a.py` (an `allow` rule lets them run unasked)"
    )


def test_question_for_other_reason_names_allowed_checks(workspace: Workspace) -> None:
    policy = Policy("auto", after_edit={"*.md": ["mdfmt {file}"]})
    decision = evaluate_call(
        "edit", "edit", {"path": "AGENTS.md"}, ["AGENTS.md"], workspace, policy
    )
    assert decision.verdict == "ask"
    assert "configures this agent" in decision.reason and "`mdfmt AGENTS.md`" in decision.reason


def test_check_after_edit_through_link_names_real_file(workspace: Workspace) -> None:
    (workspace.root / "link.txt").symlink_to("a.py")
    policy = Policy("edits", after_edit={"*.py": ["ruff {file}"]})
    decision = evaluate_call("edit", "edit", {"path": "link.txt"}, ["link.txt"], workspace, policy)
    assert "`ruff a.py`" in decision.reason


@pytest.mark.parametrize(
    ("effect", "args", "verdict"),
    [
        ("edit", {"path": "a.py"}, "allow"),
        ("edit", {"path": "./x/../a.py"}, "allow"),
        ("edit", {"path": "link.py"}, "allow"),
        ("edit", {"path": "b.py"}, "deny"),
        ("edit", {}, "deny"),
        ("edit", {"path": ["a.py"]}, "deny"),
        ("execute", {"command": "make"}, "deny"),
        ("read", {"path": "b.py"}, "allow"),
        ("note", {}, "allow"),
    ],
)
def test_with_a_scope_only_its_files_are_changed(
    effect: str, args: dict[str, object], verdict: str, workspace: Workspace
) -> None:
    (workspace.root / "link.py").symlink_to("a.py")
    policy = Policy("auto", ruled("auto", "run_command").rules, scope=("a.py",))
    paths = [path for path in args.values() if isinstance(path, str)]
    decision = evaluate_call("tool", effect, args, paths, workspace, policy)
    assert decision.verdict == verdict
    assert verdict == "allow" or "only these files can be changed: `a.py`" in decision.reason


def test_protected_file_in_scope_is_still_asked(workspace: Workspace) -> None:
    policy = Policy("edits", scope=("AGENTS.md",))
    decision = evaluate_call(
        "edit", "edit", {"path": "AGENTS.md"}, ["AGENTS.md"], workspace, policy
    )
    assert (decision.verdict, decision.rule) == ("ask", "protected")


def test_check_after_edit_in_scope_is_evaluated_normally(workspace: Workspace) -> None:
    rules = ruled("edits", "run_command(ruff:*)").rules
    policy = Policy("edits", rules, scope=("a.py",), after_edit={"*.py": ["ruff {file}"]})
    decision = evaluate_call("edit", "edit", {"path": "a.py"}, ["a.py"], workspace, policy)
    assert decision.verdict == "allow"


RULES = [
    f"{kind} {text}"
    for kind in ("deny", "ask", "allow")
    for text in (
        "run_command",
        "run_command(git push:*)",
        "run_command(npm test:*)",
        "run_command(ls)",
        "edit",
        "edit(src/**)",
        "write_file(docs/*)",
        "read_file(*.md)",
        "webfetch(domain:example.org)",
        "mcp_files_*",
    )
]
CALLS: list[tuple[str, str, dict[str, object], list[str]]] = [
    *(
        ("run_command", "execute", {"command": command}, [])
        for command in (
            "ls",
            "npm test",
            "npm test && git push",
            "rm -rf /",
            "cat .env",
            "echo x > .git/config",
            "$X y",
            "make 'x",
            "sudo git push",
        )
    ),
    *(("edit", "edit", {}, [name]) for name in ("src/a.py", "AGENTS.md", "../x", ".env")),
    ("write_file", "edit", {}, ["docs/a.md"]),
    ("apply_patch", "edit", {}, ["src/a.py", "docs/a.md"]),
    ("read_file", "read", {}, ["README.md"]),
    ("webfetch", "fetch", {"url": "https://example.org"}, []),
    ("mcp_files_read", "execute", {}, []),
]
some_rules = st.lists(st.sampled_from(RULES), max_size=5)
any_call = st.sampled_from(CALLS)
any_mode = st.sampled_from(MODES)
quickly = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def verdict(mode: str, rules: list[str], call: tuple, workspace: Workspace) -> str:
    return evaluate_call(*call, workspace, ruled(mode, *rules)).verdict


@quickly
@given(any_mode, some_rules, st.sampled_from([r for r in RULES if r[:4] != "allo"]), any_call)
def test_added_restricting_rule_never_makes_verdict_milder(
    workspace: Workspace, mode: str, rules: list[str], one: str, call: tuple
) -> None:
    before = verdict(mode, rules, call, workspace)
    assert STRICTNESS[verdict(mode, [*rules, one], call, workspace)] >= STRICTNESS[before]


@quickly
@given(any_mode, some_rules, st.sampled_from([r for r in RULES if r[:4] == "allo"]), any_call)
def test_added_allow_rule_changes_only_the_mode_question(
    workspace: Workspace, mode: str, rules: list[str], one: str, call: tuple
) -> None:
    before = evaluate_call(*call, workspace, ruled(mode, *rules))
    after = evaluate_call(*call, workspace, ruled(mode, *rules, one))
    if (before.verdict, before.rule) == ("ask", "mode"):
        assert after.verdict in ("ask", "allow")
    elif (mode, before.rule, call[0]) == ("read-only", "mode", "mcp_files_read"):
        # a rule says that this tool of a server may be called where nothing may change
        assert after.verdict in ("deny", "allow")
    else:
        assert after.verdict == before.verdict


@quickly
@given(any_mode, some_rules.flatmap(lambda r: st.tuples(st.just(r), st.permutations(r))), any_call)
def test_the_order_of_rules_does_not_matter(
    workspace: Workspace, mode: str, orders: tuple[list[str], list[str]], call: tuple
) -> None:
    first, second = (verdict(mode, order, call, workspace) for order in orders)
    assert first == second


def test_a_rule_says_where_it_stands(workspace: Workspace) -> None:
    policy = Policy("ask", (rule("deny edit(a)"),))
    assert evaluate_call("edit", "edit", {}, ["a"], workspace, policy).rule == "deny edit(a) (test)"


def test_langchain_is_not_needed_to_decide() -> None:
    code = "import sys, maxagent.tools.permissions; print('langchain_core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_git_hooks_folder_is_protected(workspace: Workspace) -> None:
    (workspace.root / ".git").mkdir(exist_ok=True)
    (workspace.root / ".git/config").write_text("[include]\n\tpath = ../shared.conf\n")
    (workspace.root / "shared.conf").write_text("[core]\n\thooksPath = tools/hooks\n")
    for path in ("tools/hooks/pre-commit", "shared.conf"):
        decision = evaluate_call("edit", "edit", {"path": path}, [path], workspace, Policy("auto"))
        assert (decision.verdict, decision.rule) == ("ask", "protected")


@pytest.mark.parametrize(
    ("path", "rules", "verdict"),
    [
        ("a.md", [], "allow"),
        ("docs/b.md", ["deny read_file(docs/**)"], "allow"),
        ("docs/b.md", ["deny read_file(**/b.md)"], "deny"),
        ("docs/b.md", ["deny read_file"], "deny"),
        (".env", [], "deny"),
        ("../other/a.md", [], "deny"),
    ],
)
def test_folder_of_a_skill_may_be_read_under_the_rules(
    path: str, rules: list[str], verdict: str, workspace: Workspace, tmp_path: Path
) -> None:
    skill = tmp_path / "skills" / "night"
    skill.mkdir(parents=True)
    readable = replace(workspace, readable=(skill,))
    args = {"path": f"{skill}/{path}"}
    assert decided("read", args, readable, "ask", *rules).verdict == verdict
    assert decided("edit", args, readable, "auto", *rules).verdict == "deny"


HIDDEN = [
    "git p origin",
    "git -c alias.st=push st",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!git push' git log",
    "GIT_SEQUENCE_EDITOR='git push' git rebase -i HEAD~1",
    "export PAGER='sh -c \"git push\"'; git log",
    "LESSOPEN='|git push %s' less a.py",
    "git send-pack ssh://host/x main",
    "git subtree push --prefix src origin main",
    "python3 -c 'import os; os.system(\"git push\")'",
    "python3 <<'E'\nimport subprocess\nsubprocess.run(['git', 'push'])\nE",
    "awk 'BEGIN { system(\"git push\") }'",
    "sed -n '1e git push' a.py",
    "vim -c ':!git push' -c q a.py",
    "tar cf x.tar --checkpoint=1 --checkpoint-action=exec='git push' a.py",
    "rsync -e 'git push' a b:",
    "sort --compress-program='git push' a.py",
    "split --filter='git push' a.py",
    "rg --pre 'git push' x",
    "zip x.zip a.py -TT 'git push'",
    "psql -c '\\! git push'",
    "hyperfine 'git push'",
]
CARRIED = [
    "git -c core.sshCommand='git push' fetch",
    "pnpm exec git push",
    "npm exec -- git push",
    "npm exec -c 'git push'",
    "yarn exec git push",
    "conda run -n base git push",
    "mise x -- git push",
    "direnv exec . git push",
    "op run --env-file=.x -- git push",
    "dotenv -- git push",
    "cross-env CI=1 git push",
    "watchexec -w src git push",
    "git status\r\ngit push\r\n",
]
SPOKEN = [
    "git stash push",
    "git commit -m 'explain git push' && npm test",
    "rg 'git push' .",
    "grep -rn 'git push' src",
    "echo 'git push'",
    "sed -i 's/git pull/git push/' a.py",
    "cat > x.md <<'E'\nUse git push to publish.\nE",
    "python3 -c 'print(\"how to git push\")'",
    "npm install express",
    "bun run test",
    "git -c user.name=x commit -m y",
]


@pytest.mark.parametrize(
    ("line", "verdict"),
    [(line, "ask") for line in HIDDEN]
    + [(line, "deny") for line in CARRIED]
    + [(line, "allow") for line in SPOKEN],
)
def test_denied_command_is_found_where_it_hides(
    line: str, verdict: str, workspace: Workspace
) -> None:
    decision = decided("execute", {"command": line}, workspace, "auto", "deny Bash(git push:*)")
    assert decision.verdict == verdict, decision.reason
