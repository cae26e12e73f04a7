"""What is wrong with configured hooks, as far as it shows without running them."""

import os
import re
import shlex
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...config.settings.hooks import ConfiguredHook
from .matching import EVERY, matches_any_tool

# A first word with one of these, or of the shell's own, is not the name of a program
_SYNTAX = re.compile(r"[$=;|&(){}<>`*?~!]")
_OF_THE_SHELL = frozenset(
    [".", ":", "[", "[[", "case", "cd", "command", "echo", "eval", "exec", "exit", "export"]
    + ["false", "for", "if", "printf", "read", "return", "set", "source", "test", "trap", "true"]
    + ["type", "umask", "unset", "until", "while"]
)


@dataclass(frozen=True)
class HookProblem:
    """One mistake."""

    kind: Literal["program", "matcher"]
    origin: str
    value: str
    """The program that does not exist, or the matcher that fits no tool."""


def find_problems(
    hooks: Sequence[ConfiguredHook], tools: Collection[str], root: Path
) -> Iterator[HookProblem]:
    """Yield what would keep a hook from running."""
    for hook in hooks:
        if program := _find_missing_program(hook.command, root):
            yield HookProblem("program", hook.origin, program)
        about_tools = hook.event in ("before_tool", "after_tool") and hook.matcher not in EVERY
        if about_tools and not matches_any_tool(hook.matcher, tools):
            yield HookProblem("matcher", hook.origin, hook.matcher)


def _find_missing_program(command: str, root: Path) -> str:
    """Return the program that the command starts with, if there certainly is none."""
    try:
        word = next(iter(shlex.split(command)), "")
    except ValueError:  # an open quote: the shell says so when it runs
        return ""
    if not word or word in _OF_THE_SHELL or _SYNTAX.search(word):
        return ""
    exists = os.path.exists(root / word) if "/" in word else shutil.which(word)
    return "" if exists else word
