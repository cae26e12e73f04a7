"""Code of other languages in a line: what it removes, and which of its texts may be commands."""

import re
from collections.abc import Iterator
from pathlib import Path

from .step import Step
from .targets import is_vital, place

_INTERPRETERS_LIST = """
python pypy perl ruby node nodejs deno bun php lua luajit tclsh osascript awk gawk mawk nawk R
Rscript
"""
_INTERPRETERS = frozenset(_INTERPRETERS_LIST.split())
_REMOVES = re.compile(
    r"(?:rmtree|rm_rf|rm_r|rmSync|rmdirSync|removeSync|emptyDirSync|remove_tree|rimraf|rm)"
    r"\s*\(?\s*(?:Path\()?['\"]([^'\"]+)['\"]"
)
_FORKS = re.compile(r"fork\s*(?:\(\))?\s+while\b|while\b.*\bfork\b|\bloop\b.*\bfork\b", re.DOTALL)
_RUNS = re.compile(
    r"system|popen|exec|spawn|subprocess|check_call|check_output|`|\brun\(|%x|qx", re.IGNORECASE
)
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`", re.DOTALL)
_MOST_TEXTS = 20


def is_interpreter(program: str) -> bool:
    """Whether a program's words and input may be code."""
    return re.sub(r"[\d.]+$", "", program) in _INTERPRETERS


def lines_in_code(step: Step) -> list[str]:
    """The texts in a step's code that the code may give to a shell, each alone and all together."""
    lines = list[str]()
    for code in _code(step):
        if _RUNS.search(code):
            texts = ["".join(found) for found in _TEXT.findall(code)][:_MOST_TEXTS]
            lines += [text for text in texts if " " in text]
            lines.append(" ".join(texts))
    return lines


def ruined_by(step: Step, root: Path) -> str:
    """What a step's code would remove, or start without end; empty when nothing is found."""
    for code in _code(step):
        if _FORKS.search(code):
            return "it starts processes without end"
        for found in _REMOVES.finditer(code):
            where = place(found[1], step.folder)
            if where and (where == root or is_vital(where, root)):
                return f"it removes `{found[1]}`"
    return ""


def _code(step: Step) -> Iterator[str]:
    if is_interpreter(step.program):
        yield from (word.text for word in step.words[1:])
        yield step.feed.text or ""
