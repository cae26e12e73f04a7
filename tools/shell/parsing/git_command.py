"""The git subcommand after the options of `git` itself."""

from collections.abc import Sequence

# options whose value is a separate word
_VALUED = frozenset(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"])


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
