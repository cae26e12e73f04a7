"""Flags and paths that a rule on a program's first words does not allow.

`pytest:*` allows running the tests: not loading a plugin, writing a report or testing another
folder. The words in the rule itself are always allowed.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...config.text import text
from ..shell.parsing.git_command import find_git_command
from ..shell.readonly.classifier import explain_not_read_only, list_reading_programs
from ..shell.readonly.path_scope import PathScope
from ..shell.readonly.tree_access import TraversalOptions
from ..workspace import Workspace

_MIN_ABBREVIATION_LENGTH = len("--abc")
# Allowed flags that look like the beginning of a limited one
_HARMLESS_FLAGS = ("--cov", "--text")
_NO_PLUGIN = re.compile(r"no:[\w.-]+")
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")
_READING = frozenset(list_reading_programs()) - {"git"}


@dataclass(frozen=True)
class _Limits:
    """The flags of one tool that run, load or write something else."""

    flags: frozenset[str] = frozenset()
    valued: str = ""
    """Other short flags with a value, which may be attached."""
    one_dash: bool = False
    """Whether long flags have one dash, so that letters are never bundled."""
    paths: bool = True
    """Whether its other words may be paths."""


def _build_limits(flags: str = "", valued: str = "", **more: bool) -> _Limits:
    return _Limits(frozenset(flags.split()), valued, **more)


_PYTEST = _build_limits(
    "-c -o -p --basetemp --config-file --confcutdir --cov-config --debug --html --json-report-file"
    " --junit-xml --junitxml --log-file --override-ini --pastebin --pdb --pdbcls --pyargs"
    " --report-log --rootdir --rsyncdir --trace --tx",
    "kmnrW",
)
_NPM = _build_limits("--globalconfig --node-options --script-shell --shell --userconfig", "Cw")
_LIMITED: Mapping[str, _Limits] = {
    "pytest": _PYTEST,
    "py.test": _PYTEST,
    "unittest": _build_limits("", "kpst"),
    "mypy": _build_limits(
        "--any-exprs-report --cache-map --cobertura-xml-report --config-file"
        " --custom-typeshed-dir --custom-typing-module --html-report --install-types --junit-xml"
        " --line-checking-stats --linecount-report --linecoverage-report --lineprecision-report"
        " --package-root --pdb --python-executable --shadow-file --timing-stats --txt-report"
        " --xml-report --xslt-html-report --xslt-txt-report",
        "cmp",
    ),
    "ruff": _build_limits(
        "-o -w --add-noqa --config --fix --fix-only --output-file --unsafe-fixes"
    ),
    "pyright": _build_limits("-v --createstub --pythonpath --venvpath --writebaseline", "pt"),
    "eslint": _build_limits(
        "-c -o --cache-file --cache-location --config --fix --fix-dry-run --init --output-file"
        " --parser --plugin --resolve-plugins-relative-to --rulesdir",
        "f",
    ),
    "prettier": _build_limits("--config --plugin"),
    "tsc": _build_limits("--generateCpuProfile --generateTrace", "p"),
    "cargo": _build_limits("--config", "CFZjp"),
    "go": _build_limits("-exec -overlay -toolexec -vettool", one_dash=True),
    **dict.fromkeys(["npm", "pnpm", "yarn"], _NPM),
    "git": _build_limits(
        "--config --config-env --exec --exec-path --ext-diff --git-dir --no-index"
        " --open-files-in-pager --output --receive-pack --template --textconv --upload-pack"
        " --work-tree",
        paths=False,
    ),
}
# Short flags that have another meaning in other git commands
_OF_GIT = {"clone": "-c -u", "difftool": "-x", "grep": "-O", "rebase": "-x"}
_BEFORE_GIT_COMMAND = ("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs")


class _NamedFiles(PathScope):
    """The files that a command names, without the other files in the folders that it walks."""

    def check_tree(self, word: str, manner: TraversalOptions) -> None:
        """Check that the folder itself is inside the project."""
        self.check_path(word)


def find_excess(
    words: Sequence[str], rule_words: Sequence[str], folder: Path | None, workspace: Workspace
) -> str:
    """Describe what a rule on the first words does not allow in a command; else empty."""
    program, arguments = PurePosixPath(words[0]).name, list(words[len(rule_words) :])
    if _remove_system_folder(words[0]) in _READING:
        if folder is None:
            return text("the folder `{program}` runs in is not known in advance", program=program)
        return explain_not_read_only([words[0], *arguments], _NamedFiles(folder, workspace))
    if re.fullmatch(r"python[\d.]*", program) and len(rule_words) > 2 and rule_words[1] == "-m":
        program = rule_words[2]
    limits = _LIMITED.get(program)
    if limits is None:
        return ""
    if program == "git" and (excess := _find_git_excess(words, rule_words)):
        return excess
    outside = _find_outside_path(arguments, limits, folder, workspace) if limits.paths else ""
    if flag := _find_limited_flag(arguments, limits):
        return text(
            "the rule for `{command}` does not cover `{program} {flag}`",
            command=" ".join(rule_words),
            program=program,
            flag=flag,
        )
    return text("`{path}` is outside the project", path=outside) if outside else ""


def _remove_system_folder(program: str) -> str:
    folder = next(filter(program.startswith, _SYSTEM_FOLDERS), "")
    return program.removeprefix(folder)


def _find_git_excess(words: Sequence[str], rule_words: Sequence[str]) -> str:
    command = 1 + find_git_command(words[1:])
    if command == len(words):  # `git --version`
        command = 1
    before = [word for word in words[len(rule_words) : command] if word not in _BEFORE_GIT_COMMAND]
    short = _build_limits(_OF_GIT.get("".join(words[command : command + 1]), ""))
    flag = next(iter(before), "") or _find_limited_flag(words[len(rule_words) :], short)
    return text("`git {flag}` may run other programs or change files", flag=flag) if flag else ""


def _find_limited_flag(words: Sequence[str], limits: _Limits) -> str:
    """Find the first limited flag, also inside a bundle or abbreviated."""
    for at, word in enumerate(words):
        if word == "--":
            break
        if word.startswith("@"):
            return word  # a file with arguments
        if not word.startswith("-"):
            continue
        name, _, value = word.partition("=")
        if name.startswith("--") or limits.one_dash:
            if _is_limited(name, limits):
                return name
            continue
        for position, letter in enumerate(word[1:], 1):
            if f"-{letter}" in limits.flags:
                value = word[position + 1 :] or "".join(words[at + 1 : at + 2])
                if letter == "p" and _NO_PLUGIN.fullmatch(value):
                    break
                return f"-{letter}"
            if letter in limits.valued:
                break
    return ""


def _is_limited(name: str, limits: _Limits) -> bool:
    if limits.one_dash:
        return f"-{name.lstrip('-')}" in limits.flags
    may_be_short = len(name) >= _MIN_ABBREVIATION_LENGTH and name not in _HARMLESS_FLAGS
    return name in limits.flags or (
        may_be_short and any(flag.startswith(name) for flag in limits.flags)
    )


def _find_outside_path(
    words: Sequence[str], limits: _Limits, folder: Path | None, workspace: Workspace
) -> str:
    """Return the first word that names a path outside the project."""
    for word in words:
        for path in _iter_path_texts(word, limits):
            if path != os.devnull and _is_outside(path, folder, workspace):
                return word
    return ""


def _iter_path_texts(word: str, limits: _Limits) -> Iterator[str]:
    """Yield the possible paths in a word: the word, a flag's value, and the parts of `html:DIR`."""
    text = word.partition("=")[2] if word.startswith("-") else word
    if word.startswith("-") and not word.startswith("--") and not limits.one_dash:
        text = text or word[2:]
    if "://" not in text:
        yield from {text, *text.split(":")} - {""}


def _is_outside(text: str, folder: Path | None, workspace: Workspace) -> bool:
    if text.startswith("~") or folder is None:
        return text.startswith(("~", "/")) or ".." in text.split("/")
    real = Path(os.path.realpath(folder / text))
    return not real.is_relative_to(workspace.root)
