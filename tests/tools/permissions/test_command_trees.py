"""A rule on files holds for the commands that read a folder above."""

from pathlib import Path

import pytest
from rule_texts import ruled

from maxagent.tools.permissions import tree_walk
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    for name in ("notes.txt", "private/key.txt", "src/a.py", "build/out.js"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    return Workspace(root)


def decide(workspace: Workspace, command: str, *rules: str) -> str:
    args, policy = {"command": command}, ruled("auto", *rules)
    return evaluate_call("run_command", "execute", args, (), workspace, policy).verdict


def add_link(workspace: Workspace, command: str) -> None:
    if "linked" in command:
        (workspace.root / "linked").mkdir()
        (workspace.root / "linked/link").symlink_to("../private")


@pytest.mark.parametrize(
    "command",
    [
        "grep -r x .",
        "grep -rn x",
        "grep -Rl x . | head",
        "rg x",
        "rg -n x .",
        "ack x",
        "git grep x",
        "git archive HEAD | strings",
        "git log -p -3",
        "find . -name key.txt -exec cat {} +",
        "find . -type f | xargs cat",
        "find . -type f -print0 | xargs -0 grep x",
        "git ls-files | xargs head",
        "tar cf - .",
        "tar czf x.tgz * && echo done",
        "zip -r - .",
        "cp -r . /tmp/copy",
        "rsync -a ./ /tmp/copy",
        "diff -r . /tmp/copy",
        "cd src && grep -r x ..",
        "bash -c 'grep -r x .'",
        "sudo grep -r x .",
        "find . -name '*.py' -o -type f | xargs cat",
    ],
)
def test_folder_with_denied_file_is_not_read(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command) != "deny"
    assert decide(workspace, command, "deny read_file(private/**)") == "deny"
    assert decide(workspace, command, "ask Read(*.txt)", "deny Read(private/)") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "grep -r x src",
        "grep x notes.txt",
        "grep -r --exclude-dir=private x .",
        "grep -rn --include='*.py' x .",
        "rg -t py x",
        "rg -g '!private' x",
        "rg -g '*.js' x",
        "rg --files",
        "rg ignored build",
        "git grep x src",
        "git grep x -- . ':!private'",
        "find . -name '*.py' | xargs cat",
        "find . -type f -not -path './private/*' -exec cat {} +",
        "find . -path ./private -prune -o -type f -exec cat {} +",
        "find . -type f | wc -l",
        "find . -name key.txt",
        "ls -R .",
        "tar xf x.tar",
        "tar czf x.tgz src",
        "tar czf x.tgz --exclude=private .",
        "cp -r src copy",
        "cp notes.txt copy.txt",
        "rsync -a --exclude private ./ /tmp/copy",
        "git status",
        "git log --stat",
        "git log -p src/a.py",
        "du -sh .",
        "make build",
    ],
)
def test_folder_without_denied_file_is_read(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command, "deny read_file(private/**)") == decide(workspace, command)


