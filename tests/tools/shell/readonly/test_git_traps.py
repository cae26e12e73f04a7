"""A repository that tries to run a program by every door of the git commands that run unasked."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxagent.tools.git.hardened_git import GUARD
from maxagent.tools.process.environment import build_child_environment
from maxagent.tools.shell.readonly.classifier import explain_not_read_only
from maxagent.tools.shell.readonly.path_scope import PathScope
from maxagent.tools.workspace import Workspace

LINES = [
    *(
        "status",
        "status -s",
        "status --ignore-submodules=dirty",
        "diff",
        "diff --stat",
        "diff HEAD",
    ),
    *("diff --cached", "show", "show HEAD", "show --stat", "show HEAD:a.txt", "log", "log -p"),
    *("log --oneline --graph --all", "log --format='%h %an %(trailers)'", "log --stat -3"),
    *("log -S two", "blame a.txt", "grep two", "ls-files", "ls-files -m", "branch -vv", "tag -n"),
    *("stash list", "stash show", "describe --always --dirty", "shortlog -sn HEAD", "remote -v"),
    *(
        "rev-parse HEAD",
        "rev-list --count HEAD",
        "cat-file -p HEAD:a.txt",
        "reflog",
        "ls-tree HEAD",
    ),
    *("diff-tree -p HEAD", "for-each-ref", "config --get user.name", "worktree list"),
    *("check-ignore -v a.txt", "merge-base HEAD HEAD", "name-rev HEAD", "count-objects -v"),
]


def git(folder: Path, *arguments: str) -> str:
    """Git as anybody would run it, with nothing switched off."""
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    result = subprocess.run(
        ["git", *person, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    return result.stdout


@dataclass
class Trapped:
    """A repository, and a program that leaves a mark when it runs."""

    root: Path
    trap: Path

    @property
    def has_sprung(self) -> bool:
        return (self.trap.parent / "sprung").exists()

    def config(self, *settings: str) -> None:
        """`key value`, with `TRAP` for the program."""
        for setting in settings:
            key, _, value = setting.partition(" ")
            git(self.root, "config", "--add", key, value.replace("TRAP", str(self.trap)))

    def append(self, text: str, name: str = ".git/config") -> None:
        with open(self.root / name, "a") as file:
            file.write(text.replace("TRAP", str(self.trap)))


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("plain") / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / ".gitattributes").write_text("a.txt diff=evil filter=evil\nb.txt filter=e.x=y.z\n")
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "First\n\nSigned-off-by: A <a@example.org>")
    (root / "a.txt").write_text("stashed\n")
    git(root, "stash")
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("two\n")
    return root


@pytest.fixture
def trapped(plain: Path, tmp_path: Path) -> Trapped:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    root = tmp_path / "project"
    shutil.copytree(plain, root, symlinks=True)
    return Trapped(root, trap)


def configured(*settings: str) -> Callable[[Trapped], None]:
    return lambda trapped: trapped.config(*settings)


def written(text: str) -> Callable[[Trapped], None]:
    return lambda trapped: trapped.append(text)


def a_hook(trapped: Trapped) -> None:
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
    ):
        shutil.copy(trapped.trap, trapped.root / ".git/hooks" / name)


def hooks_elsewhere(trapped: Trapped) -> None:
    (trapped.root / ".husky").mkdir()
    shutil.copy(trapped.trap, trapped.root / ".husky/post-index-change")
    trapped.config("core.hooksPath .husky")


def an_included_file(trapped: Trapped) -> None:
    trapped.append("[core]\n\tfsmonitor = TRAP\n", "more")
    trapped.config("include.path ../more")


def an_included_file_on_a_branch(trapped: Trapped) -> None:
    trapped.append("[core]\n\tfsmonitor = TRAP\n", "more")
    trapped.config("includeIf.onbranch:main.path ../more")


def a_config_of_the_work_tree(trapped: Trapped) -> None:
    trapped.config("extensions.worktreeConfig true")
    trapped.append('[diff "evil"]\n\ttextconv = TRAP\n', ".git/config.worktree")


def a_repository_elsewhere(trapped: Trapped) -> None:
    (trapped.root / ".git").rename(trapped.root / "hidden")
    (trapped.root / ".git").write_text("gitdir: hidden\n")
    trapped.append("[diff]\n\texternal = TRAP\n[core]\n\tfsmonitor = TRAP\n", "hidden/config")


def a_shared_part_elsewhere(trapped: Trapped) -> None:
    shutil.copytree(trapped.root / ".git", trapped.root / "hidden")
    trapped.append('[diff "evil"]\n\ttextconv = TRAP\n', "hidden/config")
    (trapped.root / ".git/commondir").write_text("../hidden\n")


def a_linked_config(trapped: Trapped) -> None:
    trapped.append('[diff "evil"]\n\ttextconv = TRAP\n')
    (trapped.root / ".git/config").rename(trapped.root / "hidden")
    (trapped.root / ".git/config").symlink_to("../hidden")


def a_bare_repository(trapped: Trapped) -> None:
    for part in (trapped.root / ".git").iterdir():
        part.rename(trapped.root / part.name)
    (trapped.root / ".git").rmdir()
    trapped.append("[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = TRAP\n", "config")


def a_submodule(*settings: str, ignore: str = "") -> Callable[[Trapped], None]:
    def build(trapped: Trapped) -> None:
        inner = trapped.root / "sub"
        inner.mkdir()
        git(inner, "init", "-q")
        (inner / "x.txt").write_text("one\n")
        (inner / ".gitattributes").write_text("* filter=evil diff=evil\n")
        git(inner, "add", ".")
        git(inner, "commit", "-q", "-m", "First")
        git(trapped.root, "add", "sub")
        git(trapped.root, "commit", "-q", "-m", "With a part")
        (inner / "x.txt").write_text("two\n")
        if ignore:
            module = f'[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = {ignore}\n'
            (trapped.root / ".gitmodules").write_text(module)
        Trapped(inner, trapped.trap).config(*settings)

    return build


def a_lost_object(*settings: str) -> Callable[[Trapped], None]:
    """What is missing is fetched from a remote that promised it."""

    def build(trapped: Trapped) -> None:
        blob = git(trapped.root, "rev-parse", "HEAD:a.txt").strip()
        (trapped.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
        trapped.config("extensions.partialClone origin", "remote.origin.promisor true", *settings)

    return build


SIGNED = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n"


def a_signed_commit(*settings: str) -> Callable[[Trapped], None]:
    def build(trapped: Trapped) -> None:
        head, body = git(trapped.root, "cat-file", "-p", "HEAD").split("\n\n", 1)
        (trapped.root / "commit").write_text(f"{head}\n{SIGNED}\n{body}")
        made = git(trapped.root, "hash-object", "-t", "commit", "-w", "commit").strip()
        git(trapped.root, "update-ref", "refs/heads/main", made)
        trapped.config(*settings)

    return build


TRAPS: dict[str, tuple[Callable[[Trapped], None], str]] = {
    "fsmonitor": (configured("core.fsmonitor TRAP"), "status"),
    "fsmonitor, on the section's line": (written("[core] fsmonitor = TRAP\n"), "status"),
    "fsmonitor, over two lines": (written("[core]\n\tfsmonitor = \\\nTRAP\n"), "status"),
    "fsmonitor, in capitals": (written("[CORE]\nFSMonitor=TRAP"), "status"),
    "a hook": (a_hook, "add a.txt"),
    "hooks elsewhere": (hooks_elsewhere, "add a.txt"),
    "external diff": (configured("diff.external TRAP"), "diff"),
    "diff driver": (configured("diff.evil.command TRAP"), "diff"),
    "textconv": (configured("diff.evil.textconv TRAP"), "log -p"),
    "a textconv that is kept": (
        configured("diff.evil.textconv TRAP", "diff.evil.cachetextconv true"),
        "show HEAD",
    ),
    "clean filter": (configured("filter.evil.clean TRAP"), "status"),
    "filter process": (configured("filter.evil.process TRAP"), "diff"),
    "a filter that is needed": (
        configured("filter.evil.clean TRAP", "filter.evil.required true"),
        "diff",
    ),
    "filter of an odd name": (configured("filter.e.x=y.z.clean TRAP"), "status"),
    "an included file": (an_included_file, "status"),
    "an included file on a branch": (an_included_file_on_a_branch, "status"),
    "a configuration of the work tree": (a_config_of_the_work_tree, "log -p"),
    "a repository elsewhere": (a_repository_elsewhere, "diff"),
    "a shared part elsewhere": (a_shared_part_elsewhere, "log -p"),
    "a linked configuration": (a_linked_config, "log -p"),
    "a bare repository in disguise": (a_bare_repository, "status"),
    "an alias": (configured("alias.st !TRAP", "alias.status !TRAP"), "st"),
    "a pager": (configured("core.pager TRAP", "pager.log TRAP"), ""),
    "an editor": (configured("core.editor TRAP"), "branch --edit-description"),
    "a signature that is shown": (
        a_signed_commit("log.showSignature true", "gpg.program TRAP"),
        "log",
    ),
    "a signature in a format": (
        a_signed_commit("format.pretty %G?", "gpg.program TRAP"),
        "log",
    ),
    "a signature in a format with a name": (
        a_signed_commit("pretty.oneline %G?", "pretty.evil %G?", "gpg.program TRAP"),
        "log --format=evil",
    ),
    "a submodule's fsmonitor": (a_submodule("core.fsmonitor TRAP"), "status"),
    "a submodule's filter": (a_submodule("filter.evil.clean TRAP"), "status"),
    "a submodule's filter, looked at": (
        a_submodule("filter.evil.clean TRAP", ignore="none"),
        "diff",
    ),
    "a submodule's difference": (
        lambda trapped: (
            a_submodule("diff.external TRAP")(trapped),
            trapped.config("diff.submodule diff"),
        )[0],
        "diff",
    ),
    "a promise over ssh": (
        a_lost_object("remote.origin.url ssh://example.invalid/x", "core.sshCommand TRAP"),
        "show HEAD",
    ),
    "a promise over a program": (
        a_lost_object("remote.origin.url ext::TRAP", "protocol.ext.allow always"),
        "show HEAD",
    ),
    "a promise over a helper": (
        a_lost_object("remote.origin.url a@example.invalid:x", "core.sshCommand TRAP"),
        "log -p",
    ),
    "a promise of an upload pack": (
        a_lost_object("remote.origin.url /nowhere", "remote.origin.uploadpack TRAP"),
        "show HEAD",
    ),
    "a merge driver in a log": (
        configured("log.diffMerges remerge", "merge.evil.driver TRAP"),
        "",
    ),
    "a trailer's command": (configured("trailer.sign.command TRAP"), ""),
    "an order of files": (configured("diff.orderFile /etc/passwd"), ""),
    "revisions to leave out": (configured("blame.ignoreRevsFile /etc/passwd"), ""),
    "alternate references": (configured("core.alternateRefsCommand TRAP"), ""),
    "an interactive filter": (configured("interactive.diffFilter TRAP"), ""),
    "a helper for passwords": (configured("credential.helper !TRAP", "core.askPass TRAP"), ""),
    "a summary of submodules": (configured("status.submoduleSummary true"), ""),
    "files elsewhere": (configured("core.worktree /etc"), ""),
    "attributes elsewhere": (configured("core.attributesFile /etc/passwd"), ""),
}


@pytest.mark.parametrize("name", TRAPS)
def test_nothing_that_runs_unasked_springs_a_trap(name: str, trapped: Trapped) -> None:
    build, control = TRAPS[name]
    build(trapped)
    (trapped.trap.parent / "sprung").unlink(missing_ok=True)
    workspace = Workspace(trapped.root)
    environment = build_child_environment(os.environ, GUARD)
    for line in LINES:
        names = ["git", *shlex.split(line)]
        if not explain_not_read_only(names, PathScope(workspace.root, workspace)):
            subprocess.run(names, cwd=workspace.root, env=environment, capture_output=True)
            assert not trapped.has_sprung, line
    if control:
        git(trapped.root, *shlex.split(control))
        assert trapped.has_sprung, f"{control} does not spring it either"


def test_all_lines_run_unasked_in_plain_repository(trapped: Trapped) -> None:
    workspace = Workspace(trapped.root)
    reasons = {
        line: explain_not_read_only(
            ["git", *shlex.split(line)], PathScope(workspace.root, workspace)
        )
        for line in LINES
    }
    assert {line: reason for line, reason in reasons.items() if reason} == {}
