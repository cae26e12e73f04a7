"""What no mode lets run: commands that ruin the machine, its disks, or the whole project.

Each check takes one step of the line and answers with what would be ruined, in words for people;
an empty answer is no finding.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ..parsing import inline_code
from ..parsing.path_targets import is_disk, is_system, is_vital, is_vital_file, place
from ..parsing.simple_command import Step
from . import deletions, disk_wipes, system_shutdown
from .copy_targets import copied_by

_Check = Callable[[Step, Path], str]


def ruined_by(step: Step, root: Path) -> str:
    """What a step would ruin; empty when nothing is found."""
    written = (redirect.target.text for redirect in step.redirects if redirect.writes)
    if found := _first(_overwritten(name, step) for name in written):
        return found
    program = step.program
    if (
        found := system_shutdown.stopped_by(step)
        or disk_wipes.wiped_by(step)
        or inline_code.ruined_by(step, root)
    ):
        return found
    if step.words and not step.words[0].known:
        return deletions.ruined_by(step, root)  # a program that nobody knows may be `rm`
    check = _CHECKS.get(program)
    return check(step, root) if check else ""


def _first(findings: Iterable[str]) -> str:
    return next(filter(None, findings), "")


def _overwritten(name: str, step: Step) -> str:
    where = place(name, step.folder)
    if where and is_disk(str(where)):
        return f"it writes to the disk `{name}`"
    return f"it overwrites `{name}`, a file of the system" if where and is_vital_file(where) else ""


def _names(step: Step) -> list[str]:
    return [word.text for word in step.words[1:] if not word.text.startswith("-")]


def _dd(step: Step, root: Path) -> str:
    outputs = [name.removeprefix("of=") for name in _names(step) if name.startswith("of=")]
    return _first(_overwritten(name, step) for name in outputs)


def _writes_all(step: Step, root: Path) -> str:
    return _first(_overwritten(name, step) for name in _names(step))


def _edits_in_place(step: Step, root: Path) -> str:
    in_place = any(re.match(r"-[a-zA-Z]*i|--in-place", word.text) for word in step.words[1:])
    return _writes_all(step, root) if in_place else ""


def _writes_last(step: Step, root: Path) -> str:
    return _first(_overwritten(name, step) for name in _names(step)[1:][-1:])


def _mv(step: Step, root: Path) -> str:
    copied = copied_by(step)
    sources, target = copied.sources, copied.target
    patterns = [word.pattern for word in step.words if word.pattern]
    for name in [*sources, *patterns]:
        where = place(name, step.folder)
        if where and is_vital(where, root) or (where == root and name not in patterns):
            return f"it moves `{name}` away"
        if where == root and target == "/dev/null":
            return f"it moves `{name}` to nowhere"
    return _writes_all(step, root)


def _modes(step: Step, root: Path) -> str:
    """`chmod`, `chown` and their kin, on what the system stands on."""
    recursive = any(re.fullmatch(r"--recursive|-\w*R\w*", word.text) for word in step.words[1:])
    for name in _names(step):
        where = place(name, step.folder) if "/" in name or name in ("..", "~") else None
        if where is None:
            continue
        shallow = is_system(where) and len(where.parts) < 3 and not where.is_relative_to(root)
        if shallow or (recursive and is_vital(where, root)) or is_vital_file(where):
            return f"`{step.program}` on `{name}` breaks the system"
    return ""


def _rsync(step: Step, root: Path) -> str:
    names = _names(step)
    deletes = any(re.match(r"--del(ete|$)", word.text) for word in step.words)
    where = place(names[-1], step.folder) if deletes and names else None
    if where and is_vital(where, root):
        return f"it removes what is in `{names[-1]}`"
    return _writes_last(step, root)


_CHECKS: Mapping[str, _Check] = {
    **dict.fromkeys(
        ["rm", "rmdir", "unlink", "shred", "srm", "rimraf", "trash", "trash-put"],
        deletions.ruined_by,
    ),
    "find": deletions.found_by,
    "dd": _dd,
    **dict.fromkeys(["tee", "truncate", "fallocate"], _writes_all),
    **dict.fromkeys(["cp", "install", "ln"], _writes_last),
    **dict.fromkeys(["sed", "perl"], _edits_in_place),
    "mv": _mv,
    "rsync": _rsync,
    **dict.fromkeys(["chmod", "chown", "chgrp", "chattr", "setfacl"], _modes),
}
