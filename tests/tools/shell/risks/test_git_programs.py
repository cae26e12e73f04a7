"""Real git is the witness of one line of each kind: it runs what the line sets."""

import os
import subprocess
from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

ASKED = r"""
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=. git commit -m x
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='sh evil.sh' git -p log
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=.; git commit -m x
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=$X GIT_CONFIG_VALUE_0=. make
GIT_CONFIG_PARAMETERS="'core.hookspath=.'" git commit -m x
env GIT_CONFIG_PARAMETERS="'core.hookspath=.'" git commit -m x
git -c core.hooksPath=. commit -m x
git -c core.hooksPath=src commit -m x
git --config-env=core.hooksPath=X commit -m x
X=. git --config-env core.hooksPath=X commit -m x
GIT_CONFIG_GLOBAL=src/cfg git commit -m x
GIT_CONFIG_SYSTEM=./cfg git status
printf x > .gitconfig; HOME=. git commit -m x
mkdir g; printf x > g/config; git --git-dir=g status
GIT_SSH_COMMAND='sh evil.sh' git fetch
GIT_SSH_COMMAND='ssh -o ProxyCommand=./e' git fetch
GIT_SSH_COMMAND='ssh -F x' git fetch
GIT_SSH=./evil.sh git fetch
GIT_EXTERNAL_DIFF=./evil.sh git diff
GIT_PAGER=./evil.sh git -p log
PAGER=./evil.sh git -p log
GIT_EDITOR=./evil.sh git commit
EDITOR=./evil.sh git commit
GIT_SEQUENCE_EDITOR=./evil.sh git rebase -i HEAD~1
GIT_SEQUENCE_EDITOR="sed -i s/x/y/e" git rebase -i HEAD~1
SSH_ASKPASS=./evil.sh git fetch
GIT_EXEC_PATH=. git status
git --exec-path=. status
GIT_TEMPLATE_DIR=t git init sub
git -c core.fsmonitor=./evil.sh status
git -c core.sshCommand=./e fetch
git -c diff.external=./e diff
git -c alias.x='!sh e' x
git -c filter.x.clean=./e add .
git -c include.path=cfg status
git -c includeIf.gitdir:/.path=cfg status
git -c diff.x.textconv=./e diff
git -c gpg.program=./e commit -S -m x
git -c credential.helper='!sh e' fetch
git -c "$X" log
git -c protocol.ext.allow=always fetch 'ext::sh -c x'
git fetch 'ext::sh -c x'
git clone 'ext::sh -c x' y
git remote add x 'ext::sh -c x'
git remote set-url origin foo://x
git submodule add 'ext::sh -c x' y
git difftool -x ./e
git difftool --extcmd=./e
git grep -Osh x
git grep --open-files-in-pager=./e x
git fetch --upload-pack=./e origin
git fetch --upload-pa ./e origin
git push --receive-pack=./e origin
git clone -u ./e x y
git archive --exec=./e --remote=x HEAD
git ls-remote --upload-pack=./e .
git send-email --smtp-server=./e x
git clone -c core.hooksPath=. x y
git clone --config core.hooksPath=. x y
sudo GIT_PAGER=./e git log
sh -c 'GIT_PAGER=./e git log'
""".strip().splitlines()
# It shows, edits or connects, or names no program
HARMLESS = r"""
HOME=. git commit -m x
HOME=$(mktemp -d) git status
GIT_DIR=src/g git status
git --git-dir=src/g status
GIT_PAGER=cat git log
GIT_PAGER='less -FRX' git log
GIT_EDITOR=true git rebase --continue
GIT_EDITOR=: git commit --amend
GIT_SEQUENCE_EDITOR="sed -i 's/^pick/squash/'" git rebase -i HEAD~2
GIT_SEQUENCE_EDITOR="sed -i -e '2,3s/^pick/squash/'" git rebase -i HEAD~2
GIT_SSH_COMMAND='ssh -i ~/.keys/x -o StrictHostKeyChecking=no' git fetch
GIT_SSH_COMMAND="ssh -o BatchMode=yes -o ConnectTimeout=5" git ls-remote
GIT_ASKPASS=true git fetch
GIT_ASKPASS=/bin/echo git fetch
GIT_TERMINAL_PROMPT=0 git fetch
GIT_AUTHOR_NAME=a GIT_COMMITTER_DATE=b git commit -m x
GIT_TRACE=1 git fetch
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git status
GIT_CONFIG_NOSYSTEM=1 git status
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a git commit -m x
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' git status
GIT_LFS_SKIP_SMUDGE=1 git clone https://x/y
git -c user.name=a -c user.email=b commit -m x
git -c "user.name=$NAME" commit -m x
git -c core.hooksPath=/dev/null commit -m x
git -c core.hooksPath= commit -m x
git -c core.pager=cat log
git -c core.editor=true rebase --continue
git -c color.ui=never log
git -c core.quotepath=false ls-files
git -c advice.detachedHead=false checkout x
git -c protocol.file.allow=always submodule update
git -c http.extraHeader="X: y" fetch
git -c http.userAgent=x fetch
git -c credential.helper= fetch
git -c credential.helper=store fetch
git -c alias.st=status st
git -c url.https://github.com/.insteadOf=git@github.com: fetch
git -c core.fsmonitor=false status
git -c init.defaultBranch=main init x
git -c diff.external= diff
git -c filter.lfs.smudge= -c filter.lfs.required=false clone https://x/y
git -c commit.gpgsign=false commit -m x
git -c core.attributesFile=a status
git clone -c core.autocrlf=false https://x/y
git clone https://github.com/a/b
git clone git@github.com:a/b.git
git push -u origin main
git push origin HEAD:refs/for/main
git fetch origin pull/1/head:x
git grep -n foo
git grep -e x -- src
git grep -O less x
git difftool -t vimdiff
git rebase --exec 'make test' HEAD~1
git bisect run make test
git submodule foreach git status
git commit -m 'use ext::foo in -c core.hooksPath=.'
git -C src log
export GIT_PAGER=cat; git log
PAGER=cat; make
""".strip().splitlines()
# Lines that make git run `./evil.sh`
RUNNING = r"""
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=./h git commit --allow-empty
GIT_CONFIG_PARAMETERS="'core.hookspath=./h'" git commit --allow-empty -m x
GIT_CONFIG_GLOBAL=cfg git commit --allow-empty -m x
git -c core.hooksPath=./h commit --allow-empty -m x
X=./h git --config-env core.hooksPath=X commit --allow-empty -m x
printf '[core]\nhooksPath=./h' > .gitconfig; HOME=. git commit --allow-empty -m x
GIT_EXTERNAL_DIFF=./evil.sh git diff
git -c diff.external=./evil.sh diff
GIT_EDITOR=./evil.sh git commit --allow-empty
env GIT_SEQUENCE_EDITOR=./evil.sh git rebase -i --autostash --root
git -c core.fsmonitor=./evil.sh status
git -c alias.x='!./evil.sh' x
git -c include.path="$PWD/cfg" commit --allow-empty -m x
git fetch --upload-pack=./evil.sh .
git -c protocol.ext.allow=always fetch 'ext::./evil.sh'
git grep --open-files-in-pager=./evil.sh x
git --git-dir=bare commit --allow-empty -m x
GIT_DIR=bare git commit --allow-empty -m x
""".strip().splitlines()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("git") / "project"
    (root / "h").mkdir(parents=True)
    (root / "a").write_text("x\n")
    (root / "cfg").write_text("[core]\nhooksPath = ./h\n")
    for name in ("evil.sh", "h/pre-commit"):
        (root / name).write_text("#!/bin/sh\necho run >> ran\n")
        (root / name).chmod(0o755)
    run_line("git init -q && git add a && git commit -qm x && echo y >> a", root)
    run_line("git init -q --bare bare && git --git-dir=bare config core.bare false", root)
    run_line("git --git-dir=bare config core.hooksPath ./h", root)
    return root


def run_line(line: str, root: Path) -> None:
    names = {
        f"GIT_{role}_{part}": "a" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
    }
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **names}
    subprocess.run(
        ["bash", "-c", line], cwd=root, env=environment, capture_output=True, check=False
    )


@pytest.mark.parametrize("line", RUNNING)
def test_what_git_really_runs_is_asked(line: str, project: Path) -> None:
    ran = project / "ran"
    ran.unlink(missing_ok=True)
    run_line(line, project)
    assert ran.exists()
    (project / ".gitconfig").unlink(missing_ok=True)
    assert analyze_command(line, ".", Workspace(project)).verdict == "ask"


@pytest.mark.parametrize("line", ASKED)
def test_programs_that_a_line_sets_are_asked(line: str, tmp_path: Path) -> None:
    analysis = analyze_command(line, ".", Workspace(tmp_path))
    assert analysis.verdict == "ask" and analysis.rule in ("git", "protected"), analysis.reason


@pytest.mark.parametrize("line", HARMLESS)
def test_harmless_settings_are_no_question(line: str, tmp_path: Path) -> None:
    analysis = analyze_command(line, ".", Workspace(tmp_path))
    assert analysis.verdict in ("allow", None), analysis.reason
