"""Git commands that only read, each with its allowed flags.

Omitted are flags that start a program (`--ext-diff`, `--textconv`, `--show-signature`, `-O`), write
(`--output`), read a list or a file from anywhere (`--stdin`, `--no-index`, `--contents`), or print
content that counts as binary (`--text`, `--binary`).
"""

from dataclasses import dataclass
from typing import Literal

from ..parsing.flags import Flags

_COMMITS = """-NUM -i -E -F -P -g --oneline --graph --all --branches=? --tags=? --remotes=?
 --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp
 --fixed-strings --perl-regexp --since= --after= --until= --before= --merges --no-merges
 --first-parent --abbrev-commit --no-abbrev-commit --abbrev=? --no-abbrev --reverse --skip=
 --max-count= --topo-order --date-order --author-date-order --date= --relative-date --format=?
 --pretty=? --left-right --cherry-pick --cherry-mark --cherry --left-only --right-only --boundary
 --full-history --dense --sparse --simplify-merges --simplify-by-decoration --ancestry-path
 --no-walk=? --walk-reflogs --parents --children --not --min-parents=? --max-parents=? --glob="""
_DIFF_ONLY = """-p -u -U=? --patch --unified=? --stat=? --numstat --shortstat --dirstat=? --summary
 --compact-summary --name-only --name-status --raw -s --no-patch --patch-with-stat --minimal
 --patience --histogram --diff-algorithm= --word-diff=? --word-diff-regex= --color-words=?
 --color=? --no-color --color-moved=? --no-color-moved -M=? -C=? -D -B=? --find-renames=?
 --find-copies=? --find-copies-harder --no-renames --diff-filter= -S= -G= --pickaxe-all
 --pickaxe-regex -R --relative=? --no-relative -w -b --ignore-all-space --ignore-space-change
 --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --inter-hunk-context= -W
 --function-context --exit-code --quiet --no-ext-diff --no-textconv --full-index -z --check
 --src-prefix= --dst-prefix= --no-prefix --line-prefix= --ignore-submodules=?
 --indent-heuristic --irreversible-delete --stat-width= --stat-count="""
_LOG = f"""{_COMMITS} {_DIFF_ONLY} -n=N -c -m --cc --decorate=? --no-decorate --decorate-refs=
 --decorate-refs-exclude= --follow --source --full-diff --log-size --mailmap --use-mailmap
 --no-mailmap --root -t -r"""
_REFS = """-i --contains=? --no-contains=? --merged=? --no-merged=? --sort= --points-at= --format=
 --color=? --no-color --column=? --no-column --ignore-case"""

_SELECTING = ("--contains", "--no-contains", "--merged", "--no-merged", "--points-at")


@dataclass(frozen=True)
class GitCommand:
    """One subcommand: its flags, and the meaning of its other words."""

    flags: Flags
    operands: Literal["revisions", "files", "none", "text"] = "revisions"
    """revisions: also paths, as in `log`; files: paths alone."""
    content: Literal["never", "unless summed up", "when asked", "always"] = "never"
    """Whether it prints the content of files."""
    enters_submodules: bool = False
    """Whether it starts another git in each submodule."""
    lists_only_with: tuple[str, ...] = ()
    """Without one of these flags an operand would create something."""


def _allow_git(usage: str, **kinds: object) -> GitCommand:
    return GitCommand(Flags.from_usage(usage), **kinds)  # pyright: ignore[reportArgumentType]


