"""What no command may do in any mode, as far as its words show it: ruin the machine, read secrets.

A short and honest list, not a wall: it decides what is refused or asked at once. A parser with a
larger corpus takes its place; the signature of `check` stays.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from .protected import protected_name
from .shell_words import pieces, split
from .workspace import Workspace

_PREFIXES = frozenset(
    ["sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "command", "builtin"]
    + ["exec", "setsid", "stdbuf", "watch", "xargs"]
    + ["then", "do", "else", "if", "elif", "while", "until", "!", "{"]
)
_SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh"])
_STOPS = frozenset(["shutdown", "reboot", "halt", "poweroff", "wipefs"])
_SYSTEM = frozenset(
    ["bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "run", "sbin"]
    + ["srv", "sys", "usr", "var", "System", "Library", "Users", "Applications"]
)
_FORK_BOMB = re.compile(r"([\w:.]{1,40})\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}")
_DISK = re.compile(r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/)")
_FILE_LIKE = re.compile(r"/|\w\.\w|^\.env", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """Something in a command that is refused, or asked in every mode."""

    verdict: Literal["deny", "ask"]
    reason: str
    rule: str


def check(command: str, cwd: str, workspace: Workspace) -> Finding | None:
    """The worst that the words of `command` show; `cwd` is the folder it runs in."""
    folder = workspace.root / cwd
    if _is_catastrophe(command, folder, workspace.root):
        return Finding("deny", "the command would ruin the system or the project", "catastrophe")
    words, inner = split(command).words, pieces(command)
    for word in words:
        if _is_secret(word, folder, workspace, must_exist=False):
            return _secret(word)
    for word in inner:
        if _is_secret(word, folder, workspace, must_exist=True):
            return _secret(word)
    for name in filter(None, map(protected_name, {*words, *inner})):
        reason = f"the command names `{name}`, which steers this agent or other tools"
        return Finding("ask", reason, "protected")
    return None


def _secret(word: str) -> Finding:
    reason = f"the command names `{word}`, which the project's ignore patterns keep from every tool"
    return Finding("deny", reason, "ignored")


def _is_secret(word: str, folder: Path, workspace: Workspace, *, must_exist: bool) -> bool:
    """Whether a word names an ignored file: one that exists, or else what looks like a file."""
    place = folder / os.path.expanduser(word)
    exists = os.path.lexists(place)
    if exists and workspace.ignores(os.path.realpath(place)):
        return True
    if not workspace.ignores(str(place)):
        return False
    return exists or (not must_exist and _FILE_LIKE.search(word) is not None)


def _is_catastrophe(command: str, folder: Path, root: Path, depth: int = 3) -> bool:
    if _FORK_BOMB.search(command):
        return True
    line = split(command)
    if any(_DISK.match(target) for target in line.targets):
        return True
    return any(_ruins(words, folder, root, depth) for words in line.commands)


def _ruins(words: Sequence[str], folder: Path, root: Path, depth: int) -> bool:
    """Whether one simple command does; behind a wrapper such as `sudo`, from any word on."""
    while words and re.match(r"\w+=", words[0]):
        words = words[1:]
    if not words:
        return False
    program, arguments = PurePosixPath(words[0]).name, words[1:]
    if program in _PREFIXES:
        return any(_ruins(words[at:], folder, root, depth) for at in range(1, min(len(words), 20)))
    if depth and program in _SHELLS and "-c" in arguments[:-1]:
        inner = arguments[arguments.index("-c") + 1]
        return _is_catastrophe(inner, folder, root, depth - 1)
    if depth and program == "eval":
        return _is_catastrophe(" ".join(arguments), folder, root, depth - 1)
    return _is_ruinous(program, arguments, folder, root)


def _is_ruinous(program: str, arguments: Sequence[str], folder: Path, root: Path) -> bool:
    if program in _STOPS or program.split(".")[0] == "mkfs":
        return True
    if program in ("dd", "tee", "cp", "shred"):
        return any(_DISK.match(argument.removeprefix("of=")) for argument in arguments)
    if program == "kill":
        return list(arguments[-1:]) == ["-1"]
    targets = [_target(one, folder) for one in arguments if not one.startswith("-")]
    if program == "find" and "-delete" in arguments:
        return any(map(_is_vital, targets))
    if not any(re.fullmatch(r"--recursive|-\w*[rR]\w*", one) for one in arguments):
        return False
    if program in ("chmod", "chown", "chgrp"):
        return any(map(_is_vital, targets))
    return program == "rm" and any(_is_vital(to) or root.is_relative_to(to) for to in targets)


def _target(word: str, folder: Path) -> Path:
    """The file that a word names, or the folder of which it names everything."""
    home = os.path.expanduser("~")
    named = re.sub(r"^\$(HOME\b|\{HOME\})", home, os.path.expanduser(word))
    everything = re.sub(r"(^|/)\*$", r"\1", named)
    return Path(os.path.normpath(folder / everything))


def _is_vital(path: Path) -> bool:
    """Whether it is the root, a system folder or the home."""
    if path in (Path("/"), Path(os.path.expanduser("~"))):
        return True
    return len(path.parts) == 2 and path.parts[1] in _SYSTEM
