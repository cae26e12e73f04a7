from pathlib import Path

import pytest
from rule_texts import project, ruled

from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.workspace import Workspace

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
