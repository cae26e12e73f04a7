"""The git subcommand after the options of `git` itself."""

from collections.abc import Sequence

# options whose value is a separate word
_VALUED = frozenset(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"])
_COMMANDS_LIST = """
add am annex annotate apply archimport archive backfill bisect blame branch bugreport bundle cat-
file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-
pick citool clean clone column commit commit-graph commit-tree config count-objects credential
credential-cache credential-store cvsexportcommit cvsimport cvsserver daemon describe diagnose
diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-
branch flow fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc get-tar-
commit-id gitk grep gui hash-object help history hook http-backend http-fetch http-push imap-send
index-pack init init-db instaweb interpret-trailers last-modified lfs log ls-files ls-remote ls-
tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-octopus merge-
one-file merge-ours merge-recursive merge-resolve merge-subtree merge-tree mergetool mktag mktree
multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id pickaxe prune
prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote
remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https repack replace replay repo
request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shell shortlog
show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule
subtree survey svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref
update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version
whatchanged worktree write-tree
"""
# An alias cannot have the name of one of these
_COMMANDS = frozenset(_COMMANDS_LIST.split())


def find_git_command(words: Sequence[str]) -> int:
    """Return the index of the subcommand in the words after `git`; their number if none."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    return min(at, len(words))


def strip_git_options(words: Sequence[str]) -> Sequence[str]:
    """Return the words after `git`, starting at the subcommand."""
    return words[find_git_command(words) :]


def split_git_command(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the subcommand and the words after it; an empty subcommand if there is none."""
    rest = strip_git_options(words)
    return (rest[0], rest[1:]) if rest else ("", [])


def may_be_alias(arguments: Sequence[str]) -> bool:
    """Return whether the words after `git` may start another command of git than they name."""
    subcommand, _ = split_git_command(arguments)
    return bool(subcommand) and subcommand not in _COMMANDS
