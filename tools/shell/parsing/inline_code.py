"""Code of other languages in a line: what it deletes, and which strings may be commands."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from ....config.text import text
from .path_targets import is_vital, is_vital_file, resolve_target
from .simple_command import SimpleCommand

_INTERPRETERS_LIST = """
python pypy perl ruby node nodejs deno bun php lua luajit tclsh osascript awk gawk mawk nawk R
Rscript
"""
_INTERPRETERS = frozenset(_INTERPRETERS_LIST.split())
_REMOVES = re.compile(
    r"(?:rmtree|rm_rf|rm_r|rmSync|rmdirSync|removeSync|emptyDirSync|remove_tree|rimraf|rm)"
    r"\s*\(?\s*(?:Path\(|os\.path\.expanduser\()?['\"`]([^'\"`]+)['\"`]"
    r"|rmtree\((?:pathlib\.)?Path\.(home)\(\)"
)
_CHANGES = re.compile(
    r"(?:unlink|remove|rmSync|writeFile\w*)\s*\(?\s*['\"`](/[^'\"`]+)['\"`]"
    r"|open\w*\s*\(\s*['\"](/[^'\"]+)['\"]\s*,\s*['\"][>wax]"
)
_FORKS = re.compile(r"fork\s*(?:\(\))?\s+while\b|while\b.*\bfork\b|\bloop\b.*\bfork\b", re.DOTALL)
_RUNS = re.compile(
    r"system|popen|getline|\|\s*\"|shell|exec|spawn|subprocess|check_call|check_output|`|\brun\(|%x|qx",
    re.IGNORECASE,
)
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`", re.DOTALL)
_MAX_TEXTS = 20
_RUN_WORDS_LIST = """
vim vi nvim view emacs nano ex ed less more man fzf sk tar rsync ssh scp sftp gdb lldb sqlite3
psql mysql hyperfine nodemon concurrently make gmake
"""
# Programs that pass some of their arguments to a shell
_RUN_WORDS = frozenset(_RUN_WORDS_LIST.split())
_RUN_WORD = re.compile(r"(?:\+?:?!|\\!\s*|\.?shell |--?[\w-]+=(?:exec=)?|\w+=)?(.+)", re.DOTALL)
# Options that name a program, of programs whose other words are files
_RUN_OPTIONS = {
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("--compress-program",),
    "split": ("--filter",),
    "zip": ("-TT", "--unzip-command"),
    "bat": ("--pager",),
    "delta": ("--pager",),
}
# A command of sed that runs a line
_SED_RUN = re.compile(r"[\d$,]*(?:/[^/]*/)?e (.+)", re.DOTALL)


def is_interpreter(program: str) -> bool:
    """Return whether a program's arguments and input may be code."""
    return re.sub(r"[\d.]+$", "", program) in _INTERPRETERS


def find_lines_in_code(step: SimpleCommand) -> list[str]:
    """Return the strings in a step's code that it may pass to a shell, each alone and joined."""
    lines = list[str]()
    for code in extract_code(step):
        if _RUNS.search(code):
            texts = ["".join(groups) for groups in _TEXT.findall(code)][:_MAX_TEXTS]
            lines += [text for text in texts if " " in text]
            lines.append(" ".join(texts))
    if step.program in _RUN_OPTIONS:
        lines += _find_run_options(step.program, [word.text for word in step.words])
    if step.program == "sed":
        lines += [run[1] for word in step.words[1:] if (run := _SED_RUN.fullmatch(word.text))]
    if step.program in _RUN_WORDS:
        words = [*(word.text for word in step.words[1:]), step.feed.text or ""]
        lines += [_RUN_WORD.sub(r"\1", word) for word in words if " " in word]
    return lines


def _find_run_options(program: str, arguments: Sequence[str]) -> list[str]:
    """Return the values of a program's options that name another program."""
    options = _RUN_OPTIONS[program]
    apart = [value for option, value in pairwise(arguments) if option in options]
    return apart + [word.partition("=")[2] for word in arguments if word.startswith(options)]


def find_damage(step: SimpleCommand, root: Path) -> str:
    """Describe what a step's code would delete, or start endlessly; empty if nothing is found."""
    for code in extract_code(step):
        if _FORKS.search(code):
            return "it starts processes endlessly"
        for match in _REMOVES.finditer(code):
            name = match[1] or "~"
            where = resolve_target(os.path.expanduser(name), step.folder)
            if where and (where == root or is_vital(where, root)):
                return text("it removes `{name}`", name=name)
        for match in _CHANGES.finditer(code):
            name = match[1] or match[2]
            if is_vital_file(Path(name)):
                return text("it changes `{name}`, a system file", name=name)
    return ""


def find_removed_names(step: SimpleCommand) -> list[str]:
    """Return the paths that a step's code deletes, as far as a text search finds them."""
    matches = (match for code in extract_code(step) for match in _REMOVES.finditer(code))
    return [match[1] or "~" for match in matches]


def extract_code(step: SimpleCommand) -> Iterator[str]:
    """Yield the texts of a step that an interpreter runs as code."""
    if is_interpreter(step.program):
        yield from (word.text for word in step.words[1:])
        yield step.feed.text or ""