COMMANDS = {
    "status": _allow_git(
        "-s -b -z -u=? --short --branch --show-stash --porcelain=? --long --untracked-files=?"
        " --ignore-submodules=? --ignored=? --column=? --no-column --ahead-behind"
        " --no-ahead-behind --renames --no-renames --find-renames=?",
        operands="files",
        enters_submodules=True,
    ),
    "diff": _allow_git(
        f"{_DIFF_ONLY} --cached --staged --merge-base -1 -2 -3 --base --ours --theirs -0",
        content="unless summed up",
        enters_submodules=True,
    ),
    "diff-tree": _allow_git(
        f"{_DIFF_ONLY} {_COMMITS} -r -t -c -m --cc --root --no-commit-id --always",
        content="unless summed up",
    ),
    "log": _allow_git(_LOG, content="when asked"),
    "show": _allow_git(_LOG, content="unless summed up"),
    "whatchanged": _allow_git(_LOG, content="when asked"),
    "shortlog": _allow_git(
        f"{_COMMITS} -n -s -e -c --summary --numbered --email --committer --group="
    ),
    "rev-list": _allow_git(f"{_COMMITS} -n=N --count --objects --timestamp"),
    "reflog": _allow_git(_LOG, content="when asked"),
    "stash": _allow_git(f"{_LOG} --include-untracked --only-untracked", content="when asked"),
    "blame": _allow_git(
        "-L= -l -t -s -e -f -n -w -c -b -M=? -C=? -p --date= --since= --abbrev= --porcelain"
        " --line-porcelain --incremental --root --show-name --show-number --show-email"
        " --show-stats --score-debug --first-parent --reverse --color-lines --color-by-age",
    ),
    "grep": _allow_git(
        "-n -i -w -v -E -F -P -G -l -L -c -h -H -o -q -p -W -z -I -e= -A=N -B=N -C=N -NUM -m=N"
        " --line-number --column --ignore-case --word-regexp --invert-match --extended-regexp"
        " --fixed-strings --perl-regexp --basic-regexp --files-with-matches --name-only"
        " --files-without-match --count --only-matching --quiet --show-function"
        " --function-context --null --break --heading --color=? --no-color --full-name --cached"
        " --max-depth= --max-count= --after-context= --before-context= --context= --and --or"
        " --not --all-match --threads=",
        content="always",
    ),
    "branch": _allow_git(
        f"{_REFS} -a -r -v -vv -l --list --all --remotes --verbose --show-current --abbrev=?",
        operands="text",
        lists_only_with=("--list", *_SELECTING),
    ),
    "tag": _allow_git(
        f"{_REFS} -l -n=? --list", operands="text", lists_only_with=("-l", "--list", *_SELECTING)
    ),
    "for-each-ref": _allow_git(f"{_REFS} --count= --exclude=", operands="text"),
    "show-ref": _allow_git(
        "-s -d -q --head --heads --tags --branches --verify --hash=?", operands="text"
    ),
    "remote": _allow_git("-v --verbose", operands="text"),
    "ls-files": _allow_git(
        "-c -d -m -o -i -s -u -k -t -v -z -x= --cached --deleted --modified --others --ignored"
        " --stage --unmerged --killed --exclude= --exclude-standard --directory"
        " --no-empty-directory --full-name --error-unmatch --eol --abbrev=? --deduplicate",
        operands="files",
    ),
    "ls-tree": _allow_git(
        "-r -t -d -l -z --long --name-only --name-status --full-name --full-tree"
    ),
    "rev-parse": _allow_git(
        "-q --verify --quiet --short=? --abbrev-ref=? --symbolic --symbolic-full-name --all"
        " --branches=? --tags=? --remotes=? --show-toplevel --show-prefix --show-cdup --git-dir"
        " --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir"
        " --is-bare-repository --is-shallow-repository --show-object-format=? --sq --not",
    ),
    "describe": _allow_git(
        "--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude="
        " --always --first-parent --dirty=?",
        enters_submodules=True,
    ),
    "merge-base": _allow_git("-a --all --octopus --independent --is-ancestor --fork-point"),
    "name-rev": _allow_git("--tags --refs= --exclude= --name-only --no-undefined --always"),
    "cat-file": _allow_git("-t -s -e -p"),
    "check-ignore": _allow_git(
        "-q -v -n -z --quiet --verbose --non-matching --no-index", operands="files"
    ),
    "count-objects": _allow_git("-v -H --verbose --human-readable", operands="none"),
    "worktree": _allow_git("--porcelain -z -v --verbose", operands="text"),
    "config": _allow_git("--get", operands="text"),
    "version": _allow_git("--build-options", operands="none"),
}
