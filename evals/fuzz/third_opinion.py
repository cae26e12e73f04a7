"""What bash itself makes of command lines that are judged plain: the words that programs get.

Nothing is run: bash has no program and none of its own commands, and tells what it looked for.
Among these lines are all that ruin a machine, and a path names a program as well: bash is given
them only in a world of its own, in which there is no file but bash itself.
"""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

BASH = "/bin/bash"
WALL = shutil.which("bwrap")
_KEPT = frozenset(["enable", "eval", "printf", "return", "wait"])
"""Commands that the script needs; lines that name them are left out."""
_SCRIPT = r"""
for one in $(compgen -b); do
  case $one in enable|eval|printf|return|wait) ;; *) hidden+=" $one" ;; esac
done
PATH=/nowhere
exec 201>&1
mapfile -d '' -t lines
command_not_found_handle() {
  printf '%s\0' "$#" "${@//$'\n'/$'\x01'}" >&201
  return "$status"
}
for status in 0 1; do
  for line in "${lines[@]}"; do
    printf 'line\0' >&201
    printf '\0' >&2
    ( enable -n $hidden; eval -- "$line"; wait ) </dev/null >/dev/null
  done
done
"""
"""It gets the lines and tells by pipes: a file of its own could be one that a line writes.

Commands of a pipeline tell at the same time. What one tells is written whole as long as it has no
newline: bash writes after each.
"""
_NEWLINE = "\x01"
"""What is told in place of one."""
_LOADER = re.compile(r"(?:=> )?(/\S+) \(0x")
_NO_SENSE = ("syntax error", "unexpected EOF", "unexpected end of file")

Words = tuple[str, ...]


def disagreements(lines: Sequence[str], workspace: Workspace, folder: Path) -> list[str]:
    """What is wrong with those of the lines that are judged plain, where bash reads them otherwise.

    Files that a line would write land in `folder`.
    """
    plain = {line: said for line in lines if (said := _said(line, workspace)) is not None}
    ran = ran_by_bash(list(plain), folder)
    pairs = zip(plain.items(), ran, strict=True)
    problems = ((line, _problem(line, said, seen)) for (line, said), seen in pairs)
    return [f"{line!r}: {problem}" for line, problem in problems if problem]


def _said(line: str, workspace: Workspace) -> Counter[Words] | None:
    """The commands of a line as the judge has them; None where it is not judged to be plain."""
    found = analyze_command(line, ".", workspace)
    words = Counter(command.words for command in found.commands)
    untold = any(sign in line for sign in ("\0", _NEWLINE, "/dev/std"))  # no /proc in that world
    odd = untold or any(one[0] in _KEPT or one[0][:1] in ("%", "") for one in words if one)
    return None if odd or not found.plain else words


def ran_by_bash(lines: Sequence[str], folder: Path) -> list[list[Counter[Words] | None]]:
    """For each line what bash looked for when all succeeds, and when all fails; None: no sense."""
    done = subprocess.run(
        [*wall_around(folder), BASH, "-c", _SCRIPT],
        input="".join(f"{line}\0" for line in lines).encode(),
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nowhere"},
        capture_output=True,
        timeout=300,
    )
    complaints = done.stderr.decode(errors="replace").split("\0")[1:]
    told_of = _read(os.fsdecode(done.stdout).replace(_NEWLINE, "\n").split("\0")[:-1])
    both = [
        None if any(sign in complaint for sign in _NO_SENSE) else ran
        for ran, complaint in zip(told_of, complaints, strict=True)
    ]
    return [[both[at], both[at + len(lines)]] for at in range(len(lines))]


def wall_around(folder: Path) -> list[str]:
    """The beginning of a command that sees bash, what bash is linked to, and one folder."""
    words = [str(WALL), "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--tmpfs", "/"]
    for file in (BASH, *_linked_to(BASH)):
        words += ["--ro-bind", os.path.realpath(file), file]
    words += ["--dev", "/dev", "--bind", str(folder), str(folder), "--remount-ro", "/"]
    return [*words, "--chdir", str(folder)]


@cache
def _linked_to(program: str) -> list[str]:
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return _LOADER.findall(listed)


def _read(tokens: Sequence[str]) -> Iterator[Counter[Words]]:
    rest, ran = list(reversed(tokens)), None
    while rest:
        token = rest.pop()
        if token == "line":
            if ran is not None:
                yield ran
            ran = Counter[Words]()
        elif ran is not None:
            ran[tuple(rest.pop() for _ in range(int(token)))] += 1
    if ran is not None:
        yield ran


def _problem(line: str, said: Counter[Words], ran: Sequence[Counter[Words] | None]) -> str:
    """What bash says against the judge."""
    seen = Counter[Words]()
    for one in ran:
        if one is None:
            return "bash finds no sense in it"
        if strange := one - said:
            return f"bash runs {sorted(strange)}, the judge says {sorted(said)}"
        seen |= one
    in_folders = any("/" in words[0] for words in said)
    if in_folders or re.search(r"<|!|>&", line):  # what is not there, or negated, ends a list
        return ""
    missing = set(said) - set(seen)
    return f"the judge says {sorted(said)}, bash runs {sorted(seen)}" if missing else ""
