"""Status commands of other programs: `ps`, `lsof`, `pip list`, `npm ls`."""

import re
from collections.abc import Mapping, Sequence

from ....config.text import text
from ..parsing.flags import Flags, NotReadOnlyError
from .path_scope import PathScope

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
                text("`{program} {argument}` may do more than read", program=program, argument=word)
            )
