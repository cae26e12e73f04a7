"""Command lines that do nothing but install packages: they write the programs of the project."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...workspace import Workspace
from ..analyzer import explain_side_effects
from ..parsing.command_line import CommandLine
from ..parsing.flags import split_names
from ..parsing.shell_state import ShellState
from ..parsing.simple_command import SimpleCommand

_NODE = split_names("install i ci install-clean add update up upgrade uninstall remove rm un link")
_PROJECT = split_names("install add update sync remove uninstall")
# Each command that writes into `.venv/bin` or `node_modules/.bin`, and when
_INSTALLERS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun"], _NODE | {"rebuild", "dedupe", "prune"}),
    "pip": split_names("install uninstall"),
    "uv": split_names("sync add remove venv"),
    **dict.fromkeys(["poetry", "pdm", "pipenv"], _PROJECT),
    **dict.fromkeys(["conda", "mamba", "micromamba"], _PROJECT | {"create"}),
}
_UV_PIP = split_names("install sync uninstall")
_ENVIRONMENTS = ("venv", "virtualenv")
# Options that may stand before the subcommand, without a value and with one
_FLAGS = split_names("-q --quiet --silent -r --recursive --no-cache-dir --no-input --offline")
_VALUED = split_names("-C --cwd --dir --directory --prefix --project")
_PYTHON = re.compile(r"python[\d.]*")
_PIP = re.compile(r"pip[\d.]*")
_SYSTEM_FOLDERS = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_OWN_FOLDERS = (".venv/bin", "venv/bin")
_ACTIVATION = tuple(f"{folder}/activate" for folder in _OWN_FOLDERS)
# `.[dev]` names a package's extras; the shell would read a pattern
_EXTRAS = re.compile(r"(?<=\s)([\w./-]+)\[[\w,-]+\](?=\s|$)")


def is_package_install(command: str, cwd: str, workspace: Workspace) -> bool:
    """Return whether a line installs packages, and does nothing else but read; never raises."""
    try:
        return _has_only_installs(command, cwd, workspace)
    except Exception:  # an error in this check must never lift the guard
        return False


def _has_only_installs(command: str, cwd: str, workspace: Workspace) -> bool:
    folder = Path(os.path.normpath(workspace.root / cwd))
    line = CommandLine(_EXTRAS.sub(r"\1", command), ShellState(workspace.root, folder))
    if line.doubt or not line.plain:
        return False
    steps = [step for step in line.steps if explain_side_effects(step.words, step, workspace)]
    installs = [step for step in steps if not _is_activation(step, workspace)]
    return bool(installs) and all(_is_install(step, workspace) for step in installs)


def _is_activation(step: SimpleCommand, workspace: Workspace) -> bool:
    words = [word.text for word in step.words]
    return (
        len(words) == 2
        and words[0] in (".", "source")
        and words[1].removeprefix("./") in _ACTIVATION
        and step.folder == workspace.root
    )


def _is_install(step: SimpleCommand, workspace: Workspace) -> bool:
    program, words = step.program, [word.text for word in step.words[1:]]
    if step.folder is None or not _is_installed(step, workspace):
        return False
    if _PYTHON.fullmatch(program):
        if words[:1] != ["-m"] or not words[1:] or _is_shadowed(words[1], step.folder):
            return False
        program, words = words[1], words[2:]
    if program in _ENVIRONMENTS:
        return bool(words)
    program = "pip" if _PIP.fullmatch(program) else program
    if program == "yarn" and not words:
        return True
    words = _drop_options(words)
    if program == "uv" and words[:1] == ["pip"]:
        return any(word in _UV_PIP for word in words[1:2])
    return bool(words) and words[0] in _INSTALLERS.get(program, ())


def _is_installed(step: SimpleCommand, workspace: Workspace) -> bool:
    """Return whether a program is no file that a command could have written."""
    place = step.words[0].text.rpartition("/")[0]
    if place.removeprefix("./") in _OWN_FOLDERS:
        return step.folder == workspace.root
    return place in ("", *_SYSTEM_FOLDERS)


def _is_shadowed(module: str, folder: Path) -> bool:
    """Return whether `python -m` runs a module of the folder in the place of the installed one."""
    return any(map(os.path.lexists, (folder / f"{module}.py", folder / module / "__init__.py")))


def _drop_options(words: Sequence[str]) -> list[str]:
    """Return the words from the subcommand on; none behind an option that is not known."""
    left = list(words)
    while left and left[0].startswith("-"):
        if left[0] in _VALUED:
            left = left[2:]
        elif left[0] in _FLAGS or re.fullmatch(r"--[\w-]+=.*", left[0]):
            left = left[1:]
        else:
            return []
    return left
