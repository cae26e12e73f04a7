"""Effects of a git command that undo cannot restore."""

import re
from collections.abc import Mapping, Sequence

from ....config.text import text
from ..parsing.flags import split_names
from ..parsing.git_command import split_git_command

NETWORK = split_names("clone fetch pull push ls-remote send-email svn p4 daemon")
_NETWORK_BELOW = {
    "remote": split_names("update show prune"),
    "submodule": split_names("update add"),
    "lfs": split_names("fetch pull push clone"),
}
# Commands that only add to the history, each with the arguments by which it does more. Git accepts
# abbreviated long options.
_ADDS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(
        split_names(
            "add stage rm mv restore apply am merge cherry-pick revert status ls-files rev-parse"
            " describe shortlog version help"
        ),
        re.compile(r"(?!)"),
    ),
    "commit": re.compile(r"--am.*"),
    "switch": re.compile(r"-[a-zA-Z]*[Cf].*|--f.*|--disc.*"),
    "checkout": re.compile(r"-[a-zA-Z]*[Bf].*|--f.*"),
    "branch": re.compile(r"-[a-zA-Z]*[dDmMcCfu].*|--(d|m|co|f|s|u|e).*"),
    "tag": re.compile(r"-[a-zA-Z]*[df].*|--(d|f).*"),
    "stash": re.compile(r"drop|clear"),
    "worktree": re.compile(r"remove|prune|move|repair|-[a-zA-Z]*f.*|--f.*"),
    "reset": re.compile(r"--(h|s|m|k).*|.*[~^@].*"),
}
# Commands that print contents; those that certainly print no secrets are known to only read
_SHOWS = split_names("diff log show grep blame format-patch whatchanged cat-file archive")


def needs_network(words: Sequence[str]) -> bool:
    """Return whether a git command contacts another repository; `words` are those after `git`."""
    command, rest = split_git_command(words)
    return command in NETWORK or bool(_NETWORK_BELOW.get(command, frozenset()).intersection(rest))


def find_history_change(words: Sequence[str]) -> str:
    """Explain why undo cannot restore what a git command changes; empty if it can."""
    command, rest = split_git_command(words)
    if command in NETWORK:
        return text(
            "`git {command}` may change other repositories, which undo cannot restore",
            command=command,
        )
    if command in _SHOWS:
        return text("`git {command}` may show old versions of secret files", command=command)
    more = _ADDS.get(command)
    only_adds = more and not any(map(more.fullmatch, rest))
    if not command or (only_adds and (command != "reset" or _is_unstage_only(rest))):
        return ""
    return text(
        "`git {command}` may change git's history or settings, which undo cannot restore",
        command=command,
    )


def _is_unstage_only(rest: Sequence[str]) -> bool:
    """Return whether only the index changes: `git reset`, `git reset HEAD FILE` or `-- FILE`."""
    names = [word for word in rest if not word.startswith("-")]
    return names[:1] in ([], ["HEAD"]) or "--" in rest
