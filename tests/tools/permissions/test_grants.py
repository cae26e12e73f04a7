from pathlib import Path

import pytest
from rule_texts import project, ruled

from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("npm test", "npm test:*"),
        ("npm run build -- --watch", "npm run build:*"),
        ("git commit -m 'a b'", "git commit:*"),
        ("git status && git commit -m x", "git commit:*"),
        ("pytest -x tests", "pytest:*"),
        ("python -m pytest -x", "python -m pytest:*"),
        ("cargo test --all", "cargo test:*"),
        ("npm test 2>&1 | tail -5", "npm test:*"),
        ("npm install", "npm install"),
        ("git push origin main", "git push origin main"),
        ("make all", "make all"),
        ("python build.py", "python build.py"),
        ("rm 'a b'", "rm 'a b'"),
        ("touch 'a*'", "touch 'a*'"),
        ("git -C sub commit", "git -C sub commit"),
        ("/usr/bin/make", "/usr/bin/make"),
        ("python -c 'print(1)'", ""),
        ("python3.11 -c 'print(1)'", ""),
        ("node -e 1", ""),
        ("echo 'print(1)' | python", ""),
        ("bash -c 'make'", ""),
        ("npx something", ""),
        ("sudo make", ""),
        ("env A=1 make", ""),
        ("A=1 make", ""),
        ("make > out", ""),
        ("make $TARGET", ""),
        ("make *.c", ""),
        ("make &", ""),
        ("make && npm test", ""),
        ("make\n\nls", ""),
        ("make 'unclosed", ""),
        ("echo x > AGENTS.md", ""),
        ("touch '${HOME}'", ""),
        ("touch " + "x" * 200, ""),
    ],
)
def test_the_narrowest_sensible_rule_for_a_command(command: str, rule: str, tmp_path: Path) -> None:
    workspace = project(tmp_path)
    call = ("run_command", "execute", {"command": command}, (), workspace)
    decision = evaluate_call(*call, ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", rule and f"run_command({rule})")
    assert not rule or evaluate_call(*call, ruled("ask", decision.always)).verdict == "allow"


def test_what_runs_outside_the_sandbox_is_never_always(tmp_path: Path) -> None:
    args = {"command": "npm test", "outside_sandbox": True}
    decision = evaluate_call("run_command", "execute", args, (), project(tmp_path), ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", "")


@pytest.mark.parametrize(
    ("paths", "rule"),
    [
        (["a.py"], "edit(/ROOT/a.py)"),
        (["./src/a.py"], "edit(/ROOT/src/a.py)"),
        (["src/a.py", "src/b.py"], "edit(/ROOT/src/**)"),
        (["src/a.py", "docs/b.md"], ""),
        (["a.py", "b.py"], ""),
        (["src/[a].py"], ""),
        (["link.py"], ""),
        (["AGENTS.md"], ""),
        (["文档/说明.md"], "edit(/ROOT/文档/说明.md)"),
        (["café.py"], "edit(/ROOT/café.py)"),
        (["cafe\u0301.py"], ""),
        (["a\u200b.py"], ""),
        (["a\u3000b.py"], ""),
    ],
)
def test_the_narrowest_rule_for_an_edit(paths: list[str], rule: str, tmp_path: Path) -> None:
    workspace = project(tmp_path)
    rule = rule.replace("ROOT", str(workspace.root))  # of no other project
    (workspace.root / "link.py").symlink_to("a.py")
    decision = evaluate_call("apply_patch", "edit", {}, paths, workspace, ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", rule)
    allowed = evaluate_call(
        "apply_patch", "edit", {}, paths, workspace, ruled("ask", rule or "grep")
    )
    assert allowed.verdict == ("allow" if rule else "ask")


@pytest.mark.parametrize(
    ("tool", "effect", "args", "rule"),
    [
        ("webfetch", "fetch", {"url": "https://Example.org/a"}, "webfetch(domain:example.org)"),
        ("mcp_files_read", "execute", {"path": "x"}, ""),  # its server is not known
        ("ask_user", "talk", {"question": "?"}, ""),
    ],
)
def test_the_narrowest_rule_for_other_tools(
    tool: str, effect: str, args: dict[str, object], rule: str, tmp_path: Path
) -> None:
    decision = evaluate_call(tool, effect, args, (), project(tmp_path), ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", rule)


def test_rule_for_tool_of_known_server_is_its_name(tmp_path: Path) -> None:
    policy = ruled("ask").with_servers([McpServer("files", "stdio", "serve", source="/x.json")])
    decision = evaluate_call(
        "mcp_files_read", "execute", {}, (), project(tmp_path), policy, server="files"
    )
    assert (decision.verdict, decision.always) == ("ask", "mcp_files_read")


HARMLESS = """\
CI=1 npm test
FOO=1 npm test -- --watch
NODE_ENV=test DEBUG=app:* npm test
FORCE_COLOR=0 TZ='UTC' LANG="C.UTF-8" npm test
timeout 60 npm test
timeout -k 5 2m npm test && ls
timeout --signal=KILL 90s npm test
nice -n 10 npm test | tail -5
time npm test
nohup npm test
stdbuf -oL npm test
env CI=true timeout 30 npm test
PYTHONUNBUFFERED=1 npm test; git status
UPDATE_SNAPSHOTS=1 npm test
FAST=true npm test
ASYNC=1 npm test
V=0 npm test
""".splitlines()
UNKNOWN = """\
FOO=./x npm test
NODE_OPTIONS=1 npm test
LD_PRELOAD=1 npm test
npm_config_script_shell=1 npm test
NODE_TLS_REJECT_UNAUTHORIZED=0 npm test
GIT_SSL_NO_VERIFY=1 npm test
HUSKY=0 npm test
SKIP=1 npm test
BASH_ENV=x npm test
ENV=1 npm test
PATH=. npm test
LLC_SECURITY__MODE=1 npm test
PATH=1 npm test
HOME=1 npm test
XDG_CONFIG_HOME=true npm test
MAKEFILES=1 npm test
GOFLAGS=0 npm test
CC=1 npm test
PYTEST_PLUGINS=true npm test
RUSTC_WRAPPER=1 npm test
TMPDIR=1 npm test
IFS=0 npm test
X_CONFIG=1 npm test
CI=$(touch x) npm test
CI=1; FOO=x npm test
CI=1 npm install
timeout 60 npm install
timeout 60 sh -c 'npm test'
timeout $N npm test
env -S 'npm test' npm test
env -i npm test
nice npm test > x
nohup npm test &
sudo npm test
time -o x npm test
xargs npm test
CI=1
timeout 60
""".splitlines()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return project(tmp_path)


def decide(workspace: Workspace, command: str, *rules: str) -> str:
    args = {"command": command}
    policy = ruled("ask", *rules)
    return evaluate_call("run_command", "execute", args, [], workspace, policy).verdict


@pytest.mark.parametrize("command", HARMLESS)
def test_harmless_beginning_keeps_the_rule(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command, "run_command(npm test:*)") == "allow"
    assert decide(workspace, command, "run_command(npm run:*)") == "ask"
    rules = ("run_command(npm test:*)", "deny run_command(npm:*)")
    assert decide(workspace, command, *rules) == "deny"


@pytest.mark.parametrize("command", UNKNOWN)
def test_unknown_beginning_is_asked(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command, "run_command(npm test:*)") in ("ask", "deny")


COMMIT = "git commit -F - <<"
MESSAGES = {
    "quoted": f"{COMMIT}'EOF'\nfix: a\n\nbody with $HOME and `x`\nEOF",
    "double quotes": f'{COMMIT}"END"\nfix: a\nEND',
    "plain words": f"{COMMIT}EOF\nfix: a\nEOF",
    "after add": f"git add -A && {COMMIT}'EOF'\nfix: a\nEOF",
    "before push check": f"{COMMIT}'EOF' && git status\nfix: a\nEOF",
    "long option": "git commit --file=- <<'EOF'\nfix: a\nEOF",
    "with a flag": "git commit -a -F - <<'EOF'\nfix: EOF is a word\nEOF",
}
NO_MESSAGES = {
    "expands": f"{COMMIT}EOF\n$(touch x)\nEOF",
    "goes on": f"{COMMIT}'EOF'\nfix\nEOF\ntouch x",
    "ends early": f"{COMMIT}'EOF'\nfix\nEOF\ntouch x\nEOF",
    "another program": "python3 -F - <<'EOF'\nprint()\nEOF",
    "to a file": f"{COMMIT}'EOF' > x\nfix\nEOF",
    "more than rules allow": f"{COMMIT}'EOF' && touch x\nfix\nEOF",
    "two documents": f"{COMMIT}'EOF' <<'B'\nfix\nEOF\nx\nB",
    "in quotes": f"echo '{COMMIT}'EOF'\nfix\nEOF",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_message_of_here_document_keeps_the_rule(name: str, workspace: Workspace) -> None:
    rules = ("run_command(git commit:*)", "run_command(git add:*)")
    assert decide(workspace, MESSAGES[name], *rules) == "allow"
    assert decide(workspace, MESSAGES[name], "run_command(git push:*)") == "ask"


@pytest.mark.parametrize("name", NO_MESSAGES)
def test_other_here_document_is_asked(name: str, workspace: Workspace) -> None:
    rules = ("run_command(git commit:*)", "run_command(python3:*)", "run_command(echo:*)")
    assert decide(workspace, NO_MESSAGES[name], *rules) == "ask"


@pytest.mark.parametrize(
    ("command", "rule", "reason"),
    [
        ("python3 -m pytest -q", "python -m pytest:*", "`python -m pytest` is allowed, but not as"),
        ("python3.12 -m pytest", "python3 -m pytest", "but not as `python3.12`"),
        ("python3 -m pip install x", "python -m pytest:*", "`python3` can change files"),
        ("pip3 install x", "pip install:*", "`pip install` is allowed, but not as `pip3`"),
        ("npm run build", "npm test:*", "`npm` can change files"),
        ("npm run build", "", "`npm` can change files"),
    ],
)
def test_question_says_what_is_allowed(
    command: str, rule: str, reason: str, tmp_path: Path
) -> None:
    policy = ruled("ask", *([f"run_command({rule})"] if rule else []))
    args = {"command": command}
    decision = evaluate_call("run_command", "execute", args, (), project(tmp_path), policy)
    assert decision.verdict == "ask" and reason in decision.reason
