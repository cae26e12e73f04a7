"""Deletions of vital folders, the project or unknown targets."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from ....config.text import text
from ..parsing.find_arguments import find_start_folders, has_filter
from ..parsing.path_targets import is_vital, is_vital_file, resolve_target
from ..parsing.shell_state import Word
from ..parsing.simple_command import SimpleCommand

_RECURSIVE = re.compile(r"--recursive|--r(e(c(u(r(s(i(v)?)?)?)?)?)?)?|-[a-zA-Z]*[rR][a-zA-Z]*")
_ALWAYS_RECURSIVE = frozenset(["rimraf", "trash", "trash-put"])
_FIND_REMOVES = frozenset(["rm", "shred", "unlink", "rmdir", "srm"])


def find_damage(step: SimpleCommand, root: Path) -> str:
    """Describe the irreplaceable files that `rm` and similar programs would delete; else empty."""
    options, targets = split_options(step.words[1:])
    if any(option.startswith("--no-preserve-root") for option in options):
        return "`--no-preserve-root` removes the whole system"
    recursive = any(map(_RECURSIVE.fullmatch, options)) or step.program in _ALWAYS_RECURSIVE
    for target in targets:
        for name in filter(None, (target.text, target.pattern)):
            if damage := _check_target(name, step, root, recursive=recursive):
                return damage
    return ""


def _check_target(name: str, step: SimpleCommand, root: Path, *, recursive: bool) -> str:
    where = resolve_target(name, step.folder)
    if where is None:
        return ""
    if is_vital_file(where):
        return text("it removes `{name}`, a system file", name=name)
    if not recursive:
        return ""
    if where == root:
        return text("it removes `{name}`, the whole project", name=name)
    if is_vital(where, root) or _is_link_to_vital(where, name, root):
        return text("it removes `{name}`, which holds more than this project", name=name)
    return ""


def check_find(step: SimpleCommand, root: Path) -> str:
    """Describe the same for `find -delete` and `find -exec rm`."""
    texts = [word.text for word in step.words[1:]]
    runs = [
        texts[at + 1]
        for at, content in enumerate(texts[:-1])
        if content.startswith(("-exec", "-ok"))
    ]
    removes = "-delete" in texts or any(run.rsplit("/", 1)[-1] in _FIND_REMOVES for run in runs)
    if not removes:
        return ""
    for start in find_start_folders(texts):
        where = resolve_target(start, step.folder)
        if where and (where != root and is_vital(where, root)):
            return text("it removes the files found in `{start}`", start=start)
        if where == root and not has_filter(texts):
            return "it removes the whole project"
    return ""


def find_unknown_target(step: SimpleCommand) -> str:
    """Return a removed folder whose path is known only at run time; empty if none.

    Without a terminal `rm -r` asks nothing: it removes as much as `rm -rf`.
    """
    if step.program != "rm":
        return ""
    options, targets = split_options(step.words[1:])
    if not any(map(_RECURSIVE.fullmatch, options)):
        return ""
    for target in targets:
        if not target.known:
            return text(
                "`rm` removes the folder `{text}`, which is not known in advance", text=target.text
            )
        if resolve_target(target.text, step.folder) is None:
            return text(
                "`rm` removes `{text}` in a folder that is not known in advance",
                text=target.text,
            )
    return ""


def split_options(words: Sequence[Word]) -> tuple[list[str], list[Word]]:
    """Split words into options and targets; after `--` every word is a target."""
    options, targets, ended = list[str](), list[Word](), False
    for word in words:
        if word.text == "--" and not ended:
            ended = True
        elif word.text.startswith("-") and len(word.text) > 1 and not ended:
            options.append(word.text)
        else:
            targets.append(word)
    return options, targets


def _is_link_to_vital(where: Path, name: str, root: Path) -> bool:
    """Return whether a link to a vital path is followed: `link/` and `link/*` name its target."""
    if not re.search(r"[/*]$|/\.\.?(/|$)", name):
        return False
    real = Path(os.path.realpath(where))
    return real != where and (real == root or is_vital(real, root))
