"""Git's command behind the options of `git` itself."""

from collections.abc import Sequence

# options whose value is a word of its own
_VALUED = frozenset(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"])


def find_git_command(words: Sequence[str]) -> int:
    """Find the place of the command in the words behind `git`; their number when there is none."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    return min(at, len(words))


def strip_git_options(words: Sequence[str]) -> Sequence[str]:
    """Return the words behind `git` from its command on."""
    return words[find_git_command(words) :]


def split_git_command(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return git's command and the words behind it; an empty command when there is none."""
    found = strip_git_options(words)
    return (found[0], found[1:]) if found else ("", [])
