"""Writes that need a question: protected names, and paths outside the project."""

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path

from ...git.config_risks import can_steer_git
from ...named_scripts import is_named_script
from ...protected_paths import find_protected_name
from ...workspace import Workspace
from ..parsing.git_command import strip_git_options
from ..parsing.path_targets import is_temporary, resolve_target
from ..parsing.simple_command import SimpleCommand
from ..parsing.wrappers import SHELLS
from .copy_targets import PROGRAMS as COPIES
from .copy_targets import find_copy_targets
from .referenced_files import find_folders, find_references

_ONLY_READ_LIST = """
less more bat batcat od hexdump view cloc shellcheck yamllint
"""
_ONLY_READ = frozenset(_ONLY_READ_LIST.split())
# Wrappers without files of their own: their inner command is checked separately
_RUN_OTHERS = SHELLS | frozenset(
    [
        "sudo",
        "doas",
        "env",
        "nice",
        "nohup",
        "command",
        "builtin",
        "exec",
        "timeout",
        "setsid",
        "stdbuf",
        "xargs",
        "eval",
        "watch",
    ]
)
_CHANGE_ALL_LIST = """
rm rmdir unlink shred truncate touch mkdir mkfifo chmod chown chgrp tee mv chattr
"""
_CHANGE_ALL = frozenset(_CHANGE_ALL_LIST.split())
_OUTPUT = re.compile(r"-o|--out(put|file|-dir|put-document|put-dir)?|-O|-P|--directory-prefix")
_FOLDER = {"tar": "-C", "unzip": "-d", "git": "-C"}
_DEVICE = re.compile(r"/dev/(null|zero|full|tty|stdin|stdout|stderr|fd/\d+)")
_REPLACES_LINKS_LIST = """
rm rmdir unlink mv ln install rsync sed perl
"""
# Programs that replace a link itself; others write to its target
_REPLACES_LINKS = frozenset(_REPLACES_LINKS_LIST.split())
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


def find_protected_write(step: SimpleCommand, workspace: Workspace, *, reads: bool) -> str:
    """Return the protected name that a step may change; empty if it changes none.

    `reads`: its program only reads, so that only its redirections count.
    """
    names = [redirect.target.text for redirect in step.redirects if redirect.writes]
    if protected_name := _find_first_protected(names, step.folder, workspace):
        return protected_name
    program = step.program
    if reads or not step.words or program in _ONLY_READ | _RUN_OTHERS or _is_git_record(step):
        return ""
    if (
        protected_name := find_steering_change(step)
        or find_script_write(step)
        or _find_protected_target(step, workspace)
    ):
        return protected_name
    if program in ("cp", "rsync", "scp"):
        return ""
    names = [name.text for name in find_references(step) if name.exact or name.code]
    protected_names = (
        _find_first_protected(names, folder, workspace) for folder in find_folders(step)
    )
    return next(filter(None, protected_names), "")


def find_outside_write(step: SimpleCommand, workspace: Workspace) -> str:
    """Return the path outside the project that a step certainly writes to; empty if none."""
    redirected = [redirect.target.text for redirect in step.redirects]
    for name in filter(None, find_written_names(step)):  # an empty one is no file
        where = None if _DEVICE.fullmatch(name) else resolve_target(name, step.folder)
        if where is None:
            continue
        real = Path(os.path.realpath(where.parent)) / where.name
        if step.program not in _REPLACES_LINKS or name in redirected:
            real = Path(os.path.realpath(real))
        if not real.is_relative_to(workspace.root) and not is_temporary(real):
            return name
    return ""


def _find_first_protected(names: list[str], folder: Path | None, workspace: Workspace) -> str:
    return next(filter(None, (_check_name(name, folder, workspace) for name in names)), "")


def _check_name(name: str, folder: Path | None, workspace: Workspace) -> str:
    where = None if find_protected_name(name) else resolve_target(name, folder)
    if where is None or not where.is_relative_to(workspace.root):
        return find_protected_name(name)
    real = Path(os.path.realpath(where.parent)) / where.name  # also for a missing file
    real = Path(os.path.realpath(real)) if os.path.islink(real) else real
    inside = real if real.is_relative_to(workspace.root) else where
    path = str(inside.relative_to(workspace.root))
    if name := find_protected_name(path):
        return name
    return path if can_steer_git(workspace.root, path) or is_named_script(workspace, path) else ""


def _is_git_record(step: SimpleCommand) -> bool:
    """Return whether git only records unchanged files in its own history."""
    return step.program == "git" and [word.text for word in step.words[1:2]] in (
        ["add"],
        ["commit"],
        ["stage"],
        ["push"],
    )


def _find_protected_target(step: SimpleCommand, workspace: Workspace) -> str:
    """Return the protected name in the project that a copy, move or link ends up at."""
    for name in find_copy_targets(step) if step.program in COPIES else ():
        where = resolve_target(name, step.folder)
        real = where and Path(os.path.realpath(where.parent))
        counts = real is None or real.is_relative_to(workspace.root) or name == step.words[-1].text
        if counts and (protected_name := _check_name(name, step.folder, workspace)):
            return protected_name
    return ""


def find_written_names(step: SimpleCommand) -> Iterator[str]:
    """Yield the names that a step certainly writes to, by its arguments and redirections."""
    yield from (redirect.target.text for redirect in step.redirects if redirect.writes)
    program = step.program
    texts = [word.text for word in step.words[1:] if word.known]
    names = [text for text in texts if not text.startswith("-")]
    if program in _CHANGE_ALL:
        yield from names[1:] if program.startswith("ch") else names
    if program in COPIES:
        yield from (name for name in find_copy_targets(step) if ":" not in name)
    elif [program, *names[:1]] == ["git", "clone"]:
        yield from (name for name in names[-1:] if ":" not in name)
    elif [program, *names[:1]] == ["git", "worktree"] and names[1:2] in (["add"], ["move"]):
        yield from names[2:]  # a branch among them is not a path outside
    elif program == "crontab" and "-l" not in texts:
        yield "/var/spool/cron"
    elif program == "dd":
        yield from (name[3:] for name in names if name.startswith("of="))
    elif program in ("sed", "perl") and any(
        re.match(r"-[pnEr]*i|--in-place", argument) for argument in texts
    ):
        yield from (name for name in names if re.match(r"[/~]|\.\./", name))
    yield from filter(None, [find_separate_git_dir(step)])
    for option, value in zip(texts, texts[1:], strict=False):
        if _OUTPUT.fullmatch(option) or option == _FOLDER.get(program):
            yield value


_PROGRAMS = frozenset(
    ["sed", "gsed", "awk", "gawk", "mawk", "nawk", "ed", "ex", "vi", "vim", "nvim", "view"]
)
_WRITES = re.compile(
    r"""(?:(?<![A-Za-z])|/[gpIime0-9]+)(?:w|W|wq|write|x|sav|saveas|up|update)!?\s+([^\s"'|;}]+)"""
    r"""|/[gpIime0-9]*w\s*([^\s;}]+)|>\s*"([^"]+)\""""
)


def find_script_write(step: SimpleCommand) -> str:
    """Return the protected name that a script in a step writes to; empty if none."""
    if step.program not in _PROGRAMS:
        return ""
    texts = [word.text for word in step.words[1:]] + [step.feed.text or ""]
    names = (name for text in texts for groups in _WRITES.findall(text) for name in groups if name)
    return next((name for name in names if find_protected_name(name)), "")


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
