"""Git changes that affect other programs: settings, templates, files by pattern."""

import os
import re
from collections.abc import Sequence
from fnmatch import fnmatch
from itertools import zip_longest

from ...protected_paths import find_protected_name
from ..parsing.git_command import strip_git_options
from ..parsing.simple_command import SimpleCommand

# Settings that start no program, with any value
_PLAIN_SETTING = re.compile(
    r"(user|author|committer)\.(name|email|signingkey)|init\.defaultbranch|feature\..*"
    r"|push\.(default|autosetupremote|followtags)|pull\.(rebase|ff)|fetch\.prune(tags)?"
    r"|rebase\.(autostash|autosquash|updaterefs)|merge\.(ff|conflictstyle|renamelimit)"
    r"|(commit|tag)\.(gpgsign|verbose|cleanup|sort)|gpg\.format|rerere\.(enabled|autoupdate)"
    r"|core\.(abbrev|autocrlf|bare|compression|eol|filemode|ignorecase|longpaths|precomposeunicode"
    r"|quotepath|safecrlf|symlinks|whitespace)|(advice|color|column|stash|status)\..*"
    r"|diff\.(algorithm|colormoved|context|mnemonicprefix|noprefix|renamelimit|renames)"
    r"|log\.(abbrevcommit|date|decorate|follow)|help\.autocorrect|submodule\.recurse"
    r"|branch\.(autosetupmerge|autosetuprebase|sort|.*\.(description|merge|rebase|remote))",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = re.compile(r"--te[a-z]*(=.*)?")
_GIT_FOLDER = re.compile(r"--sep[a-z-]*(?:=(.*))?")
_SOURCE = re.compile(r"-s.*|--so[a-z]*(=.*)?")
_ALL = (".", ":/")
_PATTERN = re.compile(r"[*?\[]")
_READS = frozenset(["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l"])
_WIDE = frozenset(["--global", "--system", "-e", "--edit"])
_SECTIONS = re.compile(r"(--)?(edit|re(name|move)-section)")


def find_steering_change(step: SimpleCommand) -> str:
    """Return the word with which git would run another program, or change a protected file."""
    if step.program != "git":
        return ""
    match strip_git_options([word.text for word in step.words[1:]]):
        case ["config", *words]:
            setting = _find_setting(words)
            return f"git config {setting}" if setting else ""
        case ["init" | "clone", *words]:
            return next(filter(_TEMPLATE.fullmatch, words), "")
        case ["checkout" | "restore" as command, *words]:
            return _find_overwritten_name(command, words, step)
        case _:
            return ""


def _find_setting(words: Sequence[str]) -> str:
    """Return the word with which `git config` changes more than a harmless setting."""
    if _READS & set(words) or words[:1] in (["get"], ["list"]):
        return ""
    if wide := next((word for word in words if word in _WIDE or _SECTIONS.fullmatch(word)), ""):
        return wide
    names = [word for word in words if not word.startswith("-") and word not in ("set", "unset")]
    takes_away = any("unset" in word for word in words)
    if len(names) < 2 and not takes_away:  # it only reads the setting
        return ""
    plain = names and _PLAIN_SETTING.fullmatch(names[0]) and "::" not in "".join(names[1:])
    return "" if plain else "".join(names[:1])


def find_separate_git_dir(step: SimpleCommand) -> str:
    """Return the folder in which `git init --separate-git-dir` keeps the repository."""
    words = strip_git_options([word.text for word in step.words[1:]])
    if step.program == "git" and words[:1] in (["init"], ["clone"]):
        for word, following in zip_longest(words, words[1:], fillvalue=""):
            if match := _GIT_FOLDER.fullmatch(word):
                return match[1] or following
    return ""


def _find_overwritten_name(command: str, words: Sequence[str], step: SimpleCommand) -> str:
    """Return the protected file that a pattern matches; `.` counts only from another commit."""
    if command == "restore":
        other = any(map(_SOURCE.fullmatch, words))
    else:
        first = next((word for word in words if word == "--" or not word.startswith("-")), "--")
        other = first not in ("--", "HEAD", *_ALL) and not _PATTERN.search(first)
    patterns = ["*" for word in words if other and word in _ALL]
    patterns += filter(_PATTERN.search, words)
    names = _list_protected_names(step) if patterns else []
    return next((name for name in names for pattern in patterns if fnmatch(name, pattern)), "")


def _list_protected_names(step: SimpleCommand) -> list[str]:
    try:
        names = os.listdir(step.folder) if step.folder else []
    except OSError:  # nothing to overwrite
        return []
    return [name for name in names if find_protected_name(name) and name != ".git"]
