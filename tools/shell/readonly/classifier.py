"""Check that a command only reads inside the project.

The list contains what is allowed: for an unknown program, flag or file the user is asked.
"""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from ....config.text import text
from ...process.environment import build_child_environment
from ..parsing.flags import Flags, NotReadOnlyError, split_names
from .allowlist import PROGRAMS, AllowedProgram, is_version_query
from .git_classifier import check_git
from .path_scope import PathScope
from .recursive_programs import SEARCHES
from .special_programs import CHECKS

# `e` without a dash shows the environment of each process
_PS_WORD = re.compile(r"[auxwflj]+|-[aAdefFlHjwxT]+|--(forest|no-headers|headers|sort=[\w%,+-]+)")
_PS_VALUED = frozenset(["-p", "-C", "-u", "-o", "-eo", "-t", "--pid", "--ppid"])
_PS_VALUE = re.compile(r"(?!.*environ)[\w%,:=.-]+", re.IGNORECASE)

_PIP = ("pip", "pip3")
_QUERIES: Mapping[tuple[str, str], Flags] = {
    (program, command): Flags.from_usage(usage)
    for programs, command, usage in (
        (_PIP, "list", "-v -l --local --user --not-required --format= --exclude="),
        (_PIP, "show", "-f -v --files --verbose"),
        (_PIP, "freeze", "-l --local --user --all --exclude-editable --exclude="),
        (_PIP, "check", ""),
        (["npm"], "ls", "-a -g -l -p --all --global --long --parseable --json --depth=N --omit="),
        (["npm"], "list", "-a -g -l -p --all --global --long --parseable --json --depth=N --omit="),
        (
            ["docker"],
            "ps",
            "-a -q -l -s -n=N -f= --all --quiet --latest --size --no-trunc --filter=",
        ),
        (["docker"], "images", "-a -q -f= --all --quiet --digests --no-trunc --filter="),
    )
    for program in programs
}
_LSOF = Flags.from_usage("-i=? -s=? -n -P -t -a -l -p= -u= -c=")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SYSTEM = ("/bin/", "/usr/bin/")
_BUILTINS = split_names("[ command echo false printf pwd test true type")


def check_status(program: str, words: Sequence[str], place: PathScope) -> bool:
    """Return whether words only query a status; raises NotReadOnlyError for other flags."""
    if program == "ps":
        _check_ps(program, words)
        return True
    if program == "lsof":
        for operand in _LSOF.parse("lsof", words).operands:
            place.check_path(operand)
        return True
    flags = _QUERIES.get((program, words[0])) if words else None
    if flags is None:
        return False
    flags.parse(f"{program} {words[0]}", words[1:])
    return True


def _check_ps(program: str, words: Sequence[str]) -> None:
    rest = iter(words)
    for word in rest:
        value = next(rest, "") if word in _PS_VALUED else None
        if value is not None and _PS_VALUE.fullmatch(value):
            continue
        if value is not None or not _PS_WORD.fullmatch(word):
            raise NotReadOnlyError(
                text("`{program} {argument}` may change files", program=program, argument=word)
            )


def explain_not_read_only(words: Sequence[str], place: PathScope) -> str:
    """Explain why a command is not known to only read; empty if it is.

    `words` are those of one simple command, as the program gets them; `place` is its folder.
    """
    try:
        _check_words(words, place)
    except NotReadOnlyError as reason:
        return str(reason)
    return ""


def list_reading_programs() -> list[str]:
    """List the programs of which some calls are known to only read."""
    return sorted({*_BUILTINS, *PROGRAMS, *CHECKS, *SEARCHES, "git"})


def _check_words(words: Sequence[str], place: PathScope) -> None:
    if not words:
        raise NotReadOnlyError("no program")
    if any(_UNPRINTABLE.search(word) or not _is_text(word) for word in words):
        raise NotReadOnlyError("it contains control characters")
    place.resolve_inside(".")
    name = find_program_name(words[0], place)
    arguments = words[1:]
    if is_version_query(name, arguments, place.folder) or check_status(name, arguments, place):
        return
    if name == "git":
        check_git(arguments, place)
    elif check := CHECKS.get(name) or SEARCHES.get(name):
        check(arguments, place)
    elif name in PROGRAMS:
        _check_program(name, PROGRAMS[name], arguments, place)
    else:
        raise NotReadOnlyError(text("`{name}` can change files", name=name))


def find_program_name(program: str, place: PathScope) -> str:
    """Return the program's plain name; raises NotReadOnlyError if the project may contain it."""
    name = next((program.removeprefix(to) for to in _SYSTEM if program.startswith(to)), program)
    if "/" in name:
        raise NotReadOnlyError(text("`{program}` can change files", program=program))
    if program in _BUILTINS:
        return name
    executable = shutil.which(program, path=build_child_environment(os.environ)["PATH"])
    if executable and _is_below(executable, place.workspace.root):
        raise NotReadOnlyError(
            text(
                "`{name}` would run the project's own program `{found}`",
                name=name,
                found=executable,
            )
        )
    return name


def _is_below(path: str, root: Path) -> bool:
    return Path(path).is_relative_to(root) or Path(os.path.realpath(path)).is_relative_to(root)


def _check_program(
    name: str, program: AllowedProgram, words: Sequence[str], place: PathScope
) -> None:
    operands = place.parse_words(name, program.flags, words).operands
    if len(operands) > program.most:
        raise NotReadOnlyError(
            text("`{name}` may write to `{operands}`", name=name, operands=operands[program.most])
        )
    if program.operands == "files":
        for operand in operands:
            place.check_path(operand)


def _is_text(word: str) -> bool:
    try:
        return bool(word.encode()) or not word
    except UnicodeEncodeError:
        return False