def test_ignored_files_are_passed_by_rg(workspace: Workspace) -> None:
    (workspace.root / ".git").mkdir()
    (workspace.root / ".gitignore").write_text("private/\n")
    rule = "deny read_file(private/**)"
    assert decide(workspace, "rg x", rule) == decide(workspace, "git grep x", rule) == "allow"
    assert decide(workspace, "rg -u x", rule) == decide(workspace, "grep -r x .", rule) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        # patterns of other options, of other programs, or in another case
        "rg --iglob '*.TXT' x",
        "rg -g '{*.js,*.txt}' x",
        "rg -g '!private' -g '*.txt' x private",
        "find . -iname '*.TXT' -exec cat {} +",
        "grep -r -x '.*' .",
        "grep -r --exclude=private x .",
        "grep -r --exclude-dir=./private x .",
        "grep -r --exclude='*.txt' --include='key*' x .",
        "cp -a -x ./ /tmp/out",
        "cp -r -t /tmp/out .",
        "zip -r -g x.zip .",
        "zip -r x.zip . -x private",
        "rsync -a --include='*.py' ./ out",
        "rsync -a --filter='+ private' --exclude=private ./ out",
        "git grep x -- . ':!key.txt'",
        # options that look like another mode
        "tar --xz -cf x .",
        "tar --totals -czf - .",
        "tar -g snap -cf x.tar .",
        "tar cf x.tar -C src ..",
        "7z a x.7z .",
        "git diff",
        "git show HEAD",
        "git stash show -p",
        "git log -pU3",
        "git log -U3",
        "git log -p --author src",
        "git diff --stat -p",
        "git -C . --no-pager -c a.b=c grep x",
        "grep --recurs x .",
        "grep -drecurse x .",
        # expressions of find
        "find . -path ./build -prune -o -name '*.txt' -exec cat {} +",
        "find . -true -o -path ./private -prune , -name '*.txt' -exec cat {} +",
        "find . -depth -path ./private -prune -o -type f -exec cat {} +",
        "find . ! -name '*.py' -exec cat {} +",
        "find . -size -9 -exec cat {} +",
        "find . -maxdepth 2 -type f -exec cat {} +",
        # readers by their whole path, in code, in a substitution or a loop
        "find . -type f -exec /bin/cat {} +",
        "find . -type f -exec sh -c 'cat \"$1\"' _ {} ';'",
        "find . -type f | sort | xargs /bin/cat",
        "rg --files | xargs cat",
        "git diff --name-only | xargs cat",
        "cat $(find . -type f)",
        "cat $(git ls-files)",
        'find . -type f | while read f; do cat "$f"; done',
        "fd -x cat",
        # the folders above, and links
        "grep -r x ..",
        "rg x ..",
        "cp -r .. /tmp/out",
        "tar czf x ..",
        "cd src && grep -reKEY ..",
        "cd src && grep -r --regexp=x ..",
        "grep -R x linked",
        "rg -L x linked",
        "cp -rL linked /tmp/out",
        "find -L linked -type f -exec cat {} +",
        "zip -r x.zip linked",
        # exclusions that do not hold here
        "tar czf x.tgz . --exclude=private",
        "tar czf x.tgz * --exclude=private",
        "grep -r --exclude-dir=. x",
        "rg x ../project -g '!/private'",
        "zip -r x.zip $PWD -x 'private/*'",
        "zip -r x.zip -x 'build/*' @ private",
        "diff -r -x private/ . /tmp/copy",
        "diff -r -Ix private /tmp/copy",
        "find . -maxdepth 2 -name build -prune -o -type f -print | xargs cat",
        "find . -name private -prune -o -print | xargs grep -r x",
        # names that are not dropped on all ways
        "find . -type f | grep -v '^private' | xargs cat",
        "find . -type f | grep -v PRIVATE | xargs cat",
        "find . -type f | grep private | xargs cat",
        "find . -type f | xargs cat; find . -type f | grep -v private | xargs cat",
        "find . -type f | uniq -c | grep -v '^./private' | xargs cat",
        "find . -type f | grep -v private /dev/null - | xargs cat",
        "find . -type f -printf '%f' | grep -v private | xargs cat",
        "git ls-files --full-name | grep -v private | xargs cat",
        "git ls-files '*.txt' | xargs cat",
        "git log -p | grep -v private | xargs -n1 cat",
        "find . -mindepth 2 -name private -prune -o -type f -print | xargs cat",
        "find . -depth -name private -prune -o -type f -print | xargs cat",
        # an exclusion that is the value of another option
        "diff -N -F -x private/key.txt /dev/null",
        "diff -N -I -x private/key.txt /dev/null",
        "rsync -e --exclude private/key.txt /tmp/out",
    ],
)
def test_options_leave_out_only_what_they_say(command: str, workspace: Workspace) -> None:
    add_link(workspace, command)
    assert decide(workspace, command) != "deny"
    assert decide(workspace, command, "deny read_file(private/**)") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "grep -rn --exclude-dir=private x .",
        "grep -nri x --exclude-dir private .",
        "grep -rn --include='*.txt' --exclude-dir=private x .",
        "grep -r --exclude='*.txt' x .",
        "grep -r -ex src",
        "grep -r --regexp=x src",
        "grep -d skip x src build",
        "grep -r x linked",
        "rg -tpy x",
        "rg --iglob '!PRIVATE' x",
        "rg -g '!/private/**' x",
        "git log | rg x",
        "tar -C src -czf x.tgz .",
        "tar --exclude='private/*' -czf x.tgz .",
        "tar -xzf x.tgz --exclude=build",
        "zip -r x.zip . --exclude 'private/*'",
        "rsync -a --include='*/' --include='*.py' --exclude='*' ./ /tmp/copy",
        "diff -r --exclude=private . /tmp/copy",
        "cp -r linked /tmp/copy",
        "7z x x.7z",
        "git diff --stat",
        "git diff -- src",
        "git diff src",
        "git show HEAD:src/a.py",
        "git show --stat HEAD",
        "git log --oneline -5",
        "git log -p -- '*.py'",
        "git stash list",
        "git -C src grep x",
        "git diff -- . ':(exclude)private'",
        "find . -path ./private -prune -o -name '*.txt' -exec cat {} +",
        "find . -path ./private -prune -o -type f -print | xargs cat",
        "find . '(' -name build -o -path ./private -prune ')' -o -type f -exec cat {} +",
        "find . -maxdepth 1 -type f -exec cat {} +",
        "find . -type d -exec cat {} +",
        "find . -name '*.txt' -not -path './private/*' | xargs grep x",
        "find src build -type f | xargs cat",
        "find . -type f -exec chmod a+r {} +",
        "rg --files | wc -l",
        "fd -e py -x cat",
        "fd -E private -X cat",
        "zip -r x.zip . -x 'private/*'",
        "zip -qr x.zip . -x 'build/*' 'private/*'",
        "cd src && zip -r x.zip .. -x '../private/*'",
        "diff -r -x private . /tmp/copy",
        "diff -rx private . /tmp/copy",
        "egrep -r x . --exclude-dir=private",
        "ag --ignore-dir=private x",
        "ack --ignore-dir private x",
        "fd -t f -HE private -X cat",
        "rg -g '!{private,build}' x",
        "rg -g '*.{py,js}' x",
        "find . -name private -prune -o -type f -print | xargs cat",
        "find . -name private -prune -o -type f -print0 | xargs -0 cat",
        "find . '(' -name private -o -name build ')' -prune -o -type f -print | xargs cat",
        "find $PWD -name private -prune -o -type f -print | xargs cat",
        "find . -type f | grep -v private | xargs cat",
        "find . -type f | sort | grep -vE 'private|build' | head -20 | xargs cat",
        "git ls-files | grep -v '^private/' | xargs cat",
        "git ls-files '*.py' | xargs cat",
    ],
)
def test_options_that_leave_files_out_hold(command: str, workspace: Workspace) -> None:
    add_link(workspace, command)
    assert decide(workspace, command, "deny read_file(private/**)") == decide(workspace, command)


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("grep -r x .", "ask"),
        ("rg -u x", "ask"),
        ("grep -rn --exclude-dir=node_modules x .", "allow"),
        ("rg -u -g '!node_modules' x", "allow"),
        ("find . -name node_modules -prune -o -type f -print | xargs cat", "allow"),
        ("tar czf x.tgz --exclude=node_modules .", "allow"),
        ("rsync -a --exclude node_modules ./ /tmp/copy", "allow"),
        ("zip -r x.zip . -x 'node_modules/*'", "allow"),
        ("grep -r x src", "allow"),
    ],
)
def test_too_many_files_are_asked(
    command: str, verdict: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        (workspace.root / f"node_modules/p{number}").mkdir(parents=True)
    monkeypatch.setattr(tree_walk, "MAX_TREE_ENTRIES", 15)
    args, policy = {"command": command}, ruled("auto", "deny read_file(**/*.pem)")
    decision = evaluate_call("run_command", "execute", args, (), workspace, policy)
    assert decision.verdict == verdict
    assert ("too many files" in decision.reason) == (verdict == "ask")


def test_unknown_folder_is_asked(workspace: Workspace) -> None:
    rule = "deny read_file(private/**)"
    assert decide(workspace, 'cp -r "$(cat notes.txt)" /tmp/copy', rule) == "ask"
    assert decide(workspace, "cp -r src /tmp/copy", rule) == "allow"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("rg --max-depth 1 x", "allow"),
        ("rg --max-depth 2 x", "deny"),
        ("rg --max-depth 1 x private", "deny"),
        ("rg -T txt -T py -T js x", "allow"),
        ("rg --type-list", "allow"),
        ("find . -maxdepth 1 -type f -exec cat {} +", "allow"),
        ("find . -regex '.*[.]py' -exec cat {} +", "allow"),
        ("find . -regex '.*[.]txt' -exec cat {} +", "deny"),
        ("7z a x.7z . '-xr!private'", "allow"),
        ("7z a x.7z @names", "deny"),
        ("fd -d 1 -t f -x cat", "allow"),
        ("fd -d 2 -t f -x cat", "deny"),
        ("fd '[.]py$' -x cat", "deny"),
        (r"fd '\.py$' -x cat", "allow"),
        (r"fd '\.py$' -x grep -r x", "deny"),
        ("fd --search-path src -x cat", "allow"),
        ("fd --search-path . -x cat", "deny"),
        ("git grep --max-depth 0 x", "allow"),
        ("git grep --max-depth 0 x private", "deny"),
        ("git grep x -- :/src", "allow"),
        ("git grep x -- ':(glob)src/**'", "allow"),
        ("git grep x -- ':(glob)**'", "deny"),
        ("cd src && git grep x -- :/private", "deny"),
        (r"git ls-files | grep '\.py$' | xargs cat", "allow"),
        ("git ls-files | grep key | xargs cat", "deny"),
    ],
)
def test_options_that_limit_what_is_read(workspace: Workspace, command: str, verdict: str) -> None:
    (workspace.root / ".git").mkdir()
    assert decide(workspace, command, "deny read_file(private/**)") == verdict
