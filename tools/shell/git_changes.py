"""What a git command changes that steers other programs: settings, templates, files by pattern."""

import os
import re
from collections.abc import Sequence
from fnmatch import fnmatch

from ..protected import protected_name
from .step import Step

_RUNS = re.compile(
    r"core\.(hookspath|fsmonitor|pager|editor|sshcommand|askpass|gitproxy|worktree|attributesfile"
    r"|alternaterefscommand)|alias\..+|interactive\.difffilter|extensions\.worktreeconfig"
    r"|(diff|merge|filter|difftool|mergetool|gpg|pager|credential|include|includeif|url|sequence"
    r"|uploadpack|receive|protocol|http|remote|guitool|man|browser|sendemail)\..*"
    r"|(trailer|tar)\..*(cmd|command)|submodule\..*\.update|ext::.*",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = re.compile(r"--te[a-z]*(=.*)?")
_GIT_FOLDER = re.compile(r"--sep[a-z-]*(?:=(.*))?")
_SOURCE = re.compile(r"-s.*|--so[a-z]*(=.*)?")
_ALL = (".", ":/")
_PATTERN = re.compile(r"[*?\[]")
_READS = frozenset(["--get", "--get-all", "--get-regexp", "--list", "-l"])
_WIDE = frozenset(["--global", "--system", "-e", "--edit"])


def steering_change(step: Step) -> str:
    """The word with which git would run another program, or change what is protected."""
    if step.program != "git":
        return ""
    match [word.text for word in step.words[1:]]:
        case ["config", *words] if not _READS & set(words):
            return next((word for word in words if word in _WIDE or _RUNS.fullmatch(word)), "")
        case ["init" | "clone", *words]:
            return next(filter(_TEMPLATE.fullmatch, words), "")
        case ["checkout" | "restore" as command, *words]:
            return _overwritten(command, words, step)
        case _:
            return ""


def git_folder(step: Step) -> str:
    """Where `git init --separate-git-dir` keeps the repository."""
    words = [word.text for word in step.words[1:]]
    if step.program == "git" and words[:1] in (["init"], ["clone"]):
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if found := _GIT_FOLDER.fullmatch(word):
                return found[1] or following
    return ""


def _overwritten(command: str, words: Sequence[str], step: Step) -> str:
    """The protected file here that a pattern meets; `.` counts only from another commit."""
    if command == "restore":
        other = any(map(_SOURCE.fullmatch, words))
    else:
        first = next((word for word in words if word == "--" or not word.startswith("-")), "--")
        other = first not in ("--", "HEAD", *_ALL) and not _PATTERN.search(first)
    patterns = ["*" for word in words if other and word in _ALL]
    patterns += filter(_PATTERN.search, words)
    names = _protected_here(step) if patterns else []
    return next((name for name in names for one in patterns if fnmatch(name, one)), "")


def _protected_here(step: Step) -> list[str]:
    try:
        names = os.listdir(step.folder) if step.folder else []
    except OSError:  # nothing there to be overwritten
        return []
    return [name for name in names if protected_name(name) and name != ".git"]
